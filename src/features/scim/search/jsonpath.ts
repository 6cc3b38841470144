import type { BoundFilter, Condition, Step } from "../filter/index.ts";

/**
 * Writes a filter as a jsonpath predicate over a search document. The path is a parameter of the statement, so the text
 * of the statement does not depend on the filter, and the index of the documents serves equalities.
 */
export function writeJsonPath(filter: BoundFilter, root: "$" | "@" = "$"): string {
  switch (filter.op) {
    case "and":
    case "or":
      return `(${filter.filters.map((one) => writeJsonPath(one, root)).join(filter.op === "and" ? " && " : " || ")})`;
    case "not":
      return `(!${writeJsonPath(filter.filter, root)})`;
    case "[]":
      return `(exists(${writeSteps(root, filter.steps)} ? ${writeJsonPath(filter.filter, "@")}))`;
    default:
      return `(${writeCondition(filter, writeSteps(root, filter.steps))})`;
  }
}

/** JSON text is jsonpath text too, so no value can leave its quotation marks. */
const quote = (value: unknown) => JSON.stringify(value);

export const writeSteps = (root: "$" | "@", steps: readonly Step[]) =>
  root + steps.map(({ name, isList }) => `.${quote(name)}${isList ? "[*]" : ""}`).join("");

const signs = { eq: "==", ne: "!=", gt: ">", ge: ">=", lt: "<", le: "<=" } as const;

function writeCondition({ op, value }: Condition, path: string): string {
  if (op === "pr" || (op === "ne" && value === null)) return `exists(${path})`;
  if (value === null) return `!exists(${path})`;
  switch (op) {
    case "ne":
      return `!exists(${path}) || ${path} != ${quote(value)}`;
    // With the flag "q" the pattern is plain text.
    case "co":
      return `${path} like_regex ${quote(value)} flag "q"`;
    case "sw":
      return `${path} starts with ${quote(value)}`;
    case "ew":
      return `${path} like_regex ${quote(`${String(value).replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}$`)}`;
    default:
      return `${path} ${signs[op]} ${quote(value)}`;
  }
}
