/** Fills every table of a schema with rows, from what the catalogue says about its columns and constraints. */
import type { Db } from "../src/platform/db/index.ts";

interface Column {
  name: string;
  type: string;
  isRequired: boolean;
}
interface Reference {
  columns: string[];
  target: string;
  targetColumns: string[];
}
interface FilledTable {
  name: string;
  columns: Column[];
  references: Reference[];
  checks: { name: string; text: string }[];
}

const catalogue = `
  select c.relname as name,
    (select json_agg(json_build_object('name', attname, 'type', format_type(atttypid, atttypmod),
        'isRequired', attnotnull and not atthasdef) order by attnum)
      from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '' and attidentity = '')
      as columns,
    (select coalesce(json_agg(json_build_object('target', confrelid::regclass::text,
        'columns', (select json_agg(attname order by i) from unnest(conkey) with ordinality k(n, i)
          join pg_attribute on attrelid = conrelid and attnum = n),
        'targetColumns', (select json_agg(attname order by i) from unnest(confkey) with ordinality k(n, i)
          join pg_attribute on attrelid = confrelid and attnum = n)) order by cardinality(conkey) desc), '[]')
      from pg_constraint where conrelid = c.oid and contype = 'f') as references,
    (select coalesce(json_agg(json_build_object('name', conname, 'text', pg_get_constraintdef(oid))), '[]')
      from pg_constraint where conrelid = c.oid and contype = 'c') as checks
  from pg_class c where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
    and relname not in ('schema_migrations', 'maintenance_marks') order by 1`;

type Row = Record<string, unknown>;

/** Tables in which a table of the same row refers to a table later in the list come after it. */
function sortByReferences(tables: FilledTable[]): FilledTable[] {
  const sorted: FilledTable[] = [];
  const waiting = new Set(tables);
  while (waiting.size > 0) {
    const isRequired = (table: FilledTable, reference: Reference) =>
      table.columns.some((one) => one.isRequired && reference.columns.includes(one.name));
    const waits = (table: FilledTable, all: boolean) =>
      table.references.some(
        (reference) =>
          reference.target !== table.name &&
          (all || isRequired(table, reference)) &&
          [...waiting].some((one) => one.name === reference.target),
      );
    const next = [true, false]
      .map((all) => [...waiting].filter((table) => !waits(table, all)))
      .find((found) => found.length > 0);
    for (const table of next ?? [...waiting].slice(0, 1)) {
      sorted.push(table);
      waiting.delete(table);
    }
  }
  return sorted;
}

/** A value that nobody else has. `n` counts rows. */
function createValue({ name, type }: Column, n: number): unknown {
  if (type.endsWith("[]")) return "{}";
  if (name.endsWith("percent")) return "10";
  if (/^(bigint|integer|numeric)/.test(type)) return String(n);
  if (type === "smallint") return "1";
  if (type === "boolean") return "false";
  if (type === "bytea") return `\\x00ff${n.toString(16).padStart(8, "0")}`;
  if (type === "date") return "2026-01-31";
  if (type.startsWith("timestamp")) return `2026-02-03T04:05:06.${String(700_000 + n)}Z`;
  if (type.startsWith("json")) return `{"n": ${n}, "text": "a \\"quoted\\" \\\\ text ä €"}`;
  if (type === "tstzmultirange") return "{[2026-01-01T00:00:00Z,2026-01-02T00:00:00Z)}";
  return `${name}-${n}`;
}

const readChoices = (text: string): string[] =>
  [...text.matchAll(/'((?:[^']|'')*)'::text/g)].map(([, one]) => one!);
const mentions = (text: string, column: string) => new RegExp(`(?<![\\w.'])${column}(?![\\w'])`).test(text);

/** What the catalogue does not tell. */
export const specialValues: Readonly<Record<string, unknown>> = {
  "llm_budgets.subject_kind": "organization",
  "llm_budgets.team_id": null,
  "llm_budgets.member_id": null,
  "llm_budgets.provider_id": null,
};

export interface FillOptions {
  /** Values of columns that the catalogue does not tell, by `table.column`. */
  values?: Readonly<Record<string, unknown>>;
  rows?: number;
  /** The signatures of tables that need no rows; those of the filled tables are added. */
  filled?: Set<string>;
}

