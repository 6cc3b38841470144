import { printableLine } from "@signalbox/command-line";
import { findWrongSecret } from "../platform/canary/index.ts";
import { type Config, ConfigError } from "../platform/config.ts";
import { hasDatabase } from "../platform/db/index.ts";
import { OperatorError } from "../platform/errors.ts";
import { instanceId } from "../platform/keyring.ts";
import { describeSecretSource } from "../platform/secret-file.ts";
import { readArguments } from "./arguments.ts";
import { checkDatabase, checkSealed } from "./checks/database.ts";
import { describeReason, type Finding, ok, problem, warning } from "./checks/finding.ts";
import { checkFolder } from "./checks/folder.ts";
import { checkAddress, checkEgress, checkEntry, checkMail, checkReachable } from "./checks/network.ts";
import { checkMarks, checkRepairs } from "./checks/repair.ts";
import { exit, type Io } from "./io.ts";

const help = `
Usage: signalbox doctor [--fix] [--json]

Checks this instance: configuration, data folder, database, migrations, clock, stored secrets, public URL,
calls to the outside and mail. Each line is ✓ (fine), ! (look at it) or ✗ (broken), with what to do. While the service is
running on its embedded database, the checks run inside it, with its own settings.
Ends with 1 if anything is broken.

Options:
  --fix    also repairs what can be repaired without risk to data: permissions of the data folder and the secret
           file, copies that a killed backup left, invalid indexes, sequences that are behind their tables
  --json   the findings as JSON

Examples:
  signalbox doctor
  signalbox doctor --fix
`;

const marks = { ok: "✓", warning: "!", problem: "✗" } as const;

export async function doctor(args: string[], io: Io): Promise<number> {
  const { values } = readArguments(args, {
    help,
    options: { fix: { type: "boolean" }, json: { type: "boolean" } },
  });
  const findings: Finding[] = [];
  for await (const found of examine(io)) {
    const finding = values.fix ? await repairFinding(found) : found;
    findings.push(finding);
    if (values.json) continue;
    const advice = finding.advice ? `\n    → ${finding.advice}` : "";
    io.out(`${marks[finding.level]} ${finding.check}: ${printableLine(finding.message)}${advice}`);
  }
  if (values.json) io.out(JSON.stringify(findings));
  return findings.some(({ level }) => level === "problem") ? exit.failed : exit.ok;
}

async function repairFinding(finding: Finding): Promise<Finding> {
  if (!finding.fix) return finding;
  try {
    return ok(finding.check, `repaired: ${await finding.fix()}`);
  } catch (error) {
    return problem(
      finding.check,
      `${finding.message}; the repair failed (${describeReason(error)})`,
      finding.advice,
    );
  }
}

async function* examine(io: Io): AsyncGenerator<Finding> {
  let config: Config;
  try {
    config = io.config();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    yield problem("configuration", error.message);
    return;
  }
  yield ok("configuration", describe(config, io.serving));
  yield* checkFolder(config);
  yield* checkAddress(config);
  yield checkEgress(config);
  yield* checkEntry(config);
  yield* examineInside(config, io);
  yield await checkMail(config);
}

/** The checks that need an open database. */
async function* examineInside(config: Config, io: Io): AsyncGenerator<Finding> {
  if (!config.databaseUrl && !hasDatabase(config.dataDir)) {
    yield warning("database", "no database exists yet", "The first `signalbox serve` creates it.");
    return;
  }
  try {
    const opened = await io.database({ anySchema: true });
    const findings = await checkDatabase(opened);
    yield* findings;
    if (findings.some(({ check, level }) => check === "migrations" && level === "ok")) {
      const { columnsUnderSecret, sealedColumns } = await import("../app.ts");
      const wrong = await findWrongSecret(opened, {
        source: describeSecretSource(config),
        sealedColumns: async () => columnsUnderSecret,
      });
      if (wrong) yield problem("secret", wrong.message);
      yield* await checkSealed(opened, sealedColumns);
      yield* await checkRepairs(opened.db);
      yield* await checkMarks(opened.db);
    }
    const publicUrl = io.serving ? (await io.platform()).config.publicUrl : config.publicUrl;
    if (publicUrl) yield await checkReachable(publicUrl, instanceId(opened.keyring), io.serving);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    yield problem("database", error.message);
  }
}

function describe({ host, port, databaseUrl }: Config, serving: boolean): string {
  const where = databaseUrl ? "PostgreSQL" : "the embedded database";
  return `${serving ? "running" : "complete"}, for ${host}:${port} on ${where}`;
}
