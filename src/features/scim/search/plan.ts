import { type Definition, findTarget, groupDefinition } from "../definitions/index.ts";
import { invalidFilter, invalidValue } from "../errors.ts";
import {
  type BoundFilter,
  bindFilter,
  type Condition,
  foldCase,
  parseFilter,
  type Step,
} from "../filter/index.ts";
import { writeJsonPath, writeSteps } from "./jsonpath.ts";

/** Columns with an index. `name` is `userName` of users and `displayName` of groups; `related` is a group or a member. */
const keyColumns = ["id", "name", "externalId", "related"] as const;
export type KeyColumn = (typeof keyColumns)[number];

export interface SearchPlan {
  /** An equality that every result satisfies and that an index serves. Names are in lower case. */
  key: { column: KeyColumn; value: string } | undefined;
  /** The rest of the filter as a jsonpath predicate. */
  path: string | undefined;
  /** An e-mail address that every result has, in lower case. It has an index. */
  email: string | undefined;
  /** Whether the rest needs facts that are not in the stored document: ids, times, groups, members, `active`. */
  needsFacts: boolean;
  /** Whether it needs the groups of each user. */
  needsGroups: boolean;
  /** The members that the rest asks for. */
  members: string[];
}

const isLeaf = (filter: BoundFilter): filter is Condition => "attribute" in filter;
const joinNames = (steps: readonly Step[]) => steps.map(({ name }) => name).join(".");

const keyNames: Record<Definition["name"], Record<string, KeyColumn>> = {
  User: { id: "id", userName: "name", externalId: "externalId", "groups.value": "related" },
  Group: { id: "id", displayName: "name", externalId: "externalId", "members.value": "related" },
};

/** The column of an equality, if an index serves it. */
function findKey({ name }: Definition, filter: BoundFilter): SearchPlan["key"] {
  const inner = filter.op === "[]" ? filter.filter : filter;
  if (!isLeaf(inner) || inner.op !== "eq" || typeof inner.value !== "string") return undefined;
  const path = joinNames(filter.op === "[]" ? [...filter.steps, ...inner.steps] : inner.steps);
  const column = keyNames[name][path];
  return column && { column, value: inner.value };
}

/** Longer values are not in the index. */
const maxEmailLength = 320;

/** The e-mail address that a filter asks for. */
function findEmail(filter: BoundFilter, before: readonly Step[] = []): string | undefined {
  if (filter.op === "[]") return findEmail(filter.filter, filter.steps);
  if (filter.op === "and")
    return filter.filters.map((one) => findEmail(one, before)).find((one) => one !== undefined);
  if (!isLeaf(filter) || filter.op !== "eq" || typeof filter.value !== "string") return undefined;
  const isEmail = joinNames([...before, ...filter.steps]) === "emails.value";
  return isEmail && filter.value.length <= maxEmailLength ? filter.value : undefined;
}

function* listLeaves(filter: BoundFilter, before: readonly Step[] = []): Generator<Condition> {
  if ("filters" in filter) for (const one of filter.filters) yield* listLeaves(one, before);
  else if (filter.op === "not") yield* listLeaves(filter.filter, before);
  else if (filter.op === "[]") yield* listLeaves(filter.filter, filter.steps);
  else yield { ...filter, steps: [...before, ...filter.steps] };
}

/** A document lists only the members that the filter names, so only questions about these can be answered. */
function checkMembers(filter: BoundFilter, inMembers = false): void {
  const refuse = () =>
    invalidFilter('Members can be filtered by `members.value eq "…"`, combined with and, or, not.');
  if ("filters" in filter) for (const one of filter.filters) checkMembers(one, inMembers);
  else if (filter.op === "not") {
    if (inMembers) throw refuse();
    checkMembers(filter.filter);
  } else if (filter.op === "[]") checkMembers(filter.filter, joinNames(filter.steps) === "members");
  else if (inMembers || filter.steps[0]?.name === "members") {
    if (filter.op !== "eq" || typeof filter.value !== "string") throw refuse();
  }
}

