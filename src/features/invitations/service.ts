import type { Ctx, MemberCtx, Membership, OrgId, PersonCtx, UserId } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import { conflict, forbidden, invalidField, notFound, Refusal } from "../../platform/errors.ts";
import { countAttempt, invalidateCallers, readPage, refuseBound } from "../../platform/http/index.ts";
import { isId, newId } from "../../platform/ids.ts";
import { countMail } from "../../platform/mail/index.ts";
import { hashSecret, isToken, newToken } from "../../platform/secrets.ts";
import { record } from "../audit/index.ts";
import {
  confirmMailbox,
  findUser,
  findVisitor,
  requireVerifiedAddress,
  setActiveOrganization,
  type User,
} from "../auth/index.ts";
import {
  addMember,
  clearFormerMember,
  findFormerReason,
  findMemberByUser,
  isInactiveInDirectory,
} from "../members/index.ts";
import { allowsAddress, findOrganization, type Organization } from "../organizations/index.ts";
import type { Permission } from "../permissions/index.ts";
import { takeQuota } from "../quotas/index.ts";
import {
  canStillGrant,
  lockAuthority,
  lockRights,
  requireFreshToGive,
  requireGrantableRole,
} from "../roles/index.ts";
import { refuseSuspended } from "../suspension/index.ts";
import { addToTeams, countTeams, findPermissionsToAdd, lockTeams } from "../teams/index.ts";
import type { Invitation, listQuery } from "./contract.ts";
import * as mails from "./mails.ts";
import * as store from "./store.ts";

const tokenPrefix = "sbi_";
const validDays = 7;
const dailyMailLimit = { attempts: 3_000, perSeconds: 86_400 };

export async function list({ db, orgId }: MemberCtx, query: (typeof listQuery)["_output"]) {
  return readPage(store.list(db, orgId, query.status), query, "inv");
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
    const { actor, organization, sentToday } = await checkOffer(ctx, tx, { email, role, teamIds: teams });
    if ((await countTeams(tx, orgId, teams)) < teams.length)
      throw invalidField(["teamIds"], "One of these teams does not exist. GET /v1/teams lists them.");
    await store.cancelPending(tx, orgId, email);
    await takeQuota(ctx, tx, orgId, "invitations");
    const { token, mailToken, sent } = await createTokens(ctx, tx, actor);
    const invitation = (await store.insert(tx, orgId, {
      id: newId("inv"),
      email,
      role,
      teamIds: teams,
      ...sent,
    }))!;
    const message = mails.createInvitationMail(
      ctx.config.publicUrl,
      organization.name,
      invitation,
      mailToken,
    );
    await ctx.mail.send(tx, message, { sentToday });
    await record(ctx, tx, { action: "invitation.sent", target: toTarget(invitation.id), after: invitation });
    return { invitation, token };
  });
}

/** The permissions that an invitation needs. A member of a team gets what the team was granted, so teams need more. */
const listNeededPermissions = async (
  db: Db,
  orgId: OrgId,
  teamIds: readonly string[],
): Promise<Permission[]> =>
  teamIds.length > 0
    ? ["members:invite", "teams:manage", ...(await findPermissionsToAdd(db, orgId, teamIds))]
    : ["members:invite"];

/** Checks that the caller may give this role and these teams, and that the address may have them. */
async function checkOffer(
  ctx: MemberCtx,
  tx: Db,
  { email, role, teamIds }: { email: string; role: string; teamIds: readonly string[] },
) {
  // Nobody may send mails under a stranger's address. Without SMTP no mail leaves the instance.
  if (ctx.config.smtpUrl) await requireVerifiedAddress(tx, ctx.userId, "Inviting by mail");
  await countMail(ctx, tx, ctx.userId);
  const sentToday = await countAttempt(tx, `invitations ${ctx.orgId}`, dailyMailLimit);
  const actor = await lockAuthority(ctx, tx, "members:invite");
  await lockTeams(tx, ctx.orgId, teamIds);
  for (const right of await listNeededPermissions(tx, ctx.orgId, teamIds)) {
    if (!actor.permissions.has(right))
      throw forbidden("missing_permission", `Inviting into these teams needs the permission ${right}.`);
  }
  const { permissions } = await requireGrantableRole(tx, actor, role);
  requireFreshToGive(ctx, permissions);
  const organization = (await findOrganization(tx, ctx.orgId))!;
  checkDomain(organization, email);
  const person = await store.findPersonByEmail(tx, ctx.orgId, email);
  if (person) refuseMember(person.isDeactivated);
  if ((await findFormerReason(tx, ctx.orgId, email)) === "deprovisioned") throw deprovisioned();
  if (await isInactiveInDirectory(tx, ctx.orgId, email)) throw deprovisioned();
  // Somebody who may invite has decided that this person may come back.
  await clearFormerMember(tx, ctx.orgId, email);
  return { actor, organization, sentToday };
}

