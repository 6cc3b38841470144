import { randomBytes } from "node:crypto";
import type { MemberCtx, UserCtx } from "../../platform/context.ts";
import { violatedConstraint } from "../../platform/db/index.ts";
import { conflict, notFound } from "../../platform/errors.ts";
import { afterOf, forgetCallers, type PageQuery, page } from "../../platform/http/index.ts";
import { newId } from "../../platform/ids.ts";
import { record } from "../audit/index.ts";
import { setActiveOrganization } from "../auth/index.ts";
import { addMember } from "../members/index.ts";
import type { Organization } from "./contract.ts";
import * as store from "./store.ts";

const slugTaken = () => conflict("slug_taken", "Another organization has this slug. Choose another one.");

export async function create(ctx: UserCtx, { name, slug }: { name: string; slug?: string | undefined }) {
  const { db, bus, userId, caller } = ctx;
  return db.transaction(async (tx) => {
    const id = newId("org");
    // A slug that was asked for is taken or refused; one that we make up gets a tail until it is free.
    const wish = slug ?? slugFrom(name);
    let organization = await store.insert(tx, { id, name, slug: wish });
    if (!organization && slug) throw slugTaken();
    while (!organization) {
      const tail = randomBytes(3).toString("hex");
      organization = await store.insert(tx, { id, name, slug: `${wish.slice(0, 41)}-${tail}` });
    }
    await addMember(tx, id, userId, "owner");
    await setActiveOrganization(tx, userId, caller.credentialId, id);
    await forgetCallers(bus, tx, userId);
    const target = { type: "organization", id };
    await record(ctx, tx, { action: "organization.created", target, after: organization }, id);
    return { organization };
  });
}

export async function list({ db, userId, caller }: UserCtx, query: PageQuery) {
  // A key belongs to one organization and has no business with the person's others.
  const only = caller.credential === "key" ? (caller.member?.orgId ?? null) : null;
  return page(await store.listOfUser(db, userId, only, afterOf(query), query.limit + 1), query);
}

export async function read({ db, orgId }: MemberCtx) {
  return { organization: found(await store.find(db, orgId)) };
}

export async function change(ctx: MemberCtx, changes: Parameters<typeof store.update>[2]) {
  const { db, bus, orgId } = ctx;
  try {
    return await db.transaction(async (tx) => {
      const before = found(await store.lock(tx, orgId));
      const organization = found(await store.update(tx, orgId, changes));
      const target = { type: "organization", id: orgId };
      await record(ctx, tx, { action: "organization.changed", target, before, after: organization });
      await forgetCallers(bus, tx, orgId);
      return { organization };
    });
  } catch (error) {
    if (violatedConstraint(error) === "organizations_slug_key") throw slugTaken();
    throw error;
  }
}

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
