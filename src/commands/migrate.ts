import { migrate as apply, pendingMigrations } from "../platform/db/index.ts";
import { readArguments } from "./arguments.ts";
import { exit, type Io } from "./io.ts";

const help = `
Usage: signalbox migrate [--check] [--json]

Brings the database to this version. \`serve\` does so by itself at its start; run this before it where a
deployment wants the change of schema as a step of its own. Migrations only go forward.

Options:
  --check   changes nothing: says what is pending, and ends with 3 if there is something
  --json    {"applied": […], "pending": […]}

Examples:
  signalbox migrate
  signalbox migrate --check || echo "not yet"
`;

export async function migrate(args: string[], io: Io): Promise<number> {
  const { values } = readArguments(args, {
    help,
    options: { check: { type: "boolean" }, json: { type: "boolean" } },
  });
  const { db } = await io.database({ create: !values.check, anySchema: true });
  const applied = values.check ? [] : await apply(db);
  const pending = (await pendingMigrations(db)).map(({ name }) => name);
  if (values.json) io.out(JSON.stringify({ applied, pending }));
  else if (applied.length) io.out(`Applied: ${applied.join(", ")}.`);
  else if (pending.length) io.out(`Pending: ${pending.join(", ")}. Run \`signalbox migrate\`.`);
  else io.out("The database is up to date.");
  return pending.length ? exit.pending : exit.ok;
}
