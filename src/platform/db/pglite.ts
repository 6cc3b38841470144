import { writeSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { PGlite, type PGliteOptions, type Results } from "@electric-sql/pglite";
import { type Engine, randomPageCost, type Session, type StatementOptions } from "./db.ts";
import { describeStop } from "./disk.ts";
import { CallerDisconnected, translateDatabaseErrors } from "./failure.ts";
import { PgliteWithKnownArrays } from "./known-arrays.ts";
import { createLine } from "./line.ts";
import { createPreparedStatements } from "./prepared.ts";
import { createTurns } from "./turns.ts";

/**
 * The engine fills its page cache with zeros when it starts. The default of 128 MB takes 0.1 s of each start, and
 * pages outside of it come from the cache of the operating system.
 */
const startParams = [...PGlite.defaultStartParams, "-c", "shared_buffers=32MB"];

/**
 * PostgreSQL inside this process, with one connection. `statement_timeout` has no effect and a running statement blocks
 * the process, so every statement must read a bounded number of rows. Only a statement that has not started can be
 * cancelled.
 */
export async function openPglite(dataDir?: string, options: PGliteOptions = {}): Promise<Engine> {
  const pg = new PgliteWithKnownArrays({
    startParams,
    ...options,
    ...(dataDir === undefined ? {} : { dataDir }),
  });
  await pg.waitReady;
  endProcessOnAbort(pg, dataDir);
  // There are no table statistics here. Without them the planner prefers a bitmap of all matching rows to the first few
  // rows of an index.
  await pg.exec(`set enable_bitmapscan = off; set random_page_cost = ${randomPageCost}`);
  const turns = createTurns();
  const inTurn = <T>(options: StatementOptions | undefined, work: () => Promise<T>) =>
    turns.take(options?.share ?? "background", work, { alone: options?.alone });
  const inLine = createLine();
  const execute = createPreparedStatements(pg, inLine);
  const session: Session = {
    query: (text, values) => yieldAfterLongRun(() => execute(text, values)),
    queryWithDriverTypes: async (text, values) => {
      const results = await translateDatabaseErrors(
        inLine(
          async (): Promise<Results[]> => (values?.length ? [await pg.query(text, values)] : pg.exec(text)),
        ),
      );
      return {
        rows: results.flatMap(({ rows }) => rows as Record<string, unknown>[]),
        affected: results.at(-1)?.affectedRows ?? 0,
      };
    },
  };

  async function transaction<T>(work: (session: Session) => Promise<T>): Promise<T> {
    await execute("begin");
    try {
      const result = await work(session);
      // COMMIT of an aborted transaction succeeds and rolls back: that is not what the caller was promised.
      if ((await execute("commit")).tag !== "COMMIT")
        throw new Error("The transaction was rolled back by an earlier error.");
      return result;
    } catch (error) {
      if (pg.isInTransaction()) await execute("rollback");
      throw error;
    }
  }

  return {
    kind: "pglite",
    query: (text, values, options) =>
      inTurn(options, async () => {
        if (options?.signal?.aborted) throw new CallerDisconnected();
        return session.query(text, values);
      }),
    queryWithDriverTypes: (text, values, options) =>
      inTurn(options, () => {
        // A block that fails halfway would leave the only connection inside an aborted transaction, and the next
        // statement would fail. `transaction` rolls the block back first.
        const block = /^\s*BEGIN;(.*)COMMIT;?\s*$/s.exec(text);
        return block
          ? transaction((inside) => inside.queryWithDriverTypes(block[1]!))
          : session.queryWithDriverTypes(text, values);
      }),
    transaction: (work, options) => inTurn(options, () => transaction(work)),
    listen: async (channel, onPayload) => {
      const unlisten = await inTurn(undefined, () => pg.listen(channel, onPayload));
      return () => inTurn(undefined, unlisten);
    },
    close: () => inTurn(undefined, () => pg.close()),
  };
}

/**
 * The engine aborts when it cannot write its log, for example on a full disk. PGlite ignores that and calls the engine
 * again, which then never returns. So the process ends, as a PostgreSQL server does; the next start recovers all commits.
 */
function endProcessOnAbort({ Module }: PGlite, dataDir: string | undefined): void {
  const runOnce = Module._PostgresMainLoopOnce;
  const runOrEnd = () => {
    try {
      runOnce();
    } catch (error) {
      // Errors of statements leave the engine by another kind of exception.
      if (!(error instanceof Error) || error.name !== "RuntimeError") throw error;
      try {
        writeSync(process.stderr.fd, `${describeStop(dataDir ?? "memory", error)}\n`);
      } catch {
        // A log on the same full disk cannot be written either, nor one that nobody reads. The process ends all the same.
      }
      process.exit(1);
    }
  };
  Module._PostgresMainLoopOnce = runOrEnd;
}

/** A statement that takes longer has delayed sockets and timers. */
const longMs = 5;

/**
 * A statement blocks the event loop while it runs. After a long statement, sockets and timers are served before the
 * next one.
 */
async function yieldAfterLongRun<T>(run: () => Promise<T>): Promise<T> {
  const started = performance.now();
  const result = await translateDatabaseErrors(run());
  if (performance.now() - started > longMs) await nextTurn();
  return result;
}
