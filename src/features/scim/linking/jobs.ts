import type { MemberId, OrgId, UserId } from "../../../platform/context.ts";
import { job } from "../../../platform/jobs/index.ts";
import {
  followProvenAddress,
  followRestored,
  linkUsersOfDomain,
  noteReactivation,
  type RestoredOrganization,
  type VerifiedDomain,
} from "./service.ts";

/** Other rooms add these jobs by their names. */
const domainVerified = job<VerifiedDomain>({
  name: "scim.domain-verified",
  async handle(platform, given) {
    const next = await linkUsersOfDomain(platform, given);
    if (next) await platform.jobs.add(platform.db, domainVerified, next);
  },
});

const organizationRestored = job<RestoredOrganization>({
  name: "scim.organization-restored",
  async handle(platform, given) {
    const next = await followRestored(platform, given);
    if (next) await platform.jobs.add(platform.db, organizationRestored, next);
  },
});

const addressProven = job<{ userId: UserId }>({
  name: "scim.address-proven",
  handle: followProvenAddress,
});

const memberReactivated = job<{ orgId: OrgId; memberId: MemberId }>({
  name: "scim.member-reactivated",
  async handle(platform, given) {
    await noteReactivation(platform, given);
  },
});

export const jobs = [domainVerified, organizationRestored, addressProven, memberReactivated];