/**
 * Each `co` and `ew` is a pattern. The database remembers about thirty patterns; with more, it reads each of them again
 * for each value of each row, which takes minutes in a large directory.
 */
const maxPatterns = 10;

function checkPatterns(filter: BoundFilter): void {
  const patterns = [...listLeaves(filter)].filter(({ op }) => op === "co" || op === "ew");
  if (patterns.length > maxPatterns)
    throw invalidFilter(`A filter has at most ${maxPatterns} conditions with co or ew.`);
}

/** Divides a filter into an equality of a column and a predicate over documents. */
export function planSearch(definition: Definition, text: string | undefined): SearchPlan {
  const none = {
    key: undefined,
    path: undefined,
    email: undefined,
    needsFacts: false,
    needsGroups: false,
    members: [],
  };
  if (text === undefined || text.trim() === "") return none;
  const filter = bindFilter(definition, parseFilter(text));
  checkPatterns(filter);
  if (definition === groupDefinition) checkMembers(filter);
  const parts = filter.op === "and" ? filter.filters : [filter];
  const keys = parts.map((one) => findKey(definition, one));
  const best = keyColumns.find((column) => keys.some((key) => key?.column === column));
  const at = keys.findIndex((key) => key !== undefined && key.column === best);
  const rest = parts.filter((_, i) => i !== at);
  if (rest.length === 0) return { ...none, key: keys[at] };
  const leaves = rest.flatMap((one) => [...listLeaves(one)]);
  const named = new Set(leaves.map(({ steps }) => steps[0]!.name));
  return {
    key: keys[at],
    email: rest.map((one) => findEmail(one)).find((one) => one !== undefined),
    path: writeJsonPath(rest.length === 1 ? rest[0]! : { op: "and", filters: rest }),
    needsFacts: ["id", "meta", "active", "groups", "members"].some((name) => named.has(name)),
    needsGroups: named.has("groups"),
    members: leaves.filter(({ steps }) => steps[0]!.name === "members").map(({ value }) => String(value)),
  };
}

/** How results are ordered. Without `sortBy`, by id, which is the order of creation. */
export type SortPlan =
  | { by: "id" | "created" | "lastModified"; descending: boolean }
  /** By the primary value, or else by the first. */
  | { by: "document"; primaryPath: string; path: string; descending: boolean };

export function planSort(
  definition: Definition,
  { sortBy, sortOrder }: { sortBy?: string; sortOrder?: string },
): SortPlan {
  const order = foldCase(sortOrder ?? "ascending");
  if (order !== "ascending" && order !== "descending")
    throw invalidValue("`sortOrder` must be ascending or descending.");
  const descending = order === "descending";
  if (!sortBy) return { by: "id", descending: false };
  const target = findTarget(definition, sortBy);
  const sub = target?.sub ?? target?.attribute.subAttributes?.find(({ name }) => name === "value");
  const leaf = sub ?? target?.attribute;
  const name = target?.attribute.name;
  if (
    !target ||
    !leaf?.filterable ||
    leaf.type === "complex" ||
    name === "groups" ||
    name === "members" ||
    name === "schemas"
  )
    throw invalidValue(`Results cannot be sorted by "${sortBy.slice(0, 200)}".`);
  if (name === "id") return { by: "id", descending };
  if (name === "meta") return { by: leaf.name as "created" | "lastModified", descending };
  const steps = [
    ...(target.extension ? [{ name: target.extension.id, isList: false }] : []),
    { name: target.attribute.name, isList: target.attribute.multiValued },
  ];
  const toSub = sub ? writeSteps("@", [{ name: sub.name, isList: false }]).slice(1) : "";
  const whole = writeSteps("$", steps);
  const isPrimary = target.attribute.multiValued ? ' ? (@."primary" == true)' : "";
  return {
    by: "document",
    primaryPath: `${whole}${isPrimary}${toSub}`,
    path: `${whole}${toSub}`,
    descending,
  };
}
