import { PGlite, type PGliteOptions, type Transaction, types } from "@electric-sql/pglite";
import type { Engine, Session } from "./db.ts";

// The wire speaks integers for times and counters, so the driver hands over integers.
const parsers = {
  [types.INT8]: Number,
  [types.TIMESTAMPTZ]: (text: string) => Date.parse(text),
  [types.BYTEA]: (text: string) => Buffer.from(text.slice(2), "hex"),
};

// The library's own goes byte by byte: 12 s for what a code host may send.
const serializers = {
  [types.BYTEA]: (bytes: Uint8Array) =>
    `\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex")}`,
};

/** PostgreSQL inside this process. One connection: statements queue, transactions exclude each other. */
export async function openPglite(dataDir?: string, options: PGliteOptions = {}): Promise<Engine> {
  const pg = await PGlite.create({ ...options, ...(dataDir === undefined ? {} : { dataDir }) });
  return {
    kind: "pglite",
    ...sessionOver(pg),
    foreign: (text, values) => {
      // A block that fails halfway would leave the only connection inside an aborted transaction, and the
      // next statement, whoever's it is, would fail. As a transaction of the driver it is rolled back first.
      const block = /^\s*BEGIN;(.*)COMMIT;?\s*$/s.exec(text);
      if (block) return pg.transaction((tx) => sessionOver(tx).foreign(block[1]!));
      return sessionOver(pg).foreign(text, values);
    },
    transaction: (work) => pg.transaction((tx) => work(sessionOver(tx))),
    listen: async (channel, onPayload) => {
      const unlisten = await pg.listen(channel, onPayload);
      return () => unlisten();
    },
    close: () => pg.close(),
  };
}

function sessionOver(on: PGlite | Transaction): Session {
  return {
    query: async (text, values) => {
      const { rows, affectedRows } = await on.query<Record<string, unknown>>(text, values, {
        parsers,
        serializers,
      });
      return { rows, affected: affectedRows ?? 0 };
    },
    foreign: async (text, values) => {
      const results = values?.length ? [await on.query(text, values)] : await on.exec(text);
      return {
        rows: results.flatMap(({ rows }) => rows as Record<string, unknown>[]),
        affected: results.at(-1)?.affectedRows ?? 0,
      };
    },
  };
}
