import type { Ctx, MemberId, OrgId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { invalidateCallers } from "../../../platform/http/index.ts";
import { recordByMember } from "../../audit/index.ts";
import { setMemberRole } from "../../members/index.ts";
import { builtInRoles } from "../../permissions/index.ts";
import { joinTeams, leaveTeams } from "../../teams/index.ts";
import type { ConnectorRow } from "../connectors/index.ts";
import type { Identity } from "./identity.ts";
import * as store from "./store.ts";

export interface Mapped {
  /** Null when no mapping gives a role. */
  role: string | null;
  teamIds: string[];
}

/** What the groups of a person give. The first mapping with a role decides; roles that are gone give nothing. */
export async function mapGroups(
  db: Db,
  { orgId, groupMappings }: ConnectorRow,
  groups: readonly string[],
): Promise<Mapped> {
  const given = new Set(groups);
  const matching = groupMappings.filter(({ group }) => given.has(group));
  const roles = matching.flatMap(({ role }) => role ?? []).filter((role) => role !== "owner");
  const existing = new Set<string>([...builtInRoles, ...(await store.listRoles(db, orgId, roles))]);
  return {
    role: roles.find((role) => existing.has(role)) ?? null,
    teamIds: [...new Set(matching.flatMap(({ teamId }) => teamId ?? []))],
  };
}

interface MappedMember {
  identity: store.IdentityRow;
  memberId: MemberId;
  /** Undefined for somebody who becomes a member now. */
  joinedAt: number | undefined;
  role: string;
  isRoleManaged: boolean;
}

/** What the groups gave at the last sign-in. An earlier membership has ended, with everything that they gave then. */
function findEarlier(
  { mappedRole, mappedTeamIds, lastSignInAt }: store.IdentityRow,
  joinedAt?: number,
): Mapped {
  const isOfMember = joinedAt !== undefined && lastSignInAt !== null && lastSignInAt >= joinedAt;
  return isOfMember ? { role: mappedRole, teamIds: mappedTeamIds } : { role: null, teamIds: [] };
}

/**
 * Sets role and teams of a member from the groups. What people gave by hand stays. Owners are not changed, so the last
 * one cannot be lost here. The caller holds the lock of the rights.
 */
export async function applyGroups(
  ctx: Pick<Ctx, "bus" | "address" | "userAgent">,
  tx: Db,
  connector: ConnectorRow,
  { identity, memberId, joinedAt, role, isRoleManaged }: MappedMember,
  groups: Identity["groups"],
): Promise<void> {
  if (groups === "unknown") return;
  const { orgId } = connector;
  const wanted = await mapGroups(tx, connector, groups);
  const earlier = findEarlier(identity, joinedAt);
  const newRole = isRoleManaged ? role : chooseRole(connector, role, earlier.role, wanted.role);
  const ended = earlier.teamIds.filter((id) => !wanted.teamIds.includes(id));
  const joined = await joinTeams(tx, orgId, memberId, wanted.teamIds);
  if (ended.length > 0) await leaveTeams(tx, orgId, memberId, ended);
  const kept = earlier.teamIds.filter((id) => wanted.teamIds.includes(id));
  const mapped = { role: wanted.role, teamIds: [...new Set([...kept, ...joined])] };
  await store.setMapped(tx, orgId, identity.id, mapped);
  if (newRole !== role) await setMemberRole(tx, orgId, memberId, newRole);
  if (newRole === role && joined.length === 0 && ended.length === 0) return;
  await invalidateCallers(ctx.bus, tx, memberId);
  await recordGroups(ctx, tx, orgId, memberId, {
    before: { role },
    after: { role: newRole, ...(joined.length + ended.length > 0 ? { joined, left: ended } : {}) },
  });
}

function chooseRole(
  { defaultRole }: ConnectorRow,
  current: string,
  earlier: string | null,
  wanted: string | null,
): string {
  if (current === "owner") return current;
  if (wanted !== null) return wanted;
  // The group that gave the role is gone. A role that somebody gave by hand since then stays.
  return earlier !== null && current === earlier ? defaultRole : current;
}

const recordGroups = (
  { address, userAgent }: Pick<Ctx, "address" | "userAgent">,
  tx: Db,
  orgId: OrgId,
  memberId: MemberId,
  states: { before: Record<string, unknown>; after: Record<string, unknown> },
) =>
  recordByMember(
    tx,
    orgId,
    { memberId, credential: null, credentialId: null, address, userAgent },
    { action: "member.groups_applied", target: { type: "member", id: memberId }, ...states },
  );
