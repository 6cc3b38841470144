import type { Ctx, MemberId, OrgId, Platform, UserId } from "../../../platform/context.ts";
import { Refusal } from "../../../platform/errors.ts";
import { newId } from "../../../platform/ids.ts";
import { record } from "../../audit/index.ts";
import { lockRights } from "../../roles/index.ts";
import { refuseSuspended } from "../../suspension/index.ts";
import { findConnector } from "../connectors/index.ts";
import { applyMappings, applyUser, findAddress, findDomain, hasMember } from "../people/index.ts";
import * as store from "./store.ts";

/** Users that one job reads. The next job continues behind the jobs of other organizations. */
const batchSize = 100;

/** What the directory said earlier is applied now, so audit entries name its connector. */
function createContext(platform: Platform, orgId: OrgId, connectorId: string): Ctx {
  return {
    ...platform,
    db: platform.db.withOptions({ work: "background", share: orgId }),
    requestId: newId("req"),
    caller: {
      credential: "scim",
      credentialId: connectorId,
      principal: "machine",
      machine: { orgId, permissions: new Set(), isSuspended: false },
    },
    address: "",
    userAgent: "",
  };
}

/** Links a user of the directory who is no member, and gives a linked one what their groups give. */
async function follow(platform: Platform, orgId: OrgId, id: string): Promise<void> {
  const connector = await findConnector(platform.db, orgId);
  if (!connector) return;
  const ctx = createContext(platform, orgId, connector.id);
  await ctx.db.transaction(async (tx) => {
    await lockRights(tx, orgId);
    // A restored organization follows all its users, so nothing is missed.
    await refuseSuspended(tx, orgId);
    const rules = await findConnector(tx, orgId);
    if (rules?.id !== connector.id || rules.disabledAt !== null) return;
    const user = await store.find(tx, orgId, rules.id, id);
    if (!user) return;
    if (user.memberId !== null) return applyMappings(ctx, tx, orgId, rules, [id]);
    const { memberId } = await applyUser(ctx, tx, orgId, rules, user);
    if (memberId === null) return;
    const target = { type: "scim_user", id };
    await record(ctx, tx, { action: "scim_user.linked", target, after: { memberId } });
  });
}

/** Returns the refusal, such as that of the quota. Other errors fail the job, and it is tried again. */
async function tryFollow(platform: Platform, orgId: OrgId, id: string): Promise<Refusal | undefined> {
  try {
    await follow(platform, orgId, id);
    return undefined;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    platform.log.warn({ orgId, scimUser: id, reason: error.message }, "SCIM user not linked");
    return error;
  }
}

export interface VerifiedDomain {
  orgId: OrgId;
  domain: string;
  /** The last user of the batch before. */
  after?: string;
  /** True when no place for another member is left. */
  isFull?: boolean;
}

/** Links a batch of users with an address of this domain. Returns the next batch, if there is one. */
export async function linkUsersOfDomain(
  platform: Platform,
  { orgId, domain, after = "", ...given }: VerifiedDomain,
): Promise<VerifiedDomain | undefined> {
  let { isFull = false } = given;
  const users = await store.listUnlinked(platform.db, orgId, after, batchSize);
  for (const { id, resource } of users) {
    const address = findAddress(resource);
    if (address === undefined || findDomain(address) !== domain) continue;
    // Only those who are members already need no place.
    if (isFull && !(await hasMember(platform.db, orgId, address))) continue;
    const refusal = await tryFollow(platform, orgId, id);
    if (refusal?.body.reason === "organization_suspended") return undefined;
    isFull ||= refusal?.body.error === "quota_exceeded";
  }
  if (users.length < batchSize) return undefined;
  return { orgId, domain, after: users.at(-1)!.id, ...(isFull ? { isFull } : {}) };
}

export interface RestoredOrganization {
  orgId: OrgId;
  /** The last user of the batch before. */
  after?: string;
}

/**
 * Does for a batch of users what was left out while the organization was suspended, or the connector was disabled.
 * Returns the next batch.
 */
export async function followRestored(
  platform: Platform,
  { orgId, after = "" }: RestoredOrganization,
): Promise<RestoredOrganization | undefined> {
  const users = await store.listIds(platform.db, orgId, after, batchSize);
  for (const { id } of users) {
    const refusal = await tryFollow(platform, orgId, id);
    if (refusal?.body.reason === "organization_suspended") return undefined;
  }
  return users.length < batchSize ? undefined : { orgId, after: users.at(-1)!.id };
}

/** One person is in few directories, unless somebody enters their address in many of them. */
const maxOrganizations = 1_000;

/** The person proved that the address of the account is theirs. */
export async function followProvenAddress(platform: Platform, { userId }: { userId: UserId }): Promise<void> {
  const found = await store.listByPersonAcrossOrganizations(platform.db, userId, maxOrganizations);
  for (const { orgId, id } of found) await tryFollow(platform, orgId, id);
}

export const noteReactivation = ({ db }: Platform, given: { orgId: OrgId; memberId: MemberId }) =>
  store.raiseVersion(db, given.orgId, given.memberId);
