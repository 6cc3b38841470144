/**
 * Finds the tables whose columns can be null because of an outer join. Reads names only: a table that is also joined
 * otherwise in the same statement counts, too. A subquery whose alias is in `ignored` does not count.
 */
export function findOuterTables(text: string, ignored: readonly string[] = []): Set<string> {
  const bare = text.replaceAll(/'(?:[^']|'')*'/g, "''");
  const names = new Set<string>();
  // `returning` of an insert reads the inserted rows only, not the tables that it selects from.
  if (/^\s*insert\s/.test(bare)) return names;
  const addNames = (part: string) => {
    for (const [name] of part.matchAll(/[a-z_][a-z0-9_]*/g)) addName(name);
  };
  const addName = (name: string) => {
    if (names.has(name)) return;
    names.add(name);
    const query = new RegExp(
      `\\b${name}\\b(?:\\s*\\([^()]*\\))?\\s+as\\s+(?:(?:not\\s+)?materialized\\s+)?\\(`,
      "g",
    );
    for (const { index, 0: start } of bare.matchAll(query))
      addNames(readParentheses(bare, index + start.length - 1));
  };
  for (const { index, 0: start, 1: side } of bare.matchAll(
    /\b(left|right|full)\s+(?:outer\s+)?join\s+(?:lateral\s+)?/g,
  )) {
    if (side !== "left") addNames(bare.slice(0, index));
    if (side === "right") continue;
    const rest = index + start.length;
    const joined =
      bare[rest] === "(" ? readParentheses(bare, rest) : /^[a-z_0-9]+/.exec(bare.slice(rest))![0];
    const alias = /^\s*(?:as\s+)?([a-z_0-9]*)/.exec(bare.slice(rest + joined.length))![1]!;
    if (!ignored.includes(alias)) addNames(joined);
  }
  return names;
}

/** Reads from an opening parenthesis to the one that closes it. */
function readParentheses(text: string, start: number): string {
  let depth = 0;
  for (let i = start; i < text.length; i++) {
    if (text[i] === "(") depth++;
    if (text[i] === ")" && --depth === 0) return text.slice(start, i + 1);
  }
  return text.slice(start);
}
