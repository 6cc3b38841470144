import type { JobReference, Platform, UserId } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";

/** The job of `scim`, which imports this room. */
const followAddress = { name: "scim.address-proven" } satisfies JobReference;

/**
 * Call it in the transaction that proves that an address belongs to the person. Directories that have a user with this
 * address are then applied to the person.
 */
export const announceProvenAddress = ({ jobs }: Pick<Platform, "jobs">, tx: Db, userId: UserId) =>
  jobs.add(tx, followAddress, { userId });
