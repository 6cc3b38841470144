import type { Ctx, OrgId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { invalidateCallers } from "../../../platform/http/index.ts";
import { record } from "../../audit/index.ts";
import { setMappedRole } from "../../members/index.ts";
import { builtInRoles } from "../../permissions/index.ts";
import { setMappedTeams } from "../../teams/index.ts";
import * as store from "./store.ts";

export interface MappingRules {
  id: string;
  defaultRole: string;
  groupMappings: readonly { group: string; role?: string | undefined; teamId?: string | undefined }[];
}

const maxAnnounced = 100;
const maxNamed = 50;
/** A statement compares each row with each of its ids. With more ids than this, all rows are read and compared here. */
const maxNamedInStatement = 500;

/**
 * Makes roles and teams of members follow the groups of the directory. `userIds` are users of the directory whose
 * groups changed; null means all of them. Members whose address is not proven get nothing, because somebody else could
 * have made the account. The caller holds the lock of the organization's rights.
 */
export async function applyMappings(
  ctx: Ctx,
  tx: Db,
  orgId: OrgId,
  rules: MappingRules,
  userIds: readonly string[] | null,
): Promise<void> {
  // Without mappings nothing was given: a change of the mappings is applied to all users.
  if (userIds !== null && (userIds.length === 0 || rules.groupMappings.length === 0)) return;
  const mappings = rules.groupMappings.map(({ group, role, teamId }, position) => ({
    position,
    key: group.toLowerCase(),
    name: group,
    role: role === "owner" ? null : (role ?? null),
    teamId: teamId ?? null,
  }));
  const valid = await listValidRoles(tx, orgId, rules);
  const usable = mappings.map((one) => (one.role && !valid.has(one.role) ? { ...one, role: null } : one));
  const few = userIds !== null && userIds.length <= maxNamedInStatement ? userIds : null;
  const linked = await store.listLinked(tx, orgId, rules.id, few);
  const isWanted = new Set(userIds);
  const members = userIds === null ? linked : linked.filter(({ userId }) => isWanted.has(userId));
  const proven = new Set(members.filter(({ isProven }) => isProven).map(({ userId }) => userId));
  const given = new Map(
    (await store.listGiven(tx, orgId, rules.id, usable, few))
      .filter(({ userId }) => proven.has(userId))
      .map((one) => [one.userId, one]),
  );
  const roles = members.flatMap(({ userId, memberId, role: before, isRoleManaged }) => {
    const mapped = given.get(userId)?.role ?? null;
    // A role that a mapping gave ends when no mapping gives one.
    if (before === "owner" || (mapped === null && !isRoleManaged)) return [];
    const role = mapped ?? fallbackRole(rules, valid);
    const isMapped = mapped !== null;
    return role === before && isMapped === isRoleManaged ? [] : [{ memberId, before, role, isMapped }];
  });
  for (const [key, some] of Map.groupBy(roles, ({ role, isMapped }) => `${role} ${isMapped}`)) {
    const ids = some.map(({ memberId }) => memberId);
    const [role = "", isMapped] = key.split(" ");
    await setMappedRole(tx, orgId, ids, { role, isMapped: isMapped === "true" });
  }
  const wanted = members.flatMap(({ userId, memberId }) =>
    (given.get(userId)?.teamIds ?? []).map((teamId) => ({ memberId, teamId })),
  );
  const scope = userIds === null ? null : members.map(({ memberId }) => memberId);
  const { joined, left } = await setMappedTeams(tx, orgId, scope, wanted);
  const changed = [...new Set([...roles, ...joined, ...left].map(({ memberId }) => memberId))];
  if (changed.length === 0) return;
  for (const id of changed.length > maxAnnounced ? [orgId] : changed)
    await invalidateCallers(ctx.bus, tx, id);
  const after = {
    rolesChanged: roles.filter(({ before, role }) => before !== role).length,
    teamsJoined: joined.length,
    teamsLeft: left.length,
    memberIds: changed.slice(0, maxNamed),
  };
  const target = { type: "scim_connector", id: rules.id };
  await record(ctx, tx, { action: "scim_connector.mappings_applied", target, after }, orgId);
}

const fallbackRole = ({ defaultRole }: MappingRules, valid: ReadonlySet<string>) =>
  valid.has(defaultRole) ? defaultRole : "member";

/** The role of a new member. A custom role may have been removed since it was chosen. */
export async function findDefaultRole(tx: Db, orgId: OrgId, rules: MappingRules): Promise<string> {
  return fallbackRole(rules, await listValidRoles(tx, orgId, { ...rules, groupMappings: [] }));
}

/** The roles that exist: the built-in ones without the owner, and the custom ones that the rules name. */
export async function listValidRoles(
  tx: Db,
  orgId: OrgId,
  rules: MappingRules,
): Promise<ReadonlySet<string>> {
  const builtIn = builtInRoles.filter((role) => role !== "owner");
  const custom = [rules.defaultRole, ...rules.groupMappings.flatMap(({ role }) => role ?? [])].filter(
    (role) => !(builtInRoles as readonly string[]).includes(role),
  );
  return new Set([...builtIn, ...(custom.length > 0 ? await store.listRoles(tx, orgId, custom) : [])]);
}
