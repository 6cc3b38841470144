import { setImmediate as breathe } from "node:timers/promises";
import type { Platform } from "../platform/context.ts";
import type { SealedColumn } from "../platform/keyring.ts";
import { type Census, countSealed, resealColumn, type Unopened } from "../platform/reseal/index.ts";
import { readArguments } from "./arguments.ts";
import { exit, type Io } from "./io.ts";

const help = `
Usage: signalbox reseal [--check] [--json]

Seals every stored secret anew under SIGNALBOX_SECRET, after that was changed. The old one must be in
SIGNALBOX_SECRET_PREVIOUS meanwhile. It runs while the service serves; it can be stopped and run again.
When it ends with 0, the old secret can go. How to rotate: docs/operations.md

Options:
  --check   changes nothing: counts what is left to do, and ends with 3 if there is something
  --json    the counts as JSON, at the end

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
    options: { check: { type: "boolean" }, json: { type: "boolean" } },
  });
  const { sealedColumns } = await import("../app.ts");
  const database = await io.database();
  const reports: Report[] = [];
  for (const where of sealedColumns) {
    const done = values.check
      ? { resealed: 0, unopened: 0 }
      : await resealOne(io, database, where, values.json);
    reports.push({ column: nameOf(where), ...done, left: await countSealed(database, where) });
  }
  if (values.json) io.out(JSON.stringify(reports));
  else for (const report of reports) io.out(sentence(report));
  if (io.signal.aborted) {
    io.err("Stopped. Run it again to go on.");
    return exit.failed;
  }
  if (reports.some(({ unopened, left }) => unopened + left.unknown > 0)) return exit.failed;
  return reports.some(({ left }) => left.previous > 0) ? exit.pending : exit.ok;
}

async function resealOne(
  io: Io,
  database: Pick<Platform, "db" | "keyring">,
  where: SealedColumn,
  quiet: boolean | undefined,
): Promise<Pick<Report, "resealed" | "unopened">> {
  let resealed = 0;
  const unopened = new Map<string, Unopened>();
  // What somebody else changed under our hands is found by another walk; with luck there is nothing.
  for (let overtaken = 1, walk = 0; overtaken > 0 && walk < 5; walk++) {
    overtaken = 0;
    for await (const progress of resealColumn(database, where)) {
      resealed += progress.resealed;
      overtaken += progress.overtaken;
      for (const one of progress.unopened) unopened.set(one.row, one);
      if (!quiet && progress.resealed) io.out(`${nameOf(where)}: ${resealed} sealed anew …`);
      await breathe();
      if (io.signal.aborted) return { resealed, unopened: unopened.size };
    }
  }
  const lines = [...unopened.values()].map(({ row, why }) => `${nameOf(where)} of ${row}: ${why}`);
  for (const line of lines.slice(0, shown)) io.err(line);
  if (lines.length > shown) io.err(`… and ${lines.length - shown} more.`);
  return { resealed, unopened: unopened.size };
}

const nameOf = ({ table, column }: SealedColumn) => `${table}.${column}`;

function sentence({ column, resealed, left: { current, previous, unknown } }: Report): string {
  const parts = [`${current} under the current secret`];
  if (previous) parts.push(`${previous} still under a previous one`);
  if (unknown) parts.push(`${unknown} under a secret that is not configured`);
  return `${column}: ${parts.join(", ")}${resealed ? ` (${resealed} sealed anew)` : ""}.`;
}
