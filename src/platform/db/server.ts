import pg from "pg";
import { OperatorError } from "../errors.ts";
import type { Db } from "./db.ts";
import { isDatabaseDown } from "./failure.ts";
import { splitServers } from "./servers.ts";
import { sql } from "./sql.ts";

export const minServerVersion = 15;

interface ServerDescription {
  version: string;
  major: number;
  /** That of the database, such as `UTF8`. */
  encoding: string;
  /** Whether a migration has run in it. */
  isInUse: boolean;
  now: number;
}

/** Which PostgreSQL this is, and what time it is there. */
export async function describeServer(db: Db): Promise<ServerDescription> {
  const row = await db.row<{
    version: string;
    number: number;
    encoding: string;
    isInUse: boolean;
    now: number;
  }>(sql`
    select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
      current_setting('server_encoding') as encoding,
      to_regclass('schema_migrations') is not null as "isInUse", clock_timestamp() as now`);
  const { number, ...rest } = row!;
  return { ...rest, major: Math.floor(number / 10_000) };
}

/** Texts of every language are stored, and their characters are counted. */
export const requiredEncoding = "UTF8";
export const encodingAdvice = `Create a database with this encoding (create database … encoding '${requiredEncoding}' template template0), move the data with pg_dump and psql, and name it in DATABASE_URL.`;

/**
 * Refuses a server on which Signalbox does not work. A database that is in use is not refused for its encoding, so that
 * an upgrade does not end the service; `doctor` reports it.
 */
export async function checkServer(db: Db): Promise<void> {
  const { major, version, encoding, isInUse } = await describeServer(db);
  if (major < minServerVersion) throw describeOldServer(version);
  if (encoding !== requiredEncoding && !isInUse)
    throw new OperatorError(
      `The database has the encoding ${encoding}; Signalbox needs ${requiredEncoding}. ${encodingAdvice}`,
    );
}

/** A failure to reach the database, told to the operator; undefined when it is something else. */
export function describeUnreachableServer(
  databaseUrl: string,
  error: unknown,
  variable = "DATABASE_URL",
): OperatorError | undefined {
  const urls = splitServers(databaseUrl).map((url) => new URL(url));
  const { pathname } = urls[0]!;
  const where = urls
    .map(({ hostname, port }) => `${hostname || "the local socket"}${port ? `:${port}` : ""}`)
    .join(" or ");
  const { code, message } = ((isDatabaseDown(error) ? (error as Error).cause : error) ?? {}) as {
    code?: string;
    message?: string;
  };
  const say = (text: string) => new OperatorError(text, { cause: error });
  if (code?.startsWith("28"))
    return say(
      `The database at ${where} refuses the sign-in of ${variable}. Check its user and password there.`,
    );
  if (code === "3D000")
    return say(
      `There is no database ${pathname.slice(1)} at ${where}. Create it, or name another one in ${variable}.`,
    );
  if (code?.startsWith("53"))
    return say(
      `The database at ${where} is out of resources: ${message}. Raise its limits, or end other programs.`,
    );
  if (code === "42501") return describeMissingRights(error);
  if (isDatabaseDown(error))
    return say(
      `The database at ${where} cannot be reached (${code ?? message}). Start it, or correct ${variable}.`,
    );
  return undefined;
}

/** The role lacks a right, told to the operator; undefined when it is something else. */
export const describeMissingRights = (error: unknown): OperatorError | undefined =>
  (error as { code?: string } | undefined)?.code === "42501"
    ? new OperatorError(
        `The role of the database lacks a right: ${(error as Error).message}. Let it own the database: alter database … owner to ….`,
        { cause: error },
      )
    : undefined;

const describeOldServer = (version: string) =>
  new OperatorError(
    `The database is PostgreSQL ${version}; Signalbox needs ${minServerVersion} or newer. Upgrade it, or name another one in DATABASE_URL.`,
  );

/** How many connections the server allows to all clients together, or undefined when it cannot be asked now. */
export async function readMaxConnections(databaseUrl: string): Promise<number | undefined> {
  const client = new pg.Client({
    connectionString: splitServers(databaseUrl)[0]!,
    connectionTimeoutMillis: 2_000,
  });
  client.on("error", () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ most: string }>(
      "select current_setting('max_connections') as most",
    );
    return Number(rows[0]!.most);
  } catch {
    return undefined;
  } finally {
    void client.end().catch(() => {});
  }
}
