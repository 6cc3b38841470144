import type { MemberCtx, MemberId, Membership, UserCtx } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import { conflict, forbidden, invalidField, notFound } from "../../platform/errors.ts";
import { afterOf, countAttempt, forgetCallers, page } from "../../platform/http/index.ts";
import { isId, newId } from "../../platform/ids.ts";
import { hashSecret, isToken, newToken } from "../../platform/secrets.ts";
import { record } from "../audit/index.ts";
import { confirmAddress, emailOf, setActiveOrganization } from "../auth/index.ts";
import { addMember, findMemberByUser } from "../members/index.ts";
import { allowsAddress, findOrganization, type Organization } from "../organizations/index.ts";
import type { Permission } from "../permissions/index.ts";
import { couldGrant, grantableRole, lockAuthority, lockRights } from "../roles/index.ts";
import { addToTeams, countTeams } from "../teams/index.ts";
import type { Invitation, listQuery } from "./contract.ts";
import * as mails from "./mails.ts";
import * as store from "./store.ts";

const prefix = "sbi_";
const days = 7;
const mailsADay = { attempts: 3_000, perSeconds: 86_400 };

export async function list({ db, orgId }: MemberCtx, query: (typeof listQuery)["_output"]) {
  return page(await store.list(db, orgId, query.status, afterOf(query), query.limit + 1), query);
}

interface NewInvitation {
  email: string;
  role: string;
  teamIds?: string[] | undefined;
}

export async function create(ctx: MemberCtx, { email: given, role, teamIds = [] }: NewInvitation) {
  const { orgId } = ctx;
  const email = given.toLowerCase();
  const teams = [...new Set(teamIds)];
  return ctx.db.transaction(async (tx) => {
    const { actor, organization } = await checkedOffer(ctx, tx, { email, role, teamIds: teams });
    if ((await countTeams(tx, orgId, teams)) < teams.length)
      throw invalidField(["teamIds"], "One of these is no team here. GET /v1/teams lists them.");
    await store.cancelOpen(tx, orgId, email);
    const { token, mailToken, sent } = await newLinks(ctx, tx, actor);
    const invitation = (await store.insert(tx, orgId, {
      id: newId("inv"),
      email,
      role,
      teamIds: teams,
      ...sent,
    }))!;
    await ctx.mail.send(tx, mails.invitation(ctx.config.publicUrl, organization.name, invitation, mailToken));
    await record(ctx, tx, { action: "invitation.sent", target: targetOf(invitation.id), after: invitation });
    return { invitation, token };
  });
}

/** What offering a place takes. Teams are given things, so being put into one is being given them. */
const rightsFor = (teamIds: readonly string[]): Permission[] =>
  teamIds.length > 0 ? ["members:invite", "teams:manage"] : ["members:invite"];

/** What holds whenever somebody offers a place: they may give it, and the address may have it. */
async function checkedOffer(
  ctx: MemberCtx,
  tx: Db,
  { email, role, teamIds }: { email: string; role: string; teamIds: readonly string[] },
) {
  await countAttempt(tx, `invitations ${ctx.orgId}`, mailsADay);
  const actor = await lockAuthority(ctx, tx, "members:invite");
  for (const right of rightsFor(teamIds)) {
    if (!actor.permissions.has(right))
      throw forbidden("missing_permission", `Inviting into teams needs the permission ${right}.`);
  }
  await grantableRole(tx, actor, role);
  const organization = (await findOrganization(tx, ctx.orgId))!;
  checkDomain(organization, email);
  if (await store.hasMemberWithEmail(tx, ctx.orgId, email)) throw alreadyMember();
  return { actor, organization };
}

function checkDomain(organization: Organization, email: string): void {
  if (allowsAddress(organization, email)) return;
  const domains = organization.allowedEmailDomains;
  throw conflict(
    "email_domain_not_allowed",
    `${organization.name} only takes addresses of ${domains.join(", ")}. Use such an address, or have the list changed.`,
    { domains },
  );
}

const alreadyMember = () =>
  conflict("already_member", "This person belongs to the organization already. Change their role instead.");

async function newLinks({ userId }: MemberCtx, tx: Db, actor: Membership) {
  const [token, mailToken] = [newToken(prefix), newToken(prefix)];
  const sent = {
    tokenHash: hashSecret(token),
    mailHash: hashSecret(mailToken),
    invitedBy: actor.id,
    inviterName: await store.nameOf(tx, userId),
    days,
  };
  return { token, mailToken, sent };
}

