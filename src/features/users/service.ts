import type { OrgId, UserCtx } from "../../platform/context.ts";
import { notFound, unauthorized } from "../../platform/errors.ts";
import { forgetCallers } from "../../platform/http/index.ts";
import { setActiveOrganization } from "../auth/index.ts";
import * as store from "./store.ts";

export async function readMe({ db, userId, caller }: UserCtx) {
  const [user, organizations] = await Promise.all([
    store.findUser(db, userId),
    store.listMemberships(db, userId),
  ]);
  // Deleted between the check of the credential and here.
  if (!user) throw unauthorized("invalid_token");
  return {
    user,
    credential: caller.credential as "session" | "key",
    activeOrganizationId: caller.member?.orgId ?? null,
    permissions: [...(caller.member?.permissions ?? [])].sort(),
    // A key belongs to one organization and has no business with the person's others.
    organizations:
      caller.credential === "key"
        ? organizations.filter((one) => one.organizationId === caller.member?.orgId)
        : organizations,
  };
}

export async function changeMe({ db, userId }: UserCtx, { name }: { name: string }) {
  const user = await store.renameUser(db, userId, name);
  if (!user) throw unauthorized("invalid_token");
  return { user };
}

export async function switchOrganization(ctx: UserCtx, { organizationId }: { organizationId: string }) {
  const { db, bus, userId, caller } = ctx;
  if (!(await store.isMember(db, userId, organizationId))) throw notFound("organization");
  await db.transaction(async (tx) => {
    await setActiveOrganization(tx, userId, caller.credentialId, organizationId as OrgId);
    await forgetCallers(bus, tx, caller.credentialId);
  });
  return { activeOrganizationId: organizationId };
}
