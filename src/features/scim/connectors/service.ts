import type { JobReference, MemberCtx, Membership, OrgId, Platform } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { invalidField, notFound } from "../../../platform/errors.ts";
import { invalidateCallers } from "../../../platform/http/index.ts";
import { newId } from "../../../platform/ids.ts";
import { hashSecret, newToken } from "../../../platform/secrets.ts";
import { record } from "../../audit/index.ts";
import { releaseManagedMembers } from "../../members/index.ts";
import { lockAuthority, requireGrantableRole } from "../../roles/index.ts";
import { checkMayMap, countTeams, releaseManagedTeams } from "../../teams/index.ts";
import { applyMappings, listValidRoles } from "../people/index.ts";
import { createBaseUrl } from "../protocol.ts";
import type { GroupMapping, ScimConnector } from "./contract.ts";
import { scimPrefix } from "./credential.ts";
import * as store from "./store.ts";

const overlapHours = 24;

export async function read({ db, orgId, config }: MemberCtx) {
  const connector = await store.find(db, orgId);
  return {
    connector: connector ? await describe(db, orgId, connector) : null,
    baseUrl: createBaseUrl(config),
  };
}

async function describe(db: Db, orgId: OrgId, connector: store.Connector): Promise<ScimConnector> {
  const { disabledAt, calls, errors, lastCallAt, lastErrorAt, lastError, ...rest } = connector;
  const status =
    disabledAt !== null
      ? "disabled"
      : lastCallAt === null
        ? "never_called"
        : lastErrorAt !== null && lastErrorAt >= lastCallAt
          ? "failing"
          : "working";
  return {
    ...rest,
    enabled: disabledAt === null,
    tokens: await store.listTokens(db, orgId, connector.id),
    health: {
      ...{ status, lastCallAt, lastErrorAt, lastError, calls, errors },
      ...(await store.countResources(db, orgId, connector.id)),
    },
  };
}

interface NewToken {
  name?: string | undefined;
  endEarlierTokens: boolean;
}

export async function createToken(ctx: MemberCtx, { name, endEarlierTokens }: NewToken) {
  const { orgId, config } = ctx;
  const token = newToken(scimPrefix);
  return ctx.db.transaction(async (tx) => {
    const actor = await lockAuthority(ctx, tx, "scim:manage");
    const existing = await store.find(tx, orgId);
    if (existing) await checkGiven(tx, actor, existing);
    const connector = existing ?? (await store.insert(tx, orgId, newId("scm"), name ?? "Directory"))!;
    if (existing) {
      await store.expireTokens(tx, orgId, existing.id, endEarlierTokens ? 0 : overlapHours);
      if (name !== undefined)
        await store.update(tx, orgId, existing.id, {
          ...existing,
          name,
          enabled: existing.disabledAt === null,
        });
      await invalidateCallers(ctx.bus, tx, existing.id);
    }
    const id = newId("sct");
    const start = token.slice(0, scimPrefix.length + 6);
    await store.insertToken(tx, orgId, connector.id, { id, start, tokenHash: hashSecret(token) });
    await record(ctx, tx, {
      action: existing ? "scim_connector.token_rotated" : "scim_connector.created",
      target: toTarget(connector.id),
      after: { tokenId: id, start, name: name ?? connector.name, endEarlierTokens },
    });
    const now = (await store.find(tx, orgId))!;
    return { connector: await describe(tx, orgId, now), token, baseUrl: createBaseUrl(config) };
  });
}

/** The job of `linking`, which imports this part of the room. It follows all users once. */
const followUsers = { name: "scim.organization-restored" } satisfies JobReference;

interface ConnectorChange {
  name?: string | undefined;
  enabled?: boolean | undefined;
  defaultRole?: string | undefined;
  groupMappings?: GroupMapping[] | undefined;
}

