import { randomBytes } from "node:crypto";
import type { Ctx, MemberCtx, OrgId, PersonCtx } from "../../platform/context.ts";
import { type Db, violatedConstraint } from "../../platform/db/index.ts";
import { conflict, invalidField, notFound } from "../../platform/errors.ts";
import { cutPageById, invalidateCallers, type PageQuery, readIdCursor } from "../../platform/http/index.ts";
import { newId } from "../../platform/ids.ts";
import { record } from "../audit/index.ts";
import { setActiveOrganization } from "../auth/index.ts";
import { addMember } from "../members/index.ts";
import { lockAuthority } from "../roles/index.ts";
import { checkMayChangeRequirement, checkMayRequireSso, endCredentialsOfLockedOut } from "../sso/index.ts";
import type { Organization } from "./contract.ts";
import * as store from "./store.ts";

const slugTaken = () => conflict("slug_taken", "Another organization has this slug. Choose another one.");

interface NewOrganization {
  name: string;
  slug?: string | undefined;
}

export async function create(ctx: PersonCtx, wanted: NewOrganization) {
  const { db, bus, userId, caller } = ctx;
  return db.transaction(async (tx) => {
    const organization = await insertOrganization(tx, wanted);
    const id = organization.id;
    await addMember(tx, id, userId, "owner");
    await setActiveOrganization(tx, userId, caller.credentialId, id);
    await invalidateCallers(bus, tx, userId);
    await record(ctx, tx, { action: "organization.created", target: toTarget(id), after: organization }, id);
    return { organization };
  });
}

/** For rooms that create organizations. The caller adds the members. */
export async function insertOrganization(
  tx: Db,
  { name, slug }: NewOrganization,
  provisionalDays: number | null = null,
): Promise<Organization> {
  const id = newId("org");
  // A requested slug is used or refused. A generated slug gets a suffix until it is free.
  const wantedSlug = slug ?? createSlug(name);
  let organization = await store.insert(tx, { id, name, slug: wantedSlug, provisionalDays });
  if (!organization && slug) throw slugTaken();
  while (!organization) {
    const suffix = randomBytes(3).toString("hex");
    organization = await store.insert(tx, {
      id,
      name,
      slug: `${wantedSlug.slice(0, 41)}-${suffix}`,
      provisionalDays,
    });
  }
  return organization;
}

export async function list({ db, userId, caller }: PersonCtx, query: PageQuery) {
  // A credential of one organization must not show the person's others.
  const onlyOrgId = caller.credential === "key" ? (caller.member?.orgId ?? null) : (caller.onlyOrgId ?? null);
  return cutPageById(
    await store.listByUser(db, userId, onlyOrgId, readIdCursor(query, "org"), query.limit + 1),
    query,
  );
}

export async function read({ db, orgId }: MemberCtx) {
  return { organization: requireOrganization(await store.find(db, orgId)) };
}

type Changes = Parameters<typeof store.update>[2];

export async function change(ctx: MemberCtx, changes: Changes) {
  const { db, bus, orgId } = ctx;
  const changesSso = changes.requireSso !== undefined || changes.breakGlassMemberId !== undefined;
  if (changesSso) checkMayChangeRequirement(ctx);
  try {
    return await db.transaction(async (tx) => {
      await lockAuthority(ctx, tx, "organization:update");
      const before = requireOrganization(await store.lock(tx, orgId));
      if (changesSso) await requireSso(ctx, tx, before, changes);
      const organization = requireOrganization(await store.update(tx, orgId, changes));
      await record(ctx, tx, {
        action: "organization.changed",
        target: toTarget(orgId),
        before,
        after: organization,
      });
      await invalidateCallers(bus, tx, orgId);
      return { organization };
    });
  } catch (error) {
    if (violatedConstraint(error) === "organizations_slug_key") throw slugTaken();
    throw error;
  }
}

/** Checks that nobody is locked out, and ends the keys of members who cannot sign in any more. */
async function requireSso(ctx: MemberCtx, tx: Db, before: Organization, changes: Changes): Promise<void> {
  await lockAuthority(ctx, tx, "sso:manage");
  const { requireSso = before.requireSso, breakGlassMemberId = before.breakGlassMemberId } = changes;
  if (!requireSso) {
    if (changes.breakGlassMemberId !== undefined)
      throw invalidField(["breakGlassMemberId"], "Only has a meaning together with requireSso.");
    return;
  }
  await checkMayRequireSso(ctx, tx, breakGlassMemberId);
  // The owner who was named before may have no other way to sign in.
  if (!before.requireSso || breakGlassMemberId !== before.breakGlassMemberId)
    await endCredentialsOfLockedOut(ctx, tx, breakGlassMemberId!);
}

export async function remove(ctx: MemberCtx, { confirm }: { confirm: string }): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    // Checked again under the lock, because the right may have been removed in the meantime.
    await lockAuthority(ctx, tx, "organization:delete");
    const organization = requireOrganization(await store.find(tx, ctx.orgId));
    if (confirm !== organization.slug)
      throw invalidField(["confirm"], `Type the organization's slug to delete it: ${organization.slug}`);
    await removeOrganization(ctx, tx, organization);
  });
}

/** Writes no audit entry. The caller records what happened. */
export async function deleteOrganizationRows(bus: Ctx["bus"], tx: Db, orgId: OrgId): Promise<void> {
  await store.remove(tx, orgId);
  await invalidateCallers(bus, tx, orgId);
}

/** Credentials are deleted in this transaction. Rows of large tables are removed by a job. */
export async function removeOrganization(
  ctx: Pick<Ctx, "bus"> & Parameters<typeof record>[0],
  tx: Db,
  organization: Organization,
): Promise<void> {
  const id = organization.id;
  await deleteOrganizationRows(ctx.bus, tx, id);
  // The organization's audit chain is deleted too, so the entry goes to the chain of the instance.
  await record(ctx, tx, { action: "organization.deleted", target: toTarget(id), before: organization }, null);
}

/** Whether a person with this address may be a member. */
export const allowsAddress = ({ allowedEmailDomains }: Organization, email: string): boolean =>
  allowedEmailDomains.length === 0 ||
  allowedEmailDomains.includes(email.slice(email.lastIndexOf("@") + 1).toLowerCase());

const toTarget = (id: string) => ({ type: "organization", id });

function requireOrganization(organization: Organization | undefined): Organization {
  if (!organization) throw notFound("organization");
  return organization;
}

function createSlug(name: string): string {
  const words = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  return words.slice(0, 48).replace(/-+$/, "") || "organization";
}
