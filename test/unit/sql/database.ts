import { type messages as Messages, PGlite, protocol } from "@electric-sql/pglite";
import { readMigrations } from "../../../src/platform/db/index.ts";
import { readCluster } from "../../cluster.ts";

export interface ResultColumn {
  name: string;
  /** The name in `pg_type`; `text` for an enumeration, which the drivers return as its label. */
  type: string;
  /** The type of the elements, for an array. */
  element: string | undefined;
  /** The column of a table that it comes from, if it is a plain reference. */
  origin: { table: string; column: string; notNull: boolean } | undefined;
}

export interface MigratedDatabase {
  /** Parses a statement and describes its result without running it. */
  describe(text: string): Promise<ResultColumn[]>;
  close(): Promise<void>;
}

const { serialize } = protocol;

/** An embedded database with the schema of the product and no rows. */
export async function openMigratedDatabase(): Promise<MigratedDatabase> {
  const pg = await PGlite.create({ loadDataDir: await readCluster() });
  // `migrate` creates this table before the first migration.
  await pg.exec(`create table schema_migrations (
    version int primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())`);
  for (const { text } of readMigrations()) await pg.exec(text);
  const types = new Map<number, { name: string; element: string | null; isEnum: boolean }>();
  for (const { oid, ...type } of (
    await pg.query<{ oid: number; name: string; element: string | null; isEnum: boolean }>(`
      select t.oid, t.typname as name, case when t.typcategory = 'A' then e.typname end as element,
        t.typtype = 'e' as "isEnum"
      from pg_type t left join pg_type e on e.oid = t.typelem`)
  ).rows)
    types.set(oid, type);
  const columns = new Map<string, NonNullable<ResultColumn["origin"]>>();
  for (const { key, ...column } of (
    await pg.query<{ key: string; table: string; column: string; notNull: boolean }>(`
      select a.attrelid || '.' || a.attnum as key, c.relname as "table", a.attname as "column",
        a.attnotnull as "notNull"
      from pg_attribute a join pg_class c on c.oid = a.attrelid and c.relkind in ('r', 'p')`)
  ).rows)
    columns.set(key, column);

  return {
    async describe(text) {
      const replies = await pg.execProtocolStream(
        Buffer.concat([
          serialize.parse({ text }),
          serialize.describe({ type: "S" }),
          serialize.close({ type: "S" }),
          serialize.sync(),
        ]),
        { syncToFs: false },
      );
      const described = replies.find(
        (reply): reply is Messages.RowDescriptionMessage => reply.name === "rowDescription",
      );
      return (described?.fields ?? []).map(({ name, dataTypeID, tableID, columnID }) => {
        const type = types.get(dataTypeID)!;
        return {
          name,
          type: type.isEnum ? "text" : type.name,
          element: type.element ?? undefined,
          origin: columns.get(`${tableID}.${columnID}`),
        };
      });
    },
    close: () => pg.close(),
  };
}
