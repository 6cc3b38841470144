import type { MemberId, OrgId } from "../../../platform/context.ts";
import { isId } from "../../../platform/ids.ts";

/** The subject of a grant: a member of one organization. */
export interface Account {
  orgId: OrgId;
  memberId: MemberId;
}

export const formatAccount = ({ orgId, memberId }: Account): string => `${orgId}.${memberId}`;

export function parseAccount(text: unknown): Account | undefined {
  const [orgId = "", memberId = ""] = typeof text === "string" ? text.split(".") : [];
  return isId("org", orgId) && isId("mem", memberId) ? { orgId, memberId } : undefined;
}
