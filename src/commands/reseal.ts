import { setImmediate as breathe } from "node:timers/promises";
import { countOtherSecrets, removeLostSecrets, removeOtherSecrets } from "../platform/canary/index.ts";
import type { Platform } from "../platform/context.ts";
import { OperatorError } from "../platform/errors.ts";
import type { SealedColumn } from "../platform/keyring.ts";
import { type Census, countSealed, resealColumn, type Unopened } from "../platform/reseal/index.ts";
import { readArguments, UsageError } from "./arguments.ts";
import { exit, type Io } from "./io.ts";

const help = `
Usage: signalbox reseal [--check] [--accept-loss [--lose-everything]] [--json]

Seals every stored secret and signs every audit chain again with SIGNALBOX_SECRET, after that was changed. Until it
has ended, the old one must be in SIGNALBOX_SECRET_PREVIOUS. The service can run meanwhile. You can stop the command
and run it again.
When it ends with 0, the old secret can be removed. How to rotate: docs/operations.md

Options:
  --check             changes nothing: counts what is left to do, and ends with 3 if there is something
  --accept-loss       a secret is lost for good: the service starts again without it. What was sealed with it
                      stays unreadable: connect accounts and repositories again, and reset second factors.
                      Where migrations are pending, run \`signalbox migrate --accept-loss\` first
  --lose-everything   with --accept-loss: also when no value at all opens with the configured secrets
  --json              the counts as JSON, at the end

A lost secret that is found again: put it into SIGNALBOX_SECRET_PREVIOUS and run \`signalbox reseal\`.

Examples:
  signalbox reseal --check
  signalbox reseal
`;

interface Report {
  column: string;
  resealed: number;
  /** Values that do not open: altered, or under a secret that is not configured. */
  unopened: number;
  left: Census;
}

const shown = 20;

export async function reseal(args: string[], io: Io): Promise<number> {
  const { values } = readArguments(args, {
    help,
    options: {
      check: { type: "boolean" },
      "accept-loss": { type: "boolean" },
      "lose-everything": { type: "boolean" },
      json: { type: "boolean" },
    },
  });
  const acceptsLoss = values["accept-loss"] ?? false;
  if (values.check && acceptsLoss)
    throw new UsageError("--check changes nothing, so it takes no --accept-loss.");
  if (values["lose-everything"] && !acceptsLoss)
    throw new UsageError("--lose-everything goes with --accept-loss only.");
  const { columnsUnderSecret, sealedColumns } = await import("../app.ts");
  const database = await io.database({ anySecret: acceptsLoss });
  if (acceptsLoss) {
    if (!values["lose-everything"]) await refuseLosingEverything(io, database, columnsUnderSecret);
    await removeLostSecrets(database);
  }
  const reports: Report[] = [];
  /** Values under an earlier secret that open with it. */
  let waiting = 0;
  for (const where of sealedColumns) {
    const done = values.check
      ? { resealed: 0, unopened: 0 }
      : await resealColumnOnce(io, database, where, values.json);
    const left = await countSealed(database, where);
    reports.push({ column: formatColumn(where), ...done, left });
    waiting += Math.max(0, left.previous + left.unknown - done.unopened);
  }
  if (!io.signal.aborted) {
    const chains = await renewAuditSignatures(io, database, values.check ?? false);
    reports.push(chains);
    waiting += Math.max(0, chains.left.previous - chains.unopened);
  }
  if (!io.signal.aborted) reports.push(await retireSecrets(database, !values.check && waiting === 0));
  if (values.json) io.out(JSON.stringify(reports));
  else for (const report of reports) io.out(sentence(report));
  if (io.signal.aborted) {
    io.err("Stopped. Run the command again to continue.");
    return exit.failed;
  }
  if (acceptsLoss && reports.some(({ left }) => left.unknown > 0)) io.err(wayBack);
  if (reports.some(({ unopened, left }) => unopened + left.unknown > 0)) return exit.failed;
  return reports.some(({ left }) => left.previous > 0) ? exit.pending : exit.ok;
}

