import type { OrgId, UserId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { findAccountTies, findUser, findUserByEmail } from "../../auth/index.ts";
import { isFormerMember, isInactiveInDirectory } from "../../members/index.ts";
import type { ConnectorRow } from "../connectors/index.ts";
import { isVerifiedDomain, readDomain } from "../domains/index.ts";
import type { Identity } from "./identity.ts";
import * as store from "./store.ts";

/** What happens to a person whom a provider has identified. */
export type Verdict =
  | { kind: "known"; identity: store.IdentityRow; userId: UserId; member: store.MemberState }
  /** The person left the organization by themselves, or was invited again since. */
  | { kind: "back"; identity: store.IdentityRow; userId: UserId }
  /** There is no account with this address. */
  | { kind: "new"; email: string }
  /** This organization's single sign-on created the account, and it is used for nothing else. */
  | { kind: "link"; userId: UserId; member: store.MemberState | undefined }
  /** The account is the person's own, so they have to prove that it is theirs. */
  | { kind: "prove"; userId: UserId; email: string; member: store.MemberState | undefined }
  | Refused;

export interface Refused {
  kind: "refused";
  code: string;
  message: string;
}

const refuse = (code: string, message: string): Refused => ({ kind: "refused", code, message });

const refusals = {
  removed: () =>
    refuse(
      "member_removed",
      "This person was removed from the organization. An admin can invite them again.",
    ),
  deactivated: () =>
    refuse(
      "member_deactivated",
      "This member is deactivated. An admin can reactivate them, in the directory if it manages them.",
    ),
  notMember: () =>
    refuse(
      "not_a_member",
      "This person is not a member, and the connector does not create members. Invite them first.",
    ),
  noEmail: () =>
    refuse(
      "email_missing",
      "The provider sent no e-mail address. Check the claim that holds it, and the scopes.",
    ),
  unverified: () =>
    refuse("email_not_verified", "The provider says that the e-mail address of this person is not verified."),
  domain: (domain: string) =>
    refuse(
      "domain_not_verified",
      `${domain} is not a verified domain of this organization. Verify it first.`,
    ),
  notAllowed: (domain: string) =>
    refuse(
      "domain_not_allowed",
      `The organization's settings do not allow members with an address of ${domain}.`,
    ),
  otherSubject: () =>
    refuse(
      "linked_to_another",
      "The account with this address is linked to another person at the provider. An owner can remove that link.",
    ),
};

/** Decides without changing anything, so that a test of the connector gives the same answer as a sign-in. */
export async function decide(db: Db, connector: ConnectorRow, identity: Identity): Promise<Verdict> {
  const { orgId, id } = connector;
  const known = await store.findBySubject(db, orgId, id, identity.subject);
  if (known) return decideKnown(db, connector, known);
  const { email, emailVerified } = identity;
  if (email === undefined) return refusals.noEmail();
  if (emailVerified === false) return refusals.unverified();
  const domain = readDomain(email);
  if (!(await isVerifiedDomain(db, orgId, domain))) return refusals.domain(domain);
  const user = await findUserByEmail(db, email);
  if (user && (await store.hasIdentity(db, orgId, id, user.id))) return refusals.otherSubject();
  const member = user && (await store.findMember(db, orgId, user.id));
  if (member?.isDeactivated) return refusals.deactivated();
  if (!member) {
    const refused = await decideJoining(db, connector, email);
    if (refused) return refused;
  }
  if (!user) return { kind: "new", email };
  return (await isOnlyHere(db, orgId, user.id))
    ? { kind: "link", userId: user.id, member }
    : { kind: "prove", userId: user.id, email, member };
}

/** Whether single sign-on of this organization created the account, and it is used for nothing else. */
export async function isOnlyHere(db: Db, orgId: OrgId, userId: UserId): Promise<boolean> {
  const ties = await findAccountTies(db, orgId, userId);
  return (ties?.isMadeHere && !ties.hasOtherWaysIn && !ties.isElsewhere) ?? false;
}

async function decideKnown(db: Db, connector: ConnectorRow, identity: store.IdentityRow): Promise<Verdict> {
  const { userId } = identity;
  const member = await store.findMember(db, connector.orgId, userId);
  if (member?.isDeactivated) return refusals.deactivated();
  if (member) return { kind: "known", identity, userId, member };
  const { email } = (await findUser(db, userId))!;
  return (await decideJoining(db, connector, email)) ?? { kind: "back", identity, userId };
}

/** Whether somebody who is not a member may become one. */
async function decideJoining(
  db: Db,
  { orgId, createsMembers }: ConnectorRow,
  email: string,
): Promise<Refused | undefined> {
  if (await isFormerMember(db, orgId, email)) return refusals.removed();
  if (await isInactiveInDirectory(db, orgId, email)) return refusals.deactivated();
  if (!createsMembers) return refusals.notMember();
  const domain = readDomain(email);
  const allowed = await store.listAllowedDomains(db, orgId);
  return allowed.length === 0 || allowed.includes(domain) ? undefined : refusals.notAllowed(domain);
}
