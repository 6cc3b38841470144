import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Statement } from "./client.ts";
import { CallerDisconnected, isDatabaseDown, translateDatabaseErrors } from "./failure.ts";

/** Time limit of a cancel request. After it, the connection is closed instead. */
const cancelMs = 2_000;

/**
 * Runs one statement on its own connection, and cancels it when `signal` aborts. A cancel request names a connection,
 * not a statement, so the connection stays out of the pool until the request has taken effect.
 */
export async function runCancellable<T>(
  pool: pg.Pool,
  signal: AbortSignal,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  if (signal.aborted) throw new CallerDisconnected();
  const client = await translateDatabaseErrors(pool.connect());
  let broken: Error | undefined;
  let cancelling: Promise<void> | undefined;
  const onLost = (error: Error) => {
    broken = error;
  };
  const onAbort = () => {
    cancelling = cancelStatement(client);
    // Awaited below, after the statement has ended.
    cancelling.catch(() => {});
  };
  client.on("error", onLost);
  try {
    // The caller may have disconnected while this waited for a connection.
    if (signal.aborted) throw new CallerDisconnected();
    signal.addEventListener("abort", onAbort);
    return await work(client);
  } catch (error) {
    if (isDatabaseDown(error)) broken = error as Error;
    throw signal.aborted ? new CallerDisconnected(undefined, { cause: error }) : error;
  } finally {
    signal.removeEventListener("abort", onAbort);
    if (cancelling) {
      try {
        await cancelling;
        await settle(client);
      } catch (error) {
        broken = error as Error;
      }
    }
    client.off("error", onLost);
    client.release(broken);
  }
}

/** Runs an empty statement. A cancel request that arrives late ends this statement and no other. */
async function settle(client: pg.PoolClient): Promise<void> {
  try {
    const empty: Statement = { text: "select 1", waitMs: cancelMs };
    await client.query(empty);
  } catch (error) {
    if ((error as { code?: string }).code !== "57014") throw error;
  }
}

/** Fields of a driver connection that its types do not list. */
interface Connected {
  host: string;
  port: number;
  ssl: boolean | object;
  processID: number;
  secretKey: number;
}
interface Wire {
  on(event: "connect" | "sslconnect" | "end", listener: () => void): void;
  on(event: "error", listener: (error: Error) => void): void;
  connect(port: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processID: number, secretKey: number): void;
  stream: { destroy(): void };
}

/**
 * Resolves when the server has closed the connection that carried the cancel request, because the signal is sent by
 * then.
 */
function cancelStatement(client: pg.PoolClient): Promise<void> {
  const { host, port, ssl, processID, secretKey } = client as unknown as Connected;
  const wire = new pg.Connection({ ssl } as pg.ConnectionConfig) as unknown as Wire;
  const delivered = new Promise<void>((resolve, reject) => {
    wire.on("connect", () => (ssl ? wire.requestSsl() : wire.cancel(processID, secretKey)));
    wire.on("sslconnect", () => wire.cancel(processID, secretKey));
    wire.on("end", resolve);
    wire.on("error", reject);
  });
  if (host.startsWith("/")) wire.connect(`${host}/.s.PGSQL.${port}`);
  else wire.connect(port, host);
  const late = sleep(cancelMs, undefined, { ref: false }).then(() => {
    throw new Error("The cancel request was not delivered in time.");
  });
  late.catch(() => {});
  return Promise.race([delivered, late]).finally(() => wire.stream.destroy());
}
