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
    await record(ctx, tx, { action: "organization.created", target: targetOf(id), after: organization }, id);
    return { organization };
  });
}

/** For rooms that make one; who belongs to it is theirs to say. */
export async function insertOrganization(
  tx: Db,
  { name, slug }: NewOrganization,
  provisionalDays: number | null = null,
): Promise<Organization> {
  const id = newId("org");
  // A slug that was asked for is taken or refused; one that we make up gets a tail until it is free.
  const wish = slug ?? slugFrom(name);
  let organization = await store.insert(tx, { id, name, slug: wish, provisionalDays });
  if (!organization && slug) throw slugTaken();
  while (!organization) {
    const tail = randomBytes(3).toString("hex");
    organization = await store.insert(tx, {
      id,
      name,
      slug: `${wish.slice(0, 41)}-${tail}`,
      provisionalDays,
    });
  }
  return organization;
}

export async function list({ db, userId, caller }: PersonCtx, query: PageQuery) {
  // A key belongs to one organization and has no business with the person's others.
  const only = caller.credential === "key" ? (caller.member?.orgId ?? null) : null;
  return cutPageById(await store.listOfUser(db, userId, only, readIdCursor(query), query.limit + 1), query);
}

export async function read({ db, orgId }: MemberCtx) {
  return { organization: found(await store.find(db, orgId)) };
}

export async function change(ctx: MemberCtx, changes: Parameters<typeof store.update>[2]) {
  const { db, bus, orgId } = ctx;
  if (changes.requireSso) refuseWithoutSso();
  try {
    return await db.transaction(async (tx) => {
      const before = found(await store.lock(tx, orgId));
      const organization = found(await store.update(tx, orgId, changes));
      await record(ctx, tx, {
        action: "organization.changed",
        target: targetOf(orgId),
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

/** The one place that knows whether requiring single sign-on would lock everybody out. */
function refuseWithoutSso(): never {
  throw conflict(
    "sso_not_configured",
    "This organization has no single sign-on yet, so nobody could come in. Set it up first, then require it.",
  );
}

export async function remove(ctx: MemberCtx, { confirm }: { confirm: string }): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    // Whoever lost the right at this very moment does not get through with what was remembered.
    await lockAuthority(ctx, tx, "organization:delete");
    const organization = found(await store.find(tx, ctx.orgId));
    if (confirm !== organization.slug)
      throw invalidField(["confirm"], `Type the organization's slug to delete it: ${organization.slug}`);
    await removeOrganization(ctx, tx, organization);
  });
}

/** Without a word: for whoever says themselves what happened. */
export async function eraseOrganization(bus: Ctx["bus"], tx: Db, orgId: OrgId): Promise<void> {
  await store.remove(tx, orgId);
  await invalidateCallers(bus, tx, orgId);
}

/** Everything that could open a door goes with this transaction; large tables are swept afterwards. */
export async function removeOrganization(
  ctx: Pick<Ctx, "bus"> & Parameters<typeof record>[0],
  tx: Db,
  organization: Organization,
): Promise<void> {
  const id = organization.id;
  await eraseOrganization(ctx.bus, tx, id);
  // Its own chain went along; what is left to know of it belongs to the instance.
  await record(ctx, tx, { action: "organization.deleted", target: targetOf(id), before: organization }, null);
}

/** Whether somebody with this address may belong to it. */
export const allowsAddress = ({ allowedEmailDomains }: Organization, email: string): boolean =>
  allowedEmailDomains.length === 0 ||
  allowedEmailDomains.includes(email.slice(email.lastIndexOf("@") + 1).toLowerCase());

const targetOf = (id: string) => ({ type: "organization", id });

function found(organization: Organization | undefined): Organization {
  if (!organization) throw notFound("organization");
  return organization;
}

function slugFrom(name: string): string {
  const words = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  return words.slice(0, 48).replace(/-+$/, "") || "organization";
}
