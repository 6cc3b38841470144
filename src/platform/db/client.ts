import pg from "pg";
import { type BoundValue, ByteParts, serializeBind } from "./bind.ts";

/** The argument of the driver's own `bind`. */
interface BindConfig {
  portal?: string;
  statement?: string;
  binary?: boolean;
  values?: readonly unknown[];
  valueMapper(value: unknown): string | Buffer | null;
}

type Bind = (this: pg.Connection, config: BindConfig) => void;

/** A statement for this class of connections. */
export interface Statement extends pg.QueryConfig {
  /** After so many milliseconds without an answer, the statement fails, and the connection cannot be used again. */
  waitMs?: number | undefined;
}

type Done = (error: Error | null, result?: pg.QueryResult) => void;

type Values = unknown[] | undefined;
type DriverQuery = (this: pg.Client, query: string | Statement, values: Values, done: Done) => void;
/** As the driver's own: without `done` it returns a promise, and `values` can be omitted. */
type Query = (
  this: pg.Client,
  query: string | Statement,
  values?: Values | Done,
  done?: Done,
) => Promise<pg.QueryResult> | undefined;

/** A connection of the driver that sends bytes from where they are, and leaves less garbage. */
export class Client extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    // The driver has these fields, but its types do not list them in this form.
    const { connection } = this as unknown as { connection: { bind: Bind } };
    connection.bind = createBind(connection.bind);
    const driver = this as unknown as { query: DriverQuery | Query };
    driver.query = createQuery(driver.query as DriverQuery);
  }
}

/**
 * For a promise or a time limit, the driver assigns a function to a property (`query.callback = (…) => …`). V8 allocates
 * such a function among the old objects, so it stays until the next full collection, and with it the statement, all of its
 * values and its result. A function that is passed as an argument is collected soon. Therefore the driver gets one for
 * each statement, and the time limit is kept here.
 */
const createQuery = (driverQuery: DriverQuery): Query =>
  function query(statement, first, second) {
    const done = typeof first === "function" ? first : second;
    const values = typeof first === "function" ? undefined : first;
    if (done) {
      runQuery(this, driverQuery, statement, values, done);
      return undefined;
    }
    return new Promise<pg.QueryResult>((resolve, reject) =>
      runQuery(this, driverQuery, statement, values, (error, result) =>
        error ? reject(error) : resolve(result!),
      ),
    ).catch((error: Error) => {
      // The stack names the caller instead of the socket. The driver does the same.
      Error.captureStackTrace(error);
      throw error;
    });
  };

function runQuery(
  client: pg.Client,
  driverQuery: DriverQuery,
  query: string | Statement,
  values: Values,
  done: Done,
): void {
  if (typeof query === "string" || query.waitMs === undefined) {
    driverQuery.call(client, query, values, done);
    return;
  }
  let isDone = false;
  const finish: Done = (error, result) => {
    if (isDone) return;
    isDone = true;
    clearTimeout(timer);
    done(error, result);
  };
  const timer = setTimeout(() => finish(new Error("Query read timeout")), query.waitMs);
  driverQuery.call(client, query, values, finish);
}

const createBind = (driverBind: Bind): Bind =>
  function bind(config) {
    // Only statements that read a result in parts have a portal with a name.
    if (config.portal || config.binary) return driverBind.call(this, config);
    const values = (config.values ?? []).map(
      (value): BoundValue => (value instanceof ByteParts ? value : config.valueMapper(value)),
    );
    if (!this.stream.writable) return;
    // The driver has corked the stream, so all pieces are sent together.
    for (const piece of serializeBind(config.statement ?? "", values)) this.stream.write(piece);
  };
