import { refuseWrongSecret } from "../platform/canary/index.ts";
import { migrate as apply, needsStop, pendingMigrations } from "../platform/db/index.ts";
import { findMove } from "../platform/marks/index.ts";
import { describeSecretSource } from "../platform/secret-file.ts";
import { readArguments, UsageError } from "./arguments.ts";
import { exit, type Io } from "./io.ts";

const help = `
Usage: signalbox migrate [--check] [--accept-loss] [--json]

Brings the database to this version. \`serve\` does so by itself at its start; run this before it where a
deployment wants the change of schema as a step of its own. Migrations only go forward, so a database that is
sealed with another secret than the configured one is not migrated. Some migrations change the layout of data so
that processes of an earlier version would fail or write wrong data. They wait until these are stopped, and are
refused after 15 seconds.

Options:
  --check         changes nothing: says what is pending, and ends with 3 if there is something
  --accept-loss   the secret is lost for good: migrates without it. Then run \`signalbox reseal --accept-loss\`
  --json          {"applied": […], "pending": […]}

Examples:
  signalbox migrate
  signalbox migrate --check || echo "not yet"
`;

export async function migrate(args: string[], io: Io): Promise<number> {
  const { values } = readArguments(args, {
    help,
    options: { check: { type: "boolean" }, "accept-loss": { type: "boolean" }, json: { type: "boolean" } },
  });
  const acceptsLoss = values["accept-loss"] ?? false;
  if (values.check && acceptsLoss)
    throw new UsageError("--check changes nothing, so it takes no --accept-loss.");
  const opened = await io.database({ create: !values.check, anySchema: true });
  const { db } = opened;
  const moved = values.check ? undefined : await findMove(db);
  if (moved) throw moved;
  if (!values.check && !acceptsLoss)
    await refuseWrongSecret(opened, {
      source: describeSecretSource(io.config()),
      sealedColumns: async () => (await import("../app.ts")).columnsUnderSecret,
    });
  const applied = values.check ? [] : await apply(db);
  const missing = await pendingMigrations(db);
  const pending = missing.map(({ name }) => name);
  if (values.json) io.out(JSON.stringify({ applied, pending }));
  else if (applied.length) io.out(`Applied: ${applied.join(", ")}.`);
  else if (pending.length) {
    const stop = missing.some(needsStop) ? "Stop all processes of the earlier version, and run" : "Run";
    io.out(`Pending: ${pending.join(", ")}. ${stop} \`signalbox migrate\`.`);
  } else io.out("The database is up to date.");
  return pending.length ? exit.pending : exit.ok;
}
