import type { MemberId, OrgId, UserId } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import { conflict, notFound } from "../../platform/errors.ts";
import { isId } from "../../platform/ids.ts";
import type { Member } from "./contract.ts";
import * as store from "./store.ts";

export type IdentifiedMember = Member & { id: MemberId; userId: UserId };

export async function requireMember(db: Db, orgId: OrgId, id: string): Promise<IdentifiedMember> {
  const member = isId("mem", id) ? await store.find(db, orgId, id) : undefined;
  if (!member) throw notFound("member");
  return member as IdentifiedMember;
}

/** The caller holds the lock of the organization, so no other role changes meanwhile. */
export async function requireAnotherOwner(tx: Db, orgId: OrgId, memberId: MemberId): Promise<void> {
  if (!(await store.hasOtherOwner(tx, orgId, memberId)))
    throw conflict(
      "last_owner",
      "An organization keeps at least one active owner. Make somebody else an owner first.",
    );
  await refuseBreakGlass(tx, orgId, memberId);
}

/** Without this owner, nobody could sign in when the organization requires single sign-on and its provider fails. */
export async function refuseBreakGlass(tx: Db, orgId: OrgId, memberId: MemberId): Promise<void> {
  if (await store.isBreakGlass(tx, orgId, memberId))
    throw conflict(
      "break_glass_owner",
      "This owner is the one who may sign in without single sign-on. Name another one in the organization's settings first.",
    );
}

const managedMessages = {
  role: "A group of the directory gives this member their role. Change the group in the directory, or its mapping.",
  deactivation:
    "The directory decides whether this member is active. Change the person in the directory, or remove the SCIM connector.",
  removal: "The directory manages this member. Remove the person there, or remove the SCIM connector.",
} as const;

/** Refuses a manual change of what the directory decides. */
export function refuseManaged(
  { managedBy, managedFields }: Pick<Member, "managedBy" | "managedFields">,
  what: keyof typeof managedMessages,
): void {
  if (managedBy === null || (what === "role" && !managedFields.includes("role"))) return;
  throw conflict("managed_by_scim", managedMessages[what]);
}
