import type { JobReference, Platform } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";

/** The job of `revocations/`, which reads clients and connections. They queue it by this name. */
export const revocationJob = { name: "oauth.revoke" } satisfies JobReference;

/** Starts the job once the transaction is committed, without waiting for its turn. */
export const queueRevocation = ({ jobs }: Pick<Platform, "jobs">, tx: Db) => jobs.add(tx, revocationJob, {});
