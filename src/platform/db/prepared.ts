import { type messages as Messages, type PGlite, parse, protocol, types } from "@electric-sql/pglite";
import { type BoundValue, ByteParts, serializeBind } from "./bind.ts";
import type { Result } from "./db.ts";
import type { Line } from "./line.ts";

const { serialize } = protocol;

// Times and counters are integers in replies, so the driver returns integers.
const parsers: Record<number, (text: string) => unknown> = {
  [types.INT8]: Number,
  [types.TIMESTAMPTZ]: (text) => Date.parse(text),
  [types.BYTEA]: (text) => Buffer.from(text.slice(2), "hex"),
};

// The library's own serializer writes bytes as text.
const serializers: Record<number, (value: never) => string | Uint8Array> = {
  [types.BYTEA]: (bytes: Uint8Array) => bytes,
};

interface Statement {
  name: string;
  parameters: number[];
  columns: { name: string; parse: ((text: string) => unknown) | undefined }[];
}

// Statement texts are constants, so there are few. The limit keeps a mistake, such as a text built from values, from
// filling the memory.
const maxPrepared = 500;

/**
 * Parses and plans each statement once. The library's own `query` does both on every call, in six calls of the
 * database, and takes three to four times as long.
 */
export function createPreparedStatements(pg: PGlite, inLine: Line) {
  const known = new Map<string, Statement>();

  const send = (...parts: Uint8Array[]) => pg.execProtocolStream(Buffer.concat(parts), { syncToFs: false });

  async function prepare(text: string): Promise<Statement> {
    const name = known.size < maxPrepared ? `s${known.size}` : "";
    const replies = await send(
      // A failed attempt, or the unnamed statement, may have used this name already.
      serialize.close({ type: "S", name }),
      serialize.parse({ name, text }),
      serialize.describe({ type: "S", name }),
      serialize.sync(),
    );
    const row = find<Messages.RowDescriptionMessage>(replies, "rowDescription");
    const statement: Statement = {
      name,
      parameters: parse.parseDescribeStatementResults(replies),
      columns: (row?.fields ?? []).map(({ name, dataTypeID }) => ({
        name,
        parse: parsers[dataTypeID] ?? pg.parsers[dataTypeID],
      })),
    };
    if (name) known.set(text, statement);
    return statement;
  }

  async function execute(text: string, values: readonly unknown[]): Promise<Result & { tag: string }> {
    if (pg.closed) throw new Error("The database is closed.");
    const { name, parameters, columns } = known.get(text) ?? (await prepare(text));
    const replies = await send(
      ...serializeBind(
        name,
        values.map((value, i) => serializeValue(pg, parameters[i], value)),
      ),
      serialize.execute({}),
      serialize.sync(),
    );
    const rows: Record<string, unknown>[] = [];
    for (const reply of replies) {
      if (reply.name !== "dataRow") continue;
      const { fields } = reply as Messages.DataRowMessage;
      const row: Record<string, unknown> = {};
      for (let i = 0; i < columns.length; i++) {
        const { name, parse } = columns[i]!;
        const field = fields[i]!;
        row[name] = field === null || !parse ? field : parse(field);
      }
      rows.push(row);
    }
    const { text: tag } = find<Messages.CommandCompleteMessage>(replies, "commandComplete")!;
    return { rows, affected: Number(/\d+$/.exec(tag)?.[0] ?? 0), tag };
  }

  // A transaction may send several statements at the same time. The library's own lock (`runExclusive`) makes a generator
  // function for each call, which V8 keeps until the next full collection, with the values of the statement.
  return (text: string, values: readonly unknown[] = []) => inLine(() => execute(text, values));
}

const find = <T extends { name: string }>(replies: { name: string }[], name: T["name"]): T | undefined =>
  replies.find((reply): reply is T => reply.name === name);

function serializeValue(pg: PGlite, type: number | undefined, value: unknown): BoundValue {
  if (value === null || value === undefined) return null;
  if (value instanceof ByteParts) return value;
  const serializer = serializers[type!] ?? pg.serializers[type!];
  return serializer ? serializer(value as never) : String(value);
}
