import { compile, type Sql, sql } from "./sql.ts";

/** What an engine must be able to do: run one statement, run several as one, wait for notifications. */
export interface Engine {
  readonly kind: "pglite" | "postgres";
  query(text: string, values: unknown[]): Promise<Result>;
  /** Statements that a library wrote: its types are the driver's own. Without values it may be several. */
  foreign(text: string, values?: unknown[]): Promise<Result>;
  transaction<T>(work: (inside: Session) => Promise<T>): Promise<T>;
  /** `onLost` is called when notifications stop coming; `onGap` when they come again and some may have been missed. */
  listen(
    channel: string,
    onPayload: (payload: string) => void,
    onGap: () => void,
    onLost?: () => void,
  ): Promise<Unlisten>;
  /** How busy its connections are, where there are several. */
  pool?(): { inUse: number; idle: number; waiting: number };
  close(): Promise<void>;
}

export type Session = Pick<Engine, "query" | "foreign">;
export type Unlisten = () => Promise<void>;

export interface Result {
  rows: Record<string, unknown>[];
  affected: number;
}

/**
 * The one way to the data, the same on both engines. Timestamps come out as integer milliseconds and
 * bigints as numbers, because that is what crosses the wire.
 */
export interface Db {
  readonly kind: Engine["kind"];
  /** True inside a transaction. */
  readonly inTransaction: boolean;
  rows<Row>(statement: Sql): Promise<Row[]>;
  /** The first row, or undefined. */
  row<Row>(statement: Sql): Promise<Row | undefined>;
  /** How many rows were written. */
  run(statement: Sql): Promise<number>;
  /** Joins the transaction it is in, or opens one. What throws inside rolls everything back. */
  transaction<T>(work: (tx: Db) => Promise<T>): Promise<T>;
  /**
   * Runs as the last thing in the transaction, in the order in which it was asked for. For what many want a
   * lock on: held only while committing, it is waited for least, and nobody who holds it waits for another.
   */
  beforeCommit(work: (tx: Db) => Promise<void>): Promise<void>;
  /** Runs when the transaction has committed; outside of one, now. */
  afterCommit(work: () => void): void;
  /** For libraries that bring their own SQL, and for migrations. */
  foreign: Engine["foreign"];
  listen: Engine["listen"];
}

export function createDb(engine: Engine): Db {
  const db: Db = {
    ...over(engine, false),
    beforeCommit: (work) => db.transaction(work),
    afterCommit: (work) => work(),
    transaction: async (work) => {
      const afterwards: (() => void)[] = [];
      const result = await engine.transaction(async (inside) => {
        const last: ((tx: Db) => Promise<void>)[] = [];
        const tx: Db = {
          ...over(inside, true),
          beforeCommit: async (later) => void last.push(later),
          afterCommit: (later) => void afterwards.push(later),
          transaction: (nested) => nested(tx),
        };
        const result = await work(tx);
        for (const one of last) await one(tx);
        return result;
      });
      for (const later of afterwards) later();
      return result;
    },
  };
  return db;

  type Commits = "transaction" | "beforeCommit" | "afterCommit";
  function over(session: Session, inTransaction: boolean): Omit<Db, Commits> {
    const execute = (statement: Sql): Promise<Result> => {
      const { text, values } = compile(statement);
      return session.query(text, values);
    };
    return {
      kind: engine.kind,
      inTransaction,
      rows: async <Row>(statement: Sql) => (await execute(statement)).rows as Row[],
      row: async <Row>(statement: Sql) => (await execute(statement)).rows[0] as Row | undefined,
      run: async (statement) => (await execute(statement)).affected,
      foreign: (text, values) => session.foreign(text, values),
      listen: (...args) => engine.listen(...args),
    };
  }
}

/**
 * One at a time, across all processes on the database: the others wait. `key` is any number, the same in
 * every process. The embedded database has one process, and one connection that must stay free for `work`.
 */
export async function exclusively<T>(db: Db, key: number, work: () => Promise<T>): Promise<T> {
  if (db.kind === "pglite") return work();
  return db.transaction(async (tx) => {
    await tx.run(sql`select pg_advisory_xact_lock(${key})`);
    return work();
  });
}

/** Says something on a channel that `listen` hears; inside a transaction, when it commits. */
export const notify = (db: Db, channel: string, payloads: readonly string[]) =>
  db.run(sql`select pg_notify(${channel}, payload) from unnest(${payloads}::text[]) payload`);
