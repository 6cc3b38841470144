import type { PersonCtx } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import { conflict, forbidden, invalidField, notFound, unauthorized } from "../../platform/errors.ts";
import { invalidateCallers } from "../../platform/http/index.ts";
import { isId } from "../../platform/ids.ts";
import { record } from "../audit/index.ts";
import {
  findUser,
  hasTwoFactor,
  isOperator,
  listOrganizationIds,
  refuseWhileBreakGlass,
  removeUser,
  renameUser,
  setActiveOrganization,
} from "../auth/index.ts";
import { keepCredential } from "../credentials/index.ts";
import { addFormerMember } from "../members/index.ts";
import { findOrganization, removeOrganization } from "../organizations/index.ts";
import { lockRights } from "../roles/index.ts";
import { refuseSuspended } from "../suspension/index.ts";
import * as contract from "./contract.ts";
import * as store from "./store.ts";

export async function readMe(ctx: PersonCtx) {
  const { db, userId, caller } = ctx;
  const isOwnSession = caller.credential === "session" && caller.onlyOrgId === undefined;
  const [user, organizations, twoFactorEnabled, isInstanceAdmin] = await Promise.all([
    findUser(db, userId),
    store.listMemberships(db, userId),
    hasTwoFactor(db, userId),
    isOwnSession && isOperator(ctx, userId),
  ]);
  // The account was deleted after its credential was checked.
  if (!user) throw unauthorized("invalid_token");
  return {
    user,
    twoFactorEnabled,
    credential: caller.credential as "session" | "key" | "mcp" | "mcp_client",
    scopes: caller.scopes ? [...caller.scopes] : null,
    activeOrganizationId: caller.member?.orgId ?? null,
    permissions: [...(caller.member?.permissions ?? [])].sort(),
    // A credential of one organization must not show the person's others.
    organizations: isOwnSession
      ? organizations
      : organizations.filter((one) => one.organizationId === caller.member?.orgId),
    isInstanceAdmin,
  };
}

export async function changeMe(ctx: PersonCtx, { name }: { name: string }) {
  return ctx.db.transaction(async (tx) => {
    await refuseKeyElsewhere(ctx, tx);
    const before = await findUser(tx, ctx.userId);
    if (before?.name !== name && (await store.isNameManaged(tx, ctx.userId))) {
      throw conflict(
        "managed_by_scim",
        "The directory of your organization decides your name. Ask an admin to change it there.",
      );
    }
    const user = await renameUser(tx, ctx.userId, name);
    if (!user) throw unauthorized("invalid_token");
    await record(ctx, tx, { action: "user.changed", target: toTarget(user.id), before, after: user }, null);
    return { user };
  });
}

/**
 * Other organizations show the name too. The provider of one organization could sign the person in there and create a
 * key, and must not change the name elsewhere.
 */
async function refuseKeyElsewhere({ caller, userId }: PersonCtx, tx: Db): Promise<void> {
  const orgId = caller.credential === "key" ? caller.member?.orgId : undefined;
  if (orgId !== undefined && (await store.isMemberElsewhere(tx, userId, orgId)))
    throw forbidden(
      "session_required",
      "You belong to several organizations, and an API key acts in one of them. Change your name in a signed-in session.",
    );
}

export async function switchOrganization(ctx: PersonCtx, { organizationId }: { organizationId: string }) {
  const { db, bus, userId, caller } = ctx;
  if (!isId("org", organizationId) || !(await store.isMember(db, userId, organizationId)))
    throw notFound("organization");
  await refuseSuspended(db, organizationId);
  await db.transaction(async (tx) => {
    await setActiveOrganization(tx, userId, caller.credentialId, organizationId);
    await invalidateCallers(bus, tx, caller.credentialId);
  });
  return { activeOrganizationId: organizationId };
}

interface AccountRemoval {
  confirm: string;
  deleteOrganizations?: string[] | undefined;
}

export async function removeMe(
  ctx: PersonCtx,
  { confirm, deleteOrganizations = [] }: AccountRemoval,
): Promise<void> {
  const { userId } = ctx;
  await ctx.db.transaction(async (tx) => {
    await store.lockUser(tx, userId);
    const user = await findUser(tx, userId);
    if (!user) throw unauthorized("invalid_token");
    if (confirm.trim().toLowerCase() !== user.email.toLowerCase())
      throw invalidField(["confirm"], `Type the account's e-mail address to delete it: ${user.email}`);
    for (const orgId of await listOrganizationIds(tx, userId)) await lockRights(tx, orgId);
    await keepCredential(ctx, tx, contract.removeMe.access);
    await refuseWhileBreakGlass(tx, userId);
    const remaining = await store.listRemainingOrganizations(tx, userId);
    const ownerless = remaining.filter((one) => one.role === "owner" && one.hasOthers && !one.hasOtherOwner);
    if (ownerless.length > 0) {
      throw conflict(
        "sole_owner",
        `You are the only owner of ${ownerless.map(({ name }) => name).join(", ")}. Make somebody else an owner there first.`,
        { organizations: ownerless.map(toOrganizationSummary) },
      );
    }
    const soleMemberships = remaining.filter(({ hasOthers }) => !hasOthers);
    const suspended = soleMemberships.filter(({ isSuspended }) => isSuspended);
    if (suspended.length > 0) {
      throw conflict(
        "organization_suspended",
        `${suspended.map(({ name }) => name).join(", ")} would be deleted with your account, and the data of a suspended organization stays. Ask an administrator of this instance to restore it first.`,
        { organizations: suspended.map(toOrganizationSummary) },
      );
    }
    const unconfirmed = soleMemberships.filter(({ slug }) => !deleteOrganizations.includes(slug));
    if (unconfirmed.length > 0) {
      throw conflict(
        "organizations_would_be_deleted",
        `Nobody else is in ${unconfirmed.map(({ name }) => name).join(", ")}. Name them in deleteOrganizations, by slug, to delete them with the account.`,
        { organizations: unconfirmed.map(toOrganizationSummary) },
      );
    }
    for (const { orgId } of soleMemberships)
      await removeOrganization(ctx, tx, (await findOrganization(tx, orgId))!);
    for (const { orgId, memberId, role, isDeactivated } of remaining.filter(({ hasOthers }) => hasOthers)) {
      // The deactivation ends with the membership. A new account must not bring the person back.
      if (isDeactivated) await addFormerMember(tx, orgId, user.email, "removed");
      const target = { type: "member", id: memberId };
      await record(ctx, tx, { action: "member.left", target, before: { role, email: user.email } }, orgId);
    }
    await record(ctx, tx, { action: "user.deleted", target: toTarget(userId), before: user }, null);
    await removeUser(tx, userId);
    await invalidateCallers(ctx.bus, tx, userId);
  });
}

const toOrganizationSummary = ({ orgId, name, slug }: { orgId: string; name: string; slug: string }) => ({
  id: orgId,
  name,
  slug,
});
const toTarget = (id: string) => ({ type: "user", id });