export async function change(ctx: MemberCtx, input: ConnectorChange) {
  const { orgId } = ctx;
  return ctx.db.transaction(async (tx) => {
    const actor = await lockAuthority(ctx, tx, "scim:manage");
    const before = await requireConnector(tx, orgId);
    const { name = before.name, enabled = before.disabledAt === null } = input;
    const { defaultRole = before.defaultRole, groupMappings = before.groupMappings } = input;
    if (input.defaultRole !== undefined) await checkRole(tx, actor, defaultRole, ["defaultRole"]);
    if (input.groupMappings) await checkMappings(tx, actor, input.groupMappings);
    const after = (await store.update(tx, orgId, before.id, { name, enabled, defaultRole, groupMappings }))!;
    await record(ctx, tx, {
      action: "scim_connector.changed",
      target: toTarget(before.id),
      before: toState(before),
      after: toState(after),
    });
    if (input.groupMappings) await applyMappings(ctx, tx, orgId, after, null);
    // Nobody was linked while it was disabled, although addresses may have been proven and domains verified.
    if (before.disabledAt !== null && enabled) await ctx.jobs.add(tx, followUsers, { orgId });
    return { connector: await describe(tx, orgId, after), baseUrl: createBaseUrl(ctx.config) };
  });
}

async function checkRole(tx: Db, actor: Membership, role: string, path: (string | number)[]): Promise<void> {
  if (role === "owner")
    throw invalidField(path, "A directory cannot make somebody an owner. Only an owner can.");
  await requireGrantableRole(tx, actor, role);
}

/** The holder of a token decides who is in a group, so a token can give everything that the mappings give. */
async function checkGiven(tx: Db, actor: Membership, connector: store.Connector): Promise<void> {
  const valid = await listValidRoles(tx, actor.orgId, connector);
  const { defaultRole, groupMappings } = connector;
  for (const role of new Set([defaultRole, ...groupMappings.flatMap((one) => one.role ?? [])]))
    if (valid.has(role)) await requireGrantableRole(tx, actor, role);
  await checkMayMap(
    tx,
    actor,
    groupMappings.flatMap(({ teamId }) => teamId ?? []),
  );
}

async function checkMappings(tx: Db, actor: Membership, mappings: readonly GroupMapping[]): Promise<void> {
  for (const [i, { role }] of mappings.entries())
    if (role !== undefined) await checkRole(tx, actor, role, ["groupMappings", i, "role"]);
  const teamIds = [...new Set(mappings.flatMap(({ teamId }) => teamId ?? []))];
  if ((await countTeams(tx, actor.orgId, teamIds)) < teamIds.length)
    throw invalidField(["groupMappings"], "One of these teams does not exist. GET /v1/teams lists them.");
  await checkMayMap(tx, actor, teamIds);
}

export async function remove(ctx: MemberCtx): Promise<void> {
  const { orgId } = ctx;
  await ctx.db.transaction(async (tx) => {
    await lockAuthority(ctx, tx, "scim:manage");
    const connector = await requireConnector(tx, orgId);
    const released = await releaseManagedMembers(tx, orgId, connector.id);
    await releaseManagedTeams(tx, orgId);
    await store.remove(tx, orgId, connector.id);
    await invalidateCallers(ctx.bus, tx, connector.id);
    await record(ctx, tx, {
      action: "scim_connector.removed",
      target: toTarget(connector.id),
      before: { ...toState(connector), releasedMembers: released },
    });
  });
}

async function requireConnector(db: Db, orgId: OrgId): Promise<store.Connector> {
  const connector = await store.find(db, orgId);
  if (!connector) throw notFound("scim_connector");
  return connector;
}

export const removeExpiredTokens = ({ db }: Platform) => store.removeExpiredTokensAcrossOrganizations(db);

const toState = ({ name, disabledAt, defaultRole, groupMappings }: store.Connector) => ({
  name,
  enabled: disabledAt === null,
  defaultRole,
  groupMappings,
});
const toTarget = (id: string) => ({ type: "scim_connector", id });
