import type { Signer } from "../keyring.ts";
import { compile, type Sql, sql } from "./sql.ts";

/**
 * How long a statement may run. `read`: a request that only reads. `change`: a request that writes; its
 * transactions may take longer. `background`: jobs and commands. `unlimited`: migrations.
 */
export type WorkClass = "read" | "change" | "background" | "unlimited";

export interface StatementOptions {
  work: WorkClass;
  /** Cancels statements outside of transactions when the caller has disconnected. */
  signal?: AbortSignal;
  /**
   * The organization or network that the work belongs to. The embedded engine gives its one connection to each share in
   * turn.
   */
  share?: string;
  /** Others are refused while a transaction runs. Only the embedded engine, which has one connection, needs this. */
  alone?: boolean;
}

/** What an engine must be able to do: run one statement, run several as one, wait for notifications. */
export interface Engine {
  readonly kind: "pglite" | "postgres";
  query(text: string, values: unknown[], options?: StatementOptions): Promise<Result>;
  /** Runs SQL of a library, with the types of the driver. Without values it may be several statements. */
  queryWithDriverTypes(text: string, values?: unknown[], options?: StatementOptions): Promise<Result>;
  transaction<T>(work: (inside: Session) => Promise<T>, options?: StatementOptions): Promise<T>;
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

/**
 * `random_page_cost` of both engines. With PostgreSQL's default of 4, meant for spinning disks, a plan read all members
 * of all organizations instead of a thousand through an index.
 */
export const randomPageCost = 1.1;

/** Runs statements. In a transaction they keep the options that it began with. */
export interface Session {
  query(text: string, values: unknown[]): Promise<Result>;
  queryWithDriverTypes(text: string, values?: unknown[]): Promise<Result>;
}
export type Unlisten = () => Promise<void>;

export interface Result {
  rows: Record<string, unknown>[];
  affected: number;
}

/**
 * The only access to the data, the same on both engines. Timestamps are integer milliseconds and bigints are numbers, as
 * in replies.
 */
export interface Db {
  readonly kind: Engine["kind"];
  /** True inside a transaction. */
  readonly inTransaction: boolean;
  /** Signs rows, so that write access to the database is not enough to forge them. */
  readonly signer: Signer;
  rows<Row>(statement: Sql): Promise<Row[]>;
  /** The first row, or undefined. */
  row<Row>(statement: Sql): Promise<Row | undefined>;
  /** How many rows were written. */
  run(statement: Sql): Promise<number>;
  /** Joins the current transaction, or opens one. An error inside rolls everything back. */
  transaction<T>(work: (tx: Db) => Promise<T>): Promise<T>;
  /**
   * Runs `work` at the end of the transaction, in the order of the calls. Use it for rows that many transactions lock:
   * the lock is then held only while the transaction commits.
   */
  beforeCommit(work: (tx: Db) => Promise<void>): Promise<void>;
  /** Runs when the transaction has committed; outside of one, now. */
  afterCommit(work: () => void): void;
  /** Returns a `Db` with other options. A transaction keeps the options it began with. */
  withOptions(options: StatementOptions): Db;
  /** For libraries that bring their own SQL, and for migrations. */
  queryWithDriverTypes: Session["queryWithDriverTypes"];
  listen: Engine["listen"];
}

const noSigner: Signer = {
  sign: () => raiseNoKeyring(),
  checkSignature: () => raiseNoKeyring(),
};

function raiseNoKeyring(): never {
  throw new Error("This database was opened without a key ring, so rows cannot be signed.");
}

/**
 * Rejects statements after the end of the transaction. They would run outside of any transaction, or in another one.
 */
function createTransactionSession(session: Session): { inside: Session; end: () => void } {
  let isOver = false;
  const refuse = () => Promise.reject(new Error("The transaction has ended."));
  return {
    inside: {
      query: (text, values) => (isOver ? refuse() : session.query(text, values)),
      queryWithDriverTypes: (text, values) =>
        isOver ? refuse() : session.queryWithDriverTypes(text, values),
    },
    end: () => {
      isOver = true;
    },
  };
}

export function createDb(
  engine: Engine,
  signer: Signer = noSigner,
  options: StatementOptions = { work: "background" },
): Db {
  const single: Session = {
    query: (text, values) => engine.query(text, values, options),
    queryWithDriverTypes: (text, values) => engine.queryWithDriverTypes(text, values, options),
  };
  const db: Db = {
    ...createStatements(single, false),
    withOptions: (others) => createDb(engine, signer, others),
    beforeCommit: (work) => db.transaction(work),
    afterCommit: (work) => work(),
    transaction: async (work) => {
      const afterwards: (() => void)[] = [];
      const result = await engine.transaction(async (session) => {
        const { inside, end } = createTransactionSession(session);
        const last: ((tx: Db) => Promise<void>)[] = [];
        const tx: Db = {
          ...createStatements(inside, true),
          beforeCommit: async (later) => void last.push(later),
          afterCommit: (later) => void afterwards.push(later),
          transaction: (nested) => nested(tx),
          withOptions: () => tx,
        };
        try {
          const result = await work(tx);
          for (const one of last) await one(tx);
          return result;
        } finally {
          end();
        }
      }, options);
      for (const later of afterwards) later();
      return result;
    },
  };
  return db;

  type Commits = "transaction" | "beforeCommit" | "afterCommit" | "withOptions";
  function createStatements(session: Session, inTransaction: boolean): Omit<Db, Commits> {
    const execute = (statement: Sql): Promise<Result> => {
      const { text, values } = compile(statement);
      return session.query(text, values);
    };
    return {
      kind: engine.kind,
      inTransaction,
      signer,
      rows: async <Row>(statement: Sql) => (await execute(statement)).rows as Row[],
      row: async <Row>(statement: Sql) => (await execute(statement)).rows[0] as Row | undefined,
      run: async (statement) => (await execute(statement)).affected,
      queryWithDriverTypes: (text, values) => session.queryWithDriverTypes(text, values),
      listen: (...args) => engine.listen(...args),
    };
  }
}

/**
 * Runs `work` in one process at a time; other processes wait. `key` is any number, the same in every process. The
 * embedded database has only one process, and its one connection must stay free for `work`.
 */
export async function runExclusively<T>(db: Db, key: number, work: () => Promise<T>): Promise<T> {
  if (db.kind === "pglite") return work();
  return db.transaction(async (tx) => {
    await tx.run(sql`select pg_advisory_xact_lock(${key})`);
    return work();
  });
}

/** Sends notifications to the listeners of a channel; inside a transaction, when it commits. */
export const notify = (db: Db, channel: string, payloads: readonly string[]) =>
  db.run(sql`select pg_notify(${channel}, payload) from unnest(${payloads}::text[]) payload`);
