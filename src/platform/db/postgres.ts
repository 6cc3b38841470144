import type { Socket } from "node:net";
import pg from "pg";
import { runCancellable } from "./cancel.ts";
import { Client, type Statement } from "./client.ts";
import {
  type Engine,
  type Result,
  randomPageCost,
  type Session,
  type StatementOptions,
  type Unlisten,
  type WorkClass,
} from "./db.ts";
import { isDatabaseDown, isUnanswered, translateDatabaseErrors } from "./failure.ts";
import type { Pooler } from "./pooler.ts";
import { createServers, defineClient, splitServers } from "./servers.ts";
import { listenerName } from "./serving.ts";

// Times and counters are integers in replies, so the driver returns integers.
const parsers = new Map<number, (text: string) => unknown>([
  [pg.types.builtins.INT8, Number],
  [pg.types.builtins.TIMESTAMPTZ, (text) => Date.parse(text)],
]);
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: string) =>
    parsers.get(oid) ??
    pg.types.getTypeParser(oid, format as "text")) as pg.CustomTypesConfig["getTypeParser"],
};

/** Texts are part of the program, so there are few. The limit protects the server from texts built from values. */
const maxPrepared = 500;

type StatementNames = (text: string) => string | undefined;

/** Gives each text the name of its prepared statement. */
function createStatementNames(): StatementNames {
  const names = new Map<string, string>();
  return (text) => {
    let name = names.get(text);
    if (name === undefined && names.size < maxPrepared) {
      name = `s${names.size}`;
      names.set(text, name);
    }
    return name;
  };
}

/** Time limit that the server applies to a statement, in milliseconds. 0 means no limit. */
export type StatementLimits = Record<WorkClass, number>;

const defaultLimits: StatementLimits = { read: 5_000, change: 20_000, background: 120_000, unlimited: 0 };

export interface PostgresOptions {
  /** Connections for requests. Background work has a second pool of half this size. */
  poolSize?: number;
  limits?: Partial<StatementLimits>;
  /**
   * After this time without an answer the connection counts as lost; background work waits longer. A network that drops
   * all packets reports no error.
   */
  statementMs?: number;
  /** Leads to PostgreSQL itself, for notifications and migrations. The default is the same URL. */
  directUrl?: string | undefined;
  /** What the URL leads to instead of PostgreSQL itself. */
  pooler?: Pooler | undefined;
  onError: (error: Error) => void;
}

/**
 * Idle connections are probed after this time. Without it, the operating system waits for two hours: notifications would
 * not come until then when a network device has forgotten the connection, or the server is gone without a word.
 */
const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

/** How to reach PostgreSQL: the URL, and the class of connections when there are several servers. */
interface Target {
  connectionString: string;
  Client: typeof pg.Client;
  /** The settings that are in the URL. */
  options: string;
}

function describeTarget(url: string): Target {
  const urls = splitServers(url);
  const first = new URL(urls[0]!);
  const options = first.searchParams.get("options") ?? "";
  // In the URL they would replace those that are added to them.
  if (options !== "") first.searchParams.delete("options");
  return {
    connectionString: options === "" ? urls[0]! : first.href,
    options,
    Client: urls.length === 1 ? Client : defineClient(createServers(urls)),
  };
}

/**
 * Each connection gets its statement limit when it opens, so requests and background work have separate pools. A
 * transaction with another limit sets it in the same message as BEGIN. A pooler accepts no settings of a connection, so
 * there each transaction sets them, and a statement that needs a limit is a transaction.
 */
