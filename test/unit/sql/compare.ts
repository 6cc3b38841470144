import type { ResultColumn } from "./database.ts";
import type { DeclaredColumn, Kind } from "./row-type.ts";

/** What the drivers make of each type of the database, the same on both engines. */
const kinds: Record<string, Exclude<Kind, object>> = {
  bool: "boolean",
  bytea: "bytes",
  float8: "number",
  int2: "number",
  int4: "number",
  int8: "number",
  name: "string",
  numeric: "string",
  text: "string",
  timestamptz: "number",
  varchar: "string",
};
/** Types whose arrays both drivers read as arrays of the kind above. */
const elements = new Set(["bool", "int4", "text"]);
const json = new Set(["json", "jsonb"]);

export interface Comparison {
  declared: ReadonlyMap<string, DeclaredColumn>;
  returned: readonly ResultColumn[];
  /** Tables whose columns may be null because of an outer join. */
  outerTables: ReadonlySet<string>;
}

export interface Difference {
  text: string;
  /** The column of a table that can be null, where that is the difference. */
  nullColumn?: string;
}

/** Returns each difference between the declared and the returned columns. */
export function compareColumns({ declared, returned, outerTables }: Comparison): Difference[] {
  const names = returned.map(({ name }) => name);
  const missing = [...declared]
    .filter(([name, { optional }]) => !optional && !names.includes(name))
    .map(([name]) => `The row type has the column "${name}", which the statement does not return.`);
  const twice = names
    .filter((name, i) => names.indexOf(name) !== i)
    .map((name) => `The statement returns the column "${name}" twice.`);
  const differences = returned.flatMap((column) => {
    const type = declared.get(column.name);
    if (type) return compareColumn(column, type, outerTables);
    return [
      { text: `The statement returns the column "${column.name}", which the row type does not declare.` },
    ];
  });
  return [...[...missing, ...twice].map((text) => ({ text })), ...differences];
}

function compareColumn(
  column: ResultColumn,
  declared: DeclaredColumn,
  outerTables: ReadonlySet<string>,
): Difference[] {
  const { name, type, element, origin } = column;
  const databaseType = element === undefined ? type : `${element}[]`;
  const differences: Difference[] = [];
  if (!declared.kinds.every((kind) => fits(kind, type, element)))
    differences.push({
      text: `The column "${name}" is declared as ${declared.text}, but the database returns ${databaseType}.`,
    });
  if (origin && (!origin.notNull || outerTables.has(origin.table)) && !declared.nullable) {
    const nullColumn = `${origin.table}.${origin.column}`;
    const why = origin.notNull ? "can be null, because of an outer join" : "can be null";
    differences.push({
      text: `The column "${name}" is declared as ${declared.text}, but ${nullColumn} ${why}.`,
      nullColumn,
    });
  }
  return differences;
}

function fits(kind: Kind, type: string, element: string | undefined): boolean {
  if (kind === "unknown") return true;
  if (json.has(type)) return kind !== "date" && kind !== "bytes" && kind !== "bigint";
  if (typeof kind === "object")
    return element !== undefined && elements.has(element) && kind.list.every((one) => one === kinds[element]);
  return kinds[type] === kind;
}
