/** Which tables of a statement are limited to an organization, as a database that is distributed by it needs. */

const reserved = new Set(
  "as on where set select left right inner cross full join lateral order group limit returning for using union values default with and or from when then materialized not having window offset do".split(
    " ",
  ),
);

interface TableUse {
  table: string;
  alias: string;
  isInsert: boolean;
}

/** The uses of known tables: after `from`, `join`, `update`, `into`, `using`, or a comma in a list of tables. */
export function listTableUses(text: string, tables: ReadonlySet<string>): TableUse[] {
  const plain = removeTexts(text);
  const pattern =
    /(?<!\w)(from|join|update|into|using|,)\s+(?:only\s+)?([a-z_]+)(?=\s+(?:as\s+)?([a-z_]+)|)/gi;
  return [...plain.replaceAll(",", " , ").matchAll(pattern)].flatMap(([, before, table, next]) => {
    if (!tables.has(table!)) return [];
    const alias = next && !reserved.has(next.toLowerCase()) ? next : table!;
    return [{ table: table!, alias, isInsert: before!.toLowerCase() === "into" }];
  });
}

/** The uses of tables that no condition limits to an organization. An insert names the column. */
export function findUnlimitedUses(text: string, tables: ReadonlySet<string>): string[] {
  const plain = removeTexts(text);
  const isLimited = ({ table, alias, isInsert }: TableUse) => {
    if (isInsert) return new RegExp(`into ${table}(?: as \\w+)? \\([^)]*\\borg_id\\b`).test(plain);
    const names = alias === table ? `(?:(?<![.\\w])|\\b${table}\\.)` : `\\b${alias}\\.`;
    const column = `${names}org_id\\b`;
    return new RegExp(
      `${column}\\s*(?:=|in\\b|is not distinct)|(?:=|any\\()\\s*${column}|distinct from ${column}`,
    ).test(plain);
  };
  const unlimited = listTableUses(text, tables).filter((use) => !isLimited(use));
  return [...new Set(unlimited.map(({ table }) => table))];
}

/** Removes comments and the contents of literals, and writes all white space as one space. */
const removeTexts = (text: string) =>
  text
    .replace(/--.*$/gm, "")
    .replace(/'[^']*'/g, "''")
    .replace(/\s+/g, " ");
