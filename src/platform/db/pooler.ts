import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { OperatorError } from "../errors.ts";
import { translateDatabaseErrors } from "./failure.ts";

/** What stands between this process and the database. */
export interface Pooler {
  /** Statements of one connection can run on several connections to the server. */
  sharesConnections: boolean;
  /** The pooler knows prepared statements and repeats them where they are missing. */
  keepsPrepared: boolean;
  /** The time limit of statements that the server applies by itself, in milliseconds. 0 means none. */
  statementMs: number;
}

const connectMs = 5_000;
const rounds = 10;
/** A pooler for sessions that has no connection left does not answer. */
const answerMs = 2_000;

/** Returns undefined when the URL leads to PostgreSQL itself. */
export function findPooler(url: string): Promise<Pooler | undefined> {
  const look = withClient(url, async (client) => {
    // A pooler gives its clients numbers of its own. They are used to cancel statements.
    const { processID } = client as unknown as { processID: number };
    if (processID === (await readPid(client))) return undefined;
    return {
      sharesConnections: await sharesConnections(url, client),
      keepsPrepared: await keepsPrepared(client),
      statementMs: await readStatementLimit(client),
    };
  });
  return translateDatabaseErrors(look);
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectMs });
  client.on("error", () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    void client.end().catch(() => {});
  }
}

const readPid = async (client: pg.Client): Promise<number> =>
  (await client.query<{ pid: number }>("select pg_backend_pid() as pid")).rows[0]!.pid;

/** Two clients that use the server in turns get the same connection, or one client gets several. */
const sharesConnections = (url: string, one: pg.Client): Promise<boolean> =>
  withClient(url, async (other) => {
    const first = await readPid(one);
    for (let round = 0; round < rounds; round++) {
      const pid = await Promise.race([readPid(other), sleep(answerMs, undefined, { ref: false })]);
      if (pid === undefined) return false;
      if (pid === first || first !== (await readPid(one))) return true;
    }
    return false;
  });

/** Prepares a statement and looks for its name on the server. A pooler that keeps statements gives them its own names. */
async function keepsPrepared(client: pg.Client): Promise<boolean> {
  const name = `signalbox_${randomBytes(6).toString("hex")}`;
  await client.query("begin");
  try {
    await client.query({ name, text: "select 1", values: [] });
    const { rows } = await client.query("select from pg_prepared_statements where name = $1", [name]);
    if (rows.length > 0) await client.query(`deallocate ${name}`);
    return rows.length === 0;
  } finally {
    await client.query("rollback");
  }
}

const readStatementLimit = async (client: pg.Client): Promise<number> =>
  (
    await client.query<{ ms: number }>(
      "select setting::int as ms from pg_settings where name = 'statement_timeout'",
    )
  ).rows[0]!.ms;

export const createMissingDirectUrlError = () =>
  new OperatorError(
    "DATABASE_URL leads to a connection pooler that shares connections between transactions, such as PgBouncer in transaction mode. " +
      "Notifications and migrations do not work through it: set DATABASE_DIRECT_URL to the address of PostgreSQL itself.",
  );

export const createPooledDirectUrlError = () =>
  new OperatorError(
    "DATABASE_DIRECT_URL leads to a connection pooler too. Set it to the address of PostgreSQL itself.",
  );