const wayBack =
  "If the lost secret is found again, put it into SIGNALBOX_SECRET_PREVIOUS and run `signalbox reseal`.";

/** When no value opens, the secret is probably mistyped. Then --accept-loss alone is refused. */
async function refuseLosingEverything(
  io: Io,
  database: Pick<Platform, "db" | "keyring">,
  columns: readonly SealedColumn[],
): Promise<void> {
  let lost = 0;
  const lines: string[] = [];
  for (const where of columns) {
    const left = await countSealed(database, where);
    if (left.current + left.previous > 0) return;
    if (left.unknown > 0)
      lines.push(sentence({ column: formatColumn(where), resealed: 0, unopened: 0, left }));
    lost += left.unknown;
  }
  if (lost === 0) return;
  for (const line of lines) io.err(line);
  throw new OperatorError(
    `None of the ${lost} sealed or signed values is under a configured secret. Check the secret for wrong characters. Nothing was ` +
      "changed. Set the right secret; if it is lost for good, run `signalbox reseal --accept-loss --lose-everything`.",
  );
}

async function resealColumnOnce(
  io: Io,
  database: Pick<Platform, "db" | "keyring">,
  where: SealedColumn,
  quiet: boolean | undefined,
): Promise<Pick<Report, "resealed" | "unopened">> {
  let resealed = 0;
  const unopened = new Map<string, Unopened>();
  // Rows that changed during the first pass are resealed by a second one.
  for (let overtaken = 1, walk = 0; overtaken > 0 && walk < 5; walk++) {
    overtaken = 0;
    for await (const progress of resealColumn(database, where)) {
      resealed += progress.resealed;
      overtaken += progress.overtaken;
      for (const one of progress.unopened) unopened.set(one.row, one);
      if (!quiet && progress.resealed) io.out(`${formatColumn(where)}: ${resealed} sealed again …`);
      await breathe();
      if (io.signal.aborted) return { resealed, unopened: unopened.size };
    }
  }
  const lines = [...unopened.values()].map(({ row, why }) => `${formatColumn(where)} of ${row}: ${why}`);
  for (const line of lines.slice(0, shown)) io.err(line);
  if (lines.length > shown) io.err(`… and ${lines.length - shown} more.`);
  return { resealed, unopened: unopened.size };
}

/** The end of each audit chain is signed with the same secret. */
async function renewAuditSignatures(
  io: Io,
  { db }: Pick<Platform, "db">,
  checkOnly: boolean,
): Promise<Report> {
  const { renewChainSignatures } = await import("../features/audit/index.ts");
  const { renewed, broken, ...left } = await renewChainSignatures(db, { checkOnly });
  for (const { row, why } of broken.slice(0, shown))
    io.err(`audit_chains.signature of ${row}: ${why}. See \`signalbox audit verify\`.`);
  return { column: "audit_chains.signature", resealed: renewed, unopened: broken.length, left };
}

/**
 * A start needs an earlier secret until it is retired. Values that do not open are no reason to keep it: they do not
 * open with it either.
 */
async function retireSecrets(database: Pick<Platform, "db" | "keyring">, isOver: boolean): Promise<Report> {
  const retired = isOver ? await removeOtherSecrets(database) : 0;
  const left = { current: 1, previous: await countOtherSecrets(database), unknown: 0 };
  return { column: sealedCanaries, resealed: retired, unopened: 0, left };
}

const sealedCanaries = "secret_canaries.sealed";
const formatColumn = ({ table, column }: SealedColumn) => `${table}.${column}`;

function sentence({ column, resealed, left: { current, previous, unknown } }: Report): string {
  const parts = [`${current} under the current secret`];
  if (previous) parts.push(`${previous} still under a previous one or in the first format`);
  if (unknown) parts.push(`${unknown} under a secret that is not configured`);
  return `${column}: ${parts.join(", ")}${resealed ? ` (${resealed} sealed again)` : ""}.`;
}