function checkDomain(organization: Organization, email: string): void {
  if (allowsAddress(organization, email)) return;
  const domains = organization.allowedEmailDomains;
  throw conflict(
    "email_domain_not_allowed",
    `${organization.name} only accepts addresses of ${domains.join(", ")}. Use such an address, or have the list changed.`,
    { domains },
  );
}

/** Null for somebody who is not a member. */
function refuseMember(isDeactivated: boolean | null): void {
  if (isDeactivated === null) return;
  throw isDeactivated
    ? conflict(
        "member_deactivated",
        "This person is a deactivated member. An admin can reactivate them, in the directory if it manages them.",
      )
    : conflict(
        "already_member",
        "This person already belongs to the organization. Change their role instead.",
      );
}

const deprovisioned = () =>
  conflict(
    "member_deprovisioned",
    "The directory has removed this person from the organization. Assign them in the directory again.",
  );

async function createTokens({ userId }: MemberCtx, tx: Db, actor: Membership) {
  const [token, mailToken] = [newToken(tokenPrefix), newToken(tokenPrefix)];
  const sent = {
    tokenHash: hashSecret(token),
    mailHash: hashSecret(mailToken),
    invitedBy: actor.id,
    inviterName: await store.findUserName(tx, userId),
    days: validDays,
  };
  return { token, mailToken, sent };
}

export async function resend(ctx: MemberCtx, id: string) {
  return ctx.db.transaction(async (tx) => {
    const before = await requireInvitation(tx, ctx, id);
    const { actor, organization, sentToday } = await checkOffer(ctx, tx, before);
    // Read again: it may have been accepted before this request got the lock.
    const current = await requireInvitation(tx, ctx, id);
    refuseClosed(current, ["accepted", "cancelled"]);
    // An expired invitation does not count. It is open again from now on.
    if (current.status === "expired") await takeQuota(ctx, tx, ctx.orgId, "invitations");
    const { token, mailToken, sent } = await createTokens(ctx, tx, actor);
    const invitation = (await store.renew(tx, ctx.orgId, id as store.InvitationId, sent))!;
    const message = mails.createInvitationMail(
      ctx.config.publicUrl,
      organization.name,
      invitation,
      mailToken,
    );
    await ctx.mail.send(tx, message, { sentToday });
    await record(ctx, tx, { action: "invitation.resent", target: toTarget(id), before, after: invitation });
    return { invitation, token };
  });
}

export async function cancel(ctx: MemberCtx, id: string) {
  return ctx.db.transaction(async (tx) => {
    await lockAuthority(ctx, tx, "members:invite");
    const before = await requireInvitation(tx, ctx, id);
    refuseClosed(before, ["accepted"]);
    const invitation = await store.cancel(tx, ctx.orgId, id as store.InvitationId);
    if (!invitation) return { invitation: before };
    await record(ctx, tx, {
      action: "invitation.cancelled",
      target: toTarget(id),
      before,
      after: invitation,
    });
    return { invitation };
  });
}

async function requireInvitation(tx: Db, { orgId }: MemberCtx, id: string): Promise<Invitation> {
  const invitation = isId("inv", id) ? await store.find(tx, orgId, id) : undefined;
  if (!invitation) throw notFound("invitation");
  return invitation;
}

const closedMessages = {
  accepted: "This invitation was accepted already.",
  cancelled: "This invitation was taken back. Ask to be invited again.",
  expired: "This invitation is older than 7 days. Ask to have it sent again.",
} as const;

function refuseClosed({ status }: Invitation, over: readonly (keyof typeof closedMessages)[]): void {
  const which = over.find((one) => one === status);
  if (which) throw conflict(`invitation_${which}`, closedMessages[which]);
}

const findInvitation = async (db: Db, token: string): Promise<store.InvitationByToken | undefined> =>
  isToken(tokenPrefix, token) ? store.findInvitationByToken(db, hashSecret(token)) : undefined;

async function requireInvitationByToken(db: Db, token: string): Promise<store.InvitationByToken> {
  const row = await findInvitation(db, token);
  if (!row) throw notFound("invitation");
  return row;
}

export const preview = async (db: Db, token: string) => ({
  invitation: toPreview(await requireInvitationByToken(db, token)),
});

function toPreview({
  organizationName,
  email,
  role,
  roleName,
  inviterName,
  status,
  expiresAt,
}: store.InvitationByToken) {
  return { organizationName, email: maskEmail(email), role, roleName, inviterName, status, expiresAt };
}

/** `ada@example.com` → `a•••@example.com`: enough for the person to recognize the address. */
const maskEmail = (email: string) => email.replace(/^(.).*@/u, "$1•••@");

