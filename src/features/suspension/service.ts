import type { OrgId } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import { organizationSuspended } from "../../platform/errors.ts";
import { findSuspension } from "./store.ts";

/** For routes without a credential of the organization, such as invitations, sign-ins and webhooks. */
export async function refuseSuspended(db: Db, orgId: OrgId): Promise<void> {
  const organization = await findSuspension(db, orgId);
  if (organization && organization.suspendedAt !== null) throw organizationSuspended();
}