export async function openPostgres(
  url: string,
  { poolSize = 10, limits: given = {}, statementMs = 30_000, directUrl, pooler, onError }: PostgresOptions,
): Promise<Engine> {
  const limits = { ...defaultLimits, ...given };
  const names: StatementNames = pooler && !pooler.keepsPrepared ? () => undefined : createStatementNames();
  const target = describeTarget(url);
  const direct = directUrl === undefined ? target : describeTarget(directUrl);
  const openPool = (to: Target, max: number, work: WorkClass) =>
    new pg.Pool({
      ...to,
      max,
      application_name: "signalbox",
      connectionTimeoutMillis: 5_000,
      // A new connection has no prepared statements, so idle connections are kept for the next burst.
      idleTimeoutMillis: 300_000,
      ...(pooler && to === target ? {} : describeSession(limits[work], to.options)),
      ...keepAlive,
    }).on("error", onError);
  const requests = openPool(target, poolSize, "read");
  const background = openPool(target, Math.max(2, Math.ceil(poolSize / 2)), "background");
  const migrations = direct === target ? background : openPool(direct, 1, "unlimited");
  const pools = [...new Set([requests, background, migrations])];
  const listeners = new Set<() => void>();
  /** Translates the errors of work on a connection. When there was no answer, the other connections are not used again. */
  const translate: Translate = async (work) => {
    try {
      return await translateDatabaseErrors(work);
    } catch (error) {
      if (isUnanswered(error)) {
        pools.forEach(removeIdle);
        for (const reconnect of listeners) reconnect();
      }
      throw error;
    }
  };
  const isRequest = ({ work }: StatementOptions) => work === "read" || work === "change";
  const choosePool = (options: StatementOptions) => {
    if (options.work === "unlimited") return migrations;
    return isRequest(options) ? requests : background;
  };
  // Longer than the limit of the server, so that the server ends a statement first.
  const waitMs = (work: WorkClass) =>
    limits[work] === 0 ? undefined : Math.max(statementMs, work === "background" ? limits[work] + 5_000 : 0);
  const beginText = (options: StatementOptions) => {
    const ofPool = limits[isRequest(options) ? "read" : "background"];
    const limit = limits[options.work];
    if (pooler && options.work !== "unlimited")
      return `begin; ${pooledSettings}; set local statement_timeout = ${limit}`;
    return limit === ofPool ? "begin" : `begin; set local statement_timeout = ${limit}`;
  };
  /** Returns true when a statement of this kind needs a transaction to have its limit. */
  const needsTransaction = ({ work }: StatementOptions) => {
    if (!pooler || work === "unlimited") return false;
    const { statementMs: ofServer } = pooler;
    return isRequest({ work }) ? ofServer === 0 || ofServer > limits.read : ofServer !== limits[work];
  };
  /** Outside of a transaction, the limit is that of the connection. A connection without one is not used again. */
  const runUnlimited = async (run: (session: Session) => Promise<Result>): Promise<Result> => {
    const client = await translate(migrations.connect());
    client.on("error", onError);
    try {
      await translate(client.query("set statement_timeout = 0"));
      return await run(openSession(client, names, undefined, translate));
    } finally {
      client.off("error", onError);
      client.release(true);
    }
  };
  const engine: Engine = {
    kind: "postgres",
    query: (text, values, options = defaultOptions) => {
      if (options.work === "unlimited") return runUnlimited((session) => session.query(text, values));
      if (needsTransaction(options))
        return engine.transaction((session) => session.query(text, values), options);
      // A cancel request through a pooler could reach a statement of somebody else.
      const { signal = undefined, work } = pooler ? { work: options.work } : options;
      if (!signal)
        return openSession(choosePool(options), names, waitMs(work), translate).query(text, values);
      return runCancellable(choosePool(options), signal, (client) =>
        openSession(client, names, waitMs(work), translate).query(text, values),
      );
    },
    queryWithDriverTypes: (text, values, options = defaultOptions) => {
      if (options.work === "unlimited")
        return runUnlimited((session) => session.queryWithDriverTypes(text, values));
      // Without values it may be several statements, with a transaction of their own.
      return values && needsTransaction(options)
        ? engine.transaction((session) => session.queryWithDriverTypes(text, values), options)
        : openSession(choosePool(options), names, waitMs(options.work), translate).queryWithDriverTypes(
            text,
            values,
          );
    },
    transaction: async (work, options = defaultOptions) => {
      const client = await translate(choosePool(options).connect());
      let broken: Error | undefined;
      // The pool only listens to connections at rest; one that is lost here would end the process.
      const onLost = (error: Error) => {
        broken = error;
      };
      client.on("error", onLost);
      try {
        await translate(client.query(createStatement(beginText(options), statementMs)));
        const result = await work(openSession(client, names, waitMs(options.work), translate));
        const { command } = await translate(client.query(createStatement("commit", waitMs(options.work))));
        // COMMIT of an aborted transaction succeeds and rolls back: that is not what the caller was promised.
        if (command !== "COMMIT") throw new Error("The transaction was rolled back by an earlier error.");
        return result;
      } catch (error) {
        // A connection that is lost, or does not answer, cannot be asked to roll back; the server does it.
        if (isDatabaseDown(error)) broken = error as Error;
        else await client.query(createStatement("rollback", statementMs)).catch(onLost);
        throw error;
      } finally {
        client.off("error", onLost);
        client.release(broken);
      }
    },
    listen: (channel, onPayload, onGap, onLost) =>
      listen(direct, channel, { onPayload, onGap, onLost, onError }, listeners),
    pool: () => ({
      inUse: sum(pools, (pool) => pool.totalCount - pool.idleCount),
      idle: sum(pools, (pool) => pool.idleCount),
      waiting: sum(pools, (pool) => pool.waitingCount),
    }),
    close: async () => void (await Promise.all(pools.map((pool) => pool.end()))),
  };
  return engine;
}

