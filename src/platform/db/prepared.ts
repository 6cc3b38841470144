import { type messages as Messages, type PGlite, parse, protocol, types } from "@electric-sql/pglite";
import type { Result } from "./db.ts";

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
export function createPreparedStatements(pg: PGlite) {
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
      serializeBind(
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

  // A transaction may send several statements at the same time.
  return (text: string, values: readonly unknown[] = []) => pg.runExclusive(() => execute(text, values));
}

/**
 * Creates the Bind message, which carries the values of a statement: strings in text format, bytes in binary format. The
 * library's own function copies values slowly: the largest body that a code host may send takes 9 s.
 */
function serializeBind(statement: string, values: readonly (string | Uint8Array | null)[]): Buffer {
  const sizes = values.map((value) => (value === null ? 0 : Buffer.byteLength(value)));
  const nameSize = Buffer.byteLength(statement);
  const message = Buffer.allocUnsafe(13 + nameSize + sizes.reduce((sum, size) => sum + 6 + size, 0));
  message.write("B");
  message.writeInt32BE(message.length - 1, 1);
  // The portal has no name.
  message[5] = 0;
  let at = 6 + message.write(statement, 6);
  message[at++] = 0;
  at = message.writeInt16BE(values.length, at);
  for (const value of values) at = message.writeInt16BE(value instanceof Uint8Array ? 1 : 0, at);
  at = message.writeInt16BE(values.length, at);
  for (const [i, value] of values.entries()) {
    at = message.writeInt32BE(value === null ? -1 : sizes[i]!, at);
    if (typeof value === "string") message.write(value, at);
    else if (value) message.set(value, at);
    at += sizes[i]!;
  }
  // All columns of the result as text.
  message.writeInt16BE(0, at);
  return message;
}

const find = <T extends { name: string }>(replies: { name: string }[], name: T["name"]): T | undefined =>
  replies.find((reply): reply is T => reply.name === name);

function serializeValue(pg: PGlite, type: number | undefined, value: unknown): string | Uint8Array | null {
  if (value === null || value === undefined) return null;
  const serializer = serializers[type!] ?? pg.serializers[type!];
  return serializer ? serializer(value as never) : String(value);
}