export async function accept(ctx: PersonCtx, { token }: { token: string }) {
  const { userId, caller } = ctx;
  return ctx.db.transaction(async (tx) => {
    const { orgId } = await requireInvitationByToken(tx, token);
    // The provider of another organization must not make its people members here.
    if (caller.onlyOrgId !== orgId) refuseBound(caller);
    await lockRights(tx, orgId);
    await refuseSuspended(tx, orgId);
    // It may have been accepted, cancelled or sent again before this request got the lock.
    const invitation = await requireInvitationByToken(tx, token);
    refuseClosed(invitation, ["accepted", "cancelled", "expired"]);
    const { email } = (await findUser(tx, userId))!;
    const organization = await checkInvited(tx, invitation, { id: userId, email });
    await lockTeams(tx, orgId, invitation.teamIds);
    await refuseWithdrawn(tx, invitation);
    const { role } = invitation;
    await takeQuota(ctx, tx, orgId, "members");
    const memberId = await addMember(tx, orgId, userId, role);
    await addToTeams(tx, orgId, memberId, invitation.teamIds);
    await store.markAccepted(tx, orgId, invitation.id);
    if (invitation.isMailToken)
      await confirmMailbox(ctx, tx, userId, { proof: "invitation", keepSession: caller.credentialId });
    await setActiveOrganization(tx, userId, caller.credentialId, orgId);
    await invalidateCallers(ctx.bus, tx, userId);
    const after = { memberId, role, teamIds: invitation.teamIds, email };
    await record(ctx, tx, { action: "invitation.accepted", target: toTarget(invitation.id), after }, orgId);
    return { member: (await findMemberByUser(tx, orgId, userId))!, organization };
  });
}

/** Checks the person: their address is the invited one, and the organization accepts it. */
async function checkInvited(
  db: Db,
  { orgId, email, isMailToken }: store.InvitationByToken,
  person: { id: UserId; email: string },
): Promise<Organization> {
  if (person.email.toLowerCase() !== email) {
    throw forbidden(
      "wrong_address",
      `This invitation is for ${maskEmail(email)}. Sign in with that address.`,
    );
  }
  const existing = await findMemberByUser(db, orgId, person.id);
  if (existing) refuseMember(existing.deactivatedAt !== null);
  const former = await findFormerReason(db, orgId, email);
  if (former === "deprovisioned" || (await isInactiveInDirectory(db, orgId, email))) throw deprovisioned();
  if (former !== undefined)
    throw conflict(
      "invitation_withdrawn",
      "You were removed from the organization after this invitation was sent. Ask for a new invitation.",
    );
  const organization = (await findOrganization(db, orgId))!;
  checkDomain(organization, person.email);
  // Without the mailed token, nothing proves yet that the address belongs to the person.
  if (organization.allowedEmailDomains.length > 0 && !isMailToken)
    await requireVerifiedAddress(db, person.id, `Joining ${organization.name}`);
  return organization;
}

/** Checks the inviter: they could still give the same role and teams today. */
async function refuseWithdrawn(
  db: Db,
  { orgId, invitedBy, role, teamIds }: store.InvitationByToken,
): Promise<void> {
  const isValid =
    invitedBy !== null &&
    (await canStillGrant(db, orgId, invitedBy, role, await listNeededPermissions(db, orgId, teamIds)));
  if (isValid) return;
  throw conflict(
    "invitation_withdrawn",
    "The person who invited you has left or may no longer give this role. Ask for a new invitation.",
  );
}

type Preview = Awaited<ReturnType<typeof preview>>["invitation"];

export type InvitationLink =
  | { kind: "unknown"; hasToken: boolean }
  | ({ invitation: Preview; visitor: User | undefined } & (
      | { kind: "open" | "member" }
      | { kind: "over" | "wrong_account"; message: string }
    ));

/** Checks the link in advance, so that the page can show a refusal before the person fills in a form. */
export async function openLink(
  ctx: Ctx,
  token: string | undefined,
  cookies: string | undefined,
): Promise<InvitationLink> {
  const found = token ? await findInvitation(ctx.db, token) : undefined;
  if (!found) return { kind: "unknown", hasToken: token !== undefined };
  const visitor = await findVisitor(ctx, cookies);
  const opened = { invitation: toPreview(found), visitor };
  const userId = visitor?.id;
  const existing = userId && (await findMemberByUser(ctx.db, found.orgId, userId));
  if (existing && existing.deactivatedAt === null) return { kind: "member", ...opened };
  const over = await findRefusalMessage(async () => {
    refuseClosed(found, ["accepted", "cancelled", "expired"]);
    await refuseSuspended(ctx.db, found.orgId);
    await refuseWithdrawn(ctx.db, found);
  });
  if (over) return { kind: "over", message: over, ...opened };
  const wrong =
    visitor &&
    userId &&
    (await findRefusalMessage(() => checkInvited(ctx.db, found, { id: userId, email: visitor.email })));
  return wrong ? { kind: "wrong_account", message: wrong, ...opened } : { kind: "open", ...opened };
}

/** The message of the refusal that a check throws. Undefined when the check passes. */
async function findRefusalMessage(check: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await check();
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}

const toTarget = (id: string) => ({ type: "invitation", id });