/** Settings that a connection to PostgreSQL has from its beginning. */
const describeSession = (statementMs: number, options: string) => ({
  statement_timeout: statementMs,
  // Times are read as ISO texts, whatever the database, the role or the URL is set to. Compiling a statement (`jit`) takes a
  // second and saves milliseconds, because every statement reads a bounded number of rows.
  options: `${options} -c random_page_cost=${randomPageCost} -c DateStyle=ISO -c jit=off`.trim(),
  idle_in_transaction_session_timeout: 60_000,
});

/** The same for a transaction, where connections are shared. */
const pooledSettings = `set local random_page_cost = ${randomPageCost}; set local DateStyle = 'ISO'; set local jit = off; set local idle_in_transaction_session_timeout = 60000`;

const defaultOptions: StatementOptions = { work: "background" };
const sum = (pools: pg.Pool[], count: (pool: pg.Pool) => number) =>
  pools.reduce((total, pool) => total + count(pool), 0);

const createStatement = (text: string, waitMs: number | undefined): Statement => ({ text, waitMs });

type Translate = typeof translateDatabaseErrors;

/** Closes the idle connections of a pool. `connect` gives them first. */
function removeIdle(pool: pg.Pool): void {
  for (let left = pool.idleCount; left > 0; left--)
    pool.connect().then(
      (client) => client.release(true),
      () => {},
    );
}

function openSession(
  on: pg.Pool | pg.PoolClient,
  names: StatementNames,
  waitMs: number | undefined,
  translate: Translate,
): Session {
  return {
    query: async (text, values) => {
      const name = names(text);
      const statement: Statement = name
        ? { text, values, types, waitMs, name }
        : { text, values, types, waitMs };
      const { rows, rowCount } = await translate(on.query<Record<string, unknown>>(statement));
      return { rows, affected: rowCount ?? 0 };
    },
    queryWithDriverTypes: async (text, values) => {
      // Without values it may be several statements, with several results, and take its time: migrations.
      const statement: Statement = values ? { text, values, waitMs } : { text };
      const results = [await translate(on.query(statement))].flat();
      return { rows: results.flatMap(({ rows }) => rows), affected: results.at(-1)?.rowCount ?? 0 };
    },
  };
}

interface Listener {
  onPayload(payload: string): void;
  onGap(): void;
  onLost: (() => void) | undefined;
  onError(error: Error): void;
}

/** Holds one connection for notifications and comes back by itself when it is lost. */
async function listen(
  { connectionString, Client, options }: Target,
  channel: string,
  on: Listener,
  /** How to leave a connection that may never report its end. */
  listeners: Set<() => void>,
): Promise<Unlisten> {
  let client: pg.Client | undefined;
  let closed = false;
  let retry: NodeJS.Timeout | undefined;

  const again = () => {
    if (closed || retry) return;
    on.onLost?.();
    retry = setTimeout(() => {
      retry = undefined;
      connect().then(on.onGap, (error: Error) => {
        on.onError(error);
        again();
      });
    }, 250);
  };
  const connect = async () => {
    const fresh = new Client({
      ...{ connectionString, options },
      connectionTimeoutMillis: 5_000,
      ...keepAlive,
    });
    fresh.on("notification", ({ payload }) => on.onPayload(payload ?? ""));
    fresh.on("error", on.onError);
    try {
      await fresh.connect();
      // Other processes find this one by the name. A name in the URL would take precedence over one of the connection.
      await fresh.query(`set application_name = '${listenerName}'; listen ${pg.escapeIdentifier(channel)}`);
      if (closed) throw new Error("Closed while connecting.");
    } catch (error) {
      void fresh.end().catch(() => {});
      throw error;
    }
    // Only after the first success. When the first connection fails, the caller tries again.
    fresh.on("end", again);
    client = fresh;
  };
  await connect();
  const reconnect = () => {
    // The driver has this field, but its types do not list it.
    const { connection } = client as unknown as { connection: { stream: Socket } };
    connection.stream.destroy();
  };
  listeners.add(reconnect);
  return async () => {
    closed = true;
    listeners.delete(reconnect);
    clearTimeout(retry);
    await client?.end();
  };
}