/** Values differ across all calls of a process. */
let count = 100_000;

/** Returns the tables that have no row, with the last error. */
export async function fillTables(
  db: Db,
  { values = {}, rows = 2, filled = new Set() }: FillOptions = {},
): Promise<string[]> {
  const run = async (text: string, parameters?: unknown[]) =>
    (await db.queryWithDriverTypes(text, parameters)).rows as Row[];
  const tables = sortByReferences((await run(catalogue)) as unknown as FilledTable[]);
  const failed: string[] = [];
  for (const table of tables) {
    const signature = JSON.stringify(table);
    if (filled.has(signature)) continue;
    filled.add(signature);
    for (let made = 0; made < rows; made++) {
      const error = await insertRow(table, ++count);
      if (error === undefined) continue;
      // Earlier migrations or triggers may have filled it.
      const [{ isEmpty }] = (await run(`select not exists (select from ${table.name}) as "isEmpty"`)) as [
        Row,
      ];
      if (isEmpty) failed.push(`${table.name}: ${error}`);
      break;
    }
  }
  return failed;

  async function insertRow(table: FilledTable, n: number): Promise<string | undefined> {
    let error = "";
    const enums = new Map<string, string[]>();
    for (const { name, type } of table.columns) {
      if (/^[a-z_]+$/.test(type) && type.includes("_"))
        enums.set(
          name,
          (await run(`select unnest(enum_range(null::${type}))::text as one`)).map(({ one }) => String(one)),
        );
      const own = table.checks.find(
        ({ text }) => mentions(text, name) && /= ANY/.test(text) && readChoices(text).length,
      );
      if (own) enums.set(name, readChoices(own.text));
    }
    // First with every column, then with the required ones, with each choice of the columns that have choices.
    for (const isFull of [true, false]) {
      for (let choice = 0; choice < 6; choice++) {
        const row: Row = {};
        for (const column of table.columns) {
          const known = values[`${table.name}.${column.name}`];
          const choices = enums.get(column.name);
          if (known !== undefined) row[column.name] = typeof known === "function" ? known(n) : known;
          else if (!isFull && !column.isRequired) continue;
          else row[column.name] = choices ? choices[choice % choices.length] : createValue(column, n);
        }
        const usable = await refer(table, row);
        if (!usable) {
          error = "a referenced table is empty";
          continue;
        }
        const names = Object.keys(row);
        try {
          await run(
            `insert into ${table.name} (${names.map((name) => `"${name}"`).join(", ")}) values (${names
              .map((name, i) => `$${i + 1}::text::${table.columns.find((one) => one.name === name)!.type}`)
              .join(", ")})`,
            names.map((name) => row[name] ?? null),
          );
          return undefined;
        } catch (cause) {
          error = (cause as Error).message;
        }
      }
    }
    return error;
  }

  /** Sets the columns that refer to other tables. False when a required one has nothing to refer to. */
  async function refer(table: FilledTable, row: Row): Promise<boolean> {
    const fixed: Row = {};
    for (const { columns, target, targetColumns } of table.references) {
      if (!columns.some((column) => column in row) || columns.some((column) => row[column] === null))
        continue;
      const known = columns.flatMap((column, i) =>
        column in fixed ? [[targetColumns[i]!, fixed[column]]] : [],
      );
      const where = known.map(([name], i) => `${name}::text = $${i + 1}`).join(" and ");
      const isOwn = target === table.name;
      const [found] = isOwn
        ? []
        : await run(
            `select ${targetColumns.map((name) => `${name}::text`).join(", ")} from ${target}
             ${where ? `where ${where}` : ""} order by ctid desc limit 1`,
            where ? known.map(([, value]) => value) : undefined,
          );
      for (const [i, column] of columns.entries()) {
        if (found) fixed[column] = found[targetColumns[i]!];
        else if (!(column in fixed)) {
          if (table.columns.find((one) => one.name === column)!.isRequired) return false;
          fixed[column] = null;
        }
      }
    }
    Object.assign(row, fixed);
    return true;
  }
}
