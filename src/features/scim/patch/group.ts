import { groupDefinition, maxMembersPerRequest } from "../definitions/index.ts";
import { invalidFilter, invalidPath, invalidValue } from "../errors.ts";
import { type Filter, foldCase } from "../filter/index.ts";
import { type Attributes, type GroupResource, readMembers } from "../resources/index.ts";
import { type Change, readChanges } from "./changes.ts";
import { applyChanges } from "./resource.ts";

/** What a PATCH does to the members, so that nobody needs to read all of them. */
export interface MemberChanges {
  /** All members after the PATCH. If it is there, `add` and `remove` are empty. */
  replaceAll?: string[];
  /** Users who are members afterwards, whether or not they were before. */
  add: string[];
  /** Users who are not members afterwards. */
  remove: string[];
}

export interface GroupPatch {
  resource: GroupResource;
  members: MemberChanges;
}

/** Returns the group after the PATCH, and the changes of its members. */
export function applyGroupPatch(group: GroupResource, body: unknown): GroupPatch {
  const changes = readChanges(groupDefinition, body);
  const isOfMembers = ({ target }: Change) => target.attribute.name === "members";
  return {
    resource: applyChanges(
      groupDefinition,
      group as unknown as Attributes,
      changes.filter((change) => !isOfMembers(change)),
    ) as unknown as GroupResource,
    members: combine(changes.filter(isOfMembers)),
  };
}

function combine(changes: readonly Change[]): MemberChanges {
  let isReplaced = false;
  let named = 0;
  const add = new Set<string>();
  const remove = new Set<string>();
  const clear = () => {
    isReplaced = true;
    add.clear();
    remove.clear();
  };
  for (const change of changes) {
    const ids = readIds(change);
    named += ids?.length ?? 0;
    if (named > maxMembersPerRequest)
      throw invalidValue(
        `A PATCH names at most ${maxMembersPerRequest} members. Send the rest in another request.`,
      );
    if (ids === undefined || (change.op === "replace" && !change.filter)) clear();
    for (const id of ids ?? []) {
      const [into, from] = change.op === "remove" ? [remove, add] : [add, remove];
      into.add(id);
      from.delete(id);
    }
  }
  return isReplaced ? { replaceAll: [...add], add: [], remove: [] } : { add: [...add], remove: [...remove] };
}

/** The users that a change names. Undefined means all members. */
function readIds({ op, target, filter, value }: Change): string[] | undefined {
  if (target.sub && (filter || foldCase(target.sub.name) !== "value"))
    throw invalidPath("Members are added and removed as a whole. Use the path `members`.");
  if (filter) {
    if (op === "replace") throw invalidPath("Replace `members` without a filter, or use add and remove.");
    return readSelectedIds(filter);
  }
  return op === "remove" && (value === undefined || value === null) ? undefined : readMembers(value);
}

/** `value eq "…"`, or several with `or` between them. */
function readSelectedIds(filter: Filter): string[] {
  if (filter.op === "or") return filter.filters.flatMap(readSelectedIds);
  if (filter.op === "eq" && foldCase(filter.path) === "value" && typeof filter.value === "string")
    return [filter.value];
  throw invalidFilter('Members are selected by their ids, such as members[value eq "scu_…"].');
}
