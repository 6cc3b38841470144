import type { JobReference, Platform, UserId } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";

/** The job of `scim`, which imports this room. */
const followAddress = { name: "scim.address-proven" } satisfies JobReference;

/**
 * Call this in the transaction that proves a person's address. A job then links the person to users with this address
 * in directories, and gives the mapped roles and teams.
 */
export const announceProvenAddress = ({ jobs }: Pick<Platform, "jobs">, tx: Db, userId: UserId) =>
  jobs.add(tx, followAddress, { userId });