export async function resend(ctx: MemberCtx, id: string) {
  return ctx.db.transaction(async (tx) => {
    const before = await found(tx, ctx, id);
    const { actor, organization } = await checkedOffer(ctx, tx, before);
    // Read again: the one who had the lock may have accepted it.
    refuseOver(await found(tx, ctx, id), ["accepted", "cancelled"]);
    const { token, mailToken, sent } = await newLinks(ctx, tx, actor);
    const invitation = (await store.renew(tx, ctx.orgId, id as store.InvitationId, sent))!;
    await ctx.mail.send(tx, mails.invitation(ctx.config.publicUrl, organization.name, invitation, mailToken));
    await record(ctx, tx, { action: "invitation.resent", target: targetOf(id), before, after: invitation });
    return { invitation, token };
  });
}

export async function cancel(ctx: MemberCtx, id: string) {
  return ctx.db.transaction(async (tx) => {
    await lockAuthority(ctx, tx, "members:invite");
    const before = await found(tx, ctx, id);
    refuseOver(before, ["accepted"]);
    const invitation = await store.cancel(tx, ctx.orgId, id as store.InvitationId);
    if (!invitation) return { invitation: before };
    await record(ctx, tx, {
      action: "invitation.cancelled",
      target: targetOf(id),
      before,
      after: invitation,
    });
    return { invitation };
  });
}

async function found(tx: Db, { orgId }: MemberCtx, id: string): Promise<Invitation> {
  const invitation = isId("inv", id) ? await store.find(tx, orgId, id) : undefined;
  if (!invitation) throw notFound("invitation");
  return invitation;
}

const overMessages = {
  accepted: "This invitation was accepted already.",
  cancelled: "This invitation was taken back. Ask to be invited again.",
  expired: "This invitation is older than 7 days. Ask to have it sent again.",
} as const;

function refuseOver({ status }: Invitation, over: readonly (keyof typeof overMessages)[]): void {
  const which = over.find((one) => one === status);
  if (which) throw conflict(`invitation_${which}`, overMessages[which]);
}

async function byToken(db: Db, token: string): Promise<store.Found> {
  const row = isToken(prefix, token) ? await store.findInvitationByToken(db, hashSecret(token)) : undefined;
  if (!row) throw notFound("invitation");
  return row;
}

export async function preview(db: Db, token: string) {
  const { organizationName, email, role, roleName, inviterName, status, expiresAt } = await byToken(
    db,
    token,
  );
  return {
    invitation: { organizationName, email: masked(email), role, roleName, inviterName, status, expiresAt },
  };
}

/** `ada@example.com` → `a•••@example.com`: enough to know which of one's addresses is meant. */
const masked = (email: string) => email.replace(/^(.).*@/u, "$1•••@");

export async function accept(ctx: UserCtx, { token }: { token: string }) {
  const { userId, caller } = ctx;
  return ctx.db.transaction(async (tx) => {
    const { orgId } = await byToken(tx, token);
    await lockRights(tx, orgId);
    // Whoever held the lock before us may have used it, taken it back or sent it again.
    const invitation = await byToken(tx, token);
    refuseOver(invitation, ["accepted", "cancelled", "expired"]);
    const email = await emailOf(tx, userId);
    if (email.toLowerCase() !== invitation.email) {
      throw forbidden(
        "wrong_address",
        `This invitation is for ${masked(invitation.email)}. Sign in with that address.`,
      );
    }
    if (await findMemberByUser(tx, orgId, userId)) throw alreadyMember();
    const organization = (await findOrganization(tx, orgId))!;
    checkDomain(organization, email);
    const { invitedBy, role, teamIds } = invitation;
    const stands =
      invitedBy !== null && (await couldGrant(tx, orgId, invitedBy as MemberId, role, rightsFor(teamIds)));
    if (!stands) {
      throw conflict(
        "invitation_withdrawn",
        "Who invited you has left or may no longer give this role. Ask to have the invitation sent again.",
      );
    }
    const memberId = await addMember(tx, orgId, userId, role);
    await addToTeams(tx, orgId, memberId, invitation.teamIds);
    await store.markAccepted(tx, orgId, invitation.id);
    if (invitation.byMail) await confirmAddress(tx, userId);
    await setActiveOrganization(tx, userId, caller.credentialId, orgId);
    await forgetCallers(ctx.bus, tx, userId);
    const after = { memberId, role, teamIds: invitation.teamIds, email };
    await record(ctx, tx, { action: "invitation.accepted", target: targetOf(invitation.id), after }, orgId);
    return { member: (await findMemberByUser(tx, orgId, userId))!, organization };
  });
}

const targetOf = (id: string) => ({ type: "invitation", id });
