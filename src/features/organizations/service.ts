import { randomBytes } from "node:crypto";
import type { MemberCtx, UserCtx } from "../../platform/context.ts";
import { violatedConstraint } from "../../platform/db/index.ts";
import { conflict, notFound } from "../../platform/errors.ts";
import { afterOf, forgetCallers, type PageQuery, page } from "../../platform/http/index.ts";
import { newId } from "../../platform/ids.ts";
import { setActiveOrganization } from "../auth/index.ts";
import { addMember } from "../members/index.ts";
import type { Organization } from "./contract.ts";
import * as store from "./store.ts";

const slugTaken = () => conflict("slug_taken", "Another organization has this slug. Choose another one.");

export async function create(
  { db, bus, userId, caller }: UserCtx,
  { name, slug }: { name: string; slug?: string | undefined },
) {
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

export async function change({ db, bus, orgId }: MemberCtx, changes: Parameters<typeof store.update>[2]) {
  try {
    return await db.transaction(async (tx) => {
      const organization = found(await store.update(tx, orgId, changes));
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
