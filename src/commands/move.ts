import { resolve } from "node:path";
import { askServer, findServer } from "../platform/control.ts";
import {
  checkServer,
  createDb,
  type Db,
  describeUnreachableServer,
  isServerUrl,
  lockFolder,
  openEmbedded,
  openPostgres,
  pendingMigrations,
  splitServers,
} from "../platform/db/index.ts";
import { OperatorError } from "../platform/errors.ts";
import { FolderInUse } from "../platform/open.ts";
import { moveDatabase } from "../platform/snapshot/index.ts";
import { readArguments, UsageError } from "./arguments.ts";
import { exit, type Io } from "./io.ts";
import { openPrompt } from "./remote/prompt.ts";

const help = `
Usage: signalbox move --to <database> [--replace] [--json]

Moves everything from the configured database to another one: from the embedded database to PostgreSQL, or back.
The service can keep running. While rows are copied, changes are refused with 503 and Retry-After, or wait. At the
end the old database accepts no more changes, and a service does not start on it any more. Nothing that was
acknowledged is lost. If the command fails or is killed, the old database is still in force, or the same command
finishes the move. Afterwards start the service on the new database, with the same secret.

Options:
  --to <database>   a URL (postgres://…) or a folder for an embedded database. With -, the first line of stdin, so that
                    a password is not visible in the list of processes
  --replace         removes what is in the new database
  --json            the result as JSON

Examples:
  echo "$NEW_DATABASE_URL" | signalbox move --to -
  DATABASE_URL=postgres://… signalbox move --to /srv/signalbox/data
`;

export async function move(args: string[], io: Io): Promise<number> {
  const { values } = readArguments(args, {
    help,
    options: { to: { type: "string" }, replace: { type: "boolean" }, json: { type: "boolean" } },
  });
  if (!values.to) throw new UsageError("Name the new database with --to.");
  const to = readTarget(values.to === "-" ? await readLine(io) : values.to);
  const config = io.config();
  const server = config.databaseUrl || io.serving ? undefined : findServer(config.dataDir);
  if (server) {
    const flags = [...(values.replace ? ["--replace"] : []), ...(values.json ? ["--json"] : [])];
    return askServer(server, { command: "move", args: ["--to", to, ...flags] }, io);
  }
  if (!config.databaseUrl && !isServerUrl(to))
    throw new UsageError("Both databases are embedded. Stop the service and move the folder instead.");
  const { db } = await io.database({ anySchema: true });
  if ((await pendingMigrations(db)).length > 0)
    throw new OperatorError("The database is not of this version. Run `signalbox migrate` first.");
  const target = await openTarget(to);
  try {
    const { jobs } = await import("../app.ts");
    const written = await moveDatabase(db, target.db, {
      from: config.databaseUrl ? describeUrl(config.databaseUrl) : config.dataDir,
      to: target.place,
      jobs,
      mayReplace: values.replace ?? false,
      signal: io.signal,
      onStep: (text) => {
        if (!values.json) io.out(text);
      },
    });
    const rows = written?.tables.reduce((sum, table) => sum + table.rows, 0) ?? null;
    if (values.json) io.out(JSON.stringify({ place: target.place, rows }));
    else {
      io.out(`Moved${rows === null ? "" : ` ${rows} rows`} to ${target.place}.`);
      io.out(
        `Next: stop the service, ${isServerUrl(to) ? "set DATABASE_URL" : "set DATA_DIR and remove DATABASE_URL"}, keep the same secret, and start it.`,
      );
    }
    return exit.ok;
  } finally {
    await target.close();
  }
}

/** A mistyped URL must not become the name of a folder. The message does not repeat it, because it may have a password. */
function readTarget(text: string): string {
  if (isServerUrl(text) || !/^[^/]*:/.test(text)) return text;
  throw new UsageError(
    "The new database is not a URL such as postgres://user:password@host:5432/signalbox. Write a folder with a colon as ./name.",
  );
}

async function readLine({ input }: Io): Promise<string> {
  const prompt = openPrompt(input);
  try {
    return await prompt.ask("New database: ", { hidden: true });
  } finally {
    prompt.close();
  }
}

interface Target {
  db: Db;
  place: string;
  close(): Promise<void>;
}

async function openTarget(to: string): Promise<Target> {
  return isServerUrl(to) ? openServer(to) : openFolder(resolve(to));
}

async function openServer(url: string): Promise<Target> {
  const engine = await openPostgres(url, { poolSize: 2, onError: () => {} });
  const db = createDb(engine);
  try {
    await checkServer(db);
  } catch (error) {
    await engine.close();
    throw describeUnreachableServer(url, error) ?? error;
  }
  return { db, place: describeUrl(url), close: () => engine.close() };
}

async function openFolder(folder: string): Promise<Target> {
  const lock = lockFolder(folder);
  if (!lock) throw new FolderInUse(folder);
  try {
    lock.announce({ pid: process.pid });
    const engine = await openEmbedded(folder);
    const close = async () => {
      await engine.close();
      lock.release();
    };
    return { db: createDb(engine), place: folder, close };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Without the password, because it is stored and printed. */
function describeUrl(text: string): string {
  const places = splitServers(text).map((server) => {
    const url = new URL(server);
    url.password = "";
    url.search = "";
    return url.href;
  });
  return places.join(" or ");
}
