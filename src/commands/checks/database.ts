import type { Platform } from "../../platform/context.ts";
import {
  describeServer,
  encodingAdvice,
  minServerVersion,
  pendingMigrations,
  requiredEncoding,
} from "../../platform/db/index.ts";
import { OperatorError } from "../../platform/errors.ts";
import type { SealedColumn } from "../../platform/keyring.ts";
import { countSealed, trySealed } from "../../platform/reseal/index.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

type OpenedDatabase = Pick<Platform, "db" | "keyring">;

/** Checks the server's version, its schema, and the difference between its clock and this machine's. */
export async function checkDatabase({ db }: OpenedDatabase): Promise<Finding[]> {
  const before = Date.now();
  const { version, major, encoding, now } = await describeServer(db);
  const after = Date.now();
  const name = `${db.kind === "pglite" ? "embedded PostgreSQL" : "PostgreSQL"} ${version}`;
  return [
    major >= minServerVersion
      ? ok("database", name)
      : problem("database", name, `Signalbox needs PostgreSQL ${minServerVersion} or newer.`),
    encoding === requiredEncoding
      ? ok("encoding", encoding)
      : problem(
          "encoding",
          `the database has the encoding ${encoding}, not ${requiredEncoding}`,
          encodingAdvice,
        ),
    await checkMigrations(db),
    checkClock(now < before ? before - now : Math.max(0, now - after)),
  ];
}

async function checkMigrations(db: Platform["db"]): Promise<Finding> {
  try {
    const pending = await pendingMigrations(db);
    return pending.length === 0
      ? ok("migrations", "the schema is this version's")
      : warning(
          "migrations",
          `pending: ${pending.map(({ name }) => name).join(", ")}`,
          "Run `signalbox migrate`; `serve` does so by itself.",
        );
  } catch (error) {
    if (error instanceof OperatorError) return problem("migrations", error.message);
    throw error;
  }
}

function checkClock(skewMs: number): Finding {
  if (skewMs <= 2_000) return ok("clock", "this machine and the database agree");
  const message = `this machine and the database are ${Math.round(skewMs / 1000)} s apart`;
  const advice =
    "Synchronize both clocks with NTP: sessions, links and leases would end too early or too late.";
  return skewMs <= 30_000 ? warning("clock", message, advice) : problem("clock", message, advice);
}

/** How many values of a column are opened as a sample. Counting by key id covers all rows. */
const sampleSize = 50;

export async function checkSealed(
  opened: OpenedDatabase,
  columns: readonly SealedColumn[],
): Promise<Finding[]> {
  const findings: Finding[] = [];
  let total = 0;
  for (const where of columns) {
    const check = "secrets";
    const name = `${where.table}.${where.column}`;
    const { current, previous, unknown } = await countSealed(opened, where);
    total += current + previous + unknown;
    if (unknown) {
      findings.push(
        problem(
          check,
          `${unknown} sealed values in ${name} are under a secret that is not configured`,
          "Put the secret they were sealed with into SIGNALBOX_SECRET_PREVIOUS, then run `signalbox reseal`.",
        ),
      );
    }
    if (previous) {
      findings.push(
        warning(
          check,
          `${previous} sealed values in ${name} are still under a previous secret or in the first format`,
          "Run `signalbox reseal`; then remove SIGNALBOX_SECRET_PREVIOUS.",
        ),
      );
    }
    for (const { row, why } of await trySealed(opened, where, sampleSize)) {
      findings.push(
        problem(check, `${name} of ${row}: ${why}`, "Restore the row from a backup, or delete it."),
      );
    }
  }
  return findings.length ? findings : [ok("secrets", `${total} sealed values, all under the current secret`)];
}
