import pg from "pg";
import { OperatorError } from "../errors.ts";
import type { Db } from "./db.ts";
import { isDatabaseDown } from "./failure.ts";
import { splitServers } from "./servers.ts";
import { sql } from "./sql.ts";

export const minServerVersion = 15;

/** Which PostgreSQL this is, and what time it is there. */
export async function describeServer(db: Db): Promise<{ version: string; major: number; now: number }> {
  const row = await db.row<{ version: string; number: number; now: number }>(sql`
    select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
      clock_timestamp() as now`);
  return { version: row!.version, major: Math.floor(row!.number / 10_000), now: row!.now };
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
  if (isDatabaseDown(error))
    return say(
      `The database at ${where} cannot be reached (${code ?? message}). Start it, or correct ${variable}.`,
    );
  return undefined;
}

export const describeOldServer = (version: string) =>
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
