import type { JobReference, Platform } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";

export const removalJob = { name: "mcp-connections.remove-clients" } satisfies JobReference;

/** Starts the job once the transaction is committed, without waiting for its turn. */
export const queueRemoval = ({ jobs }: Pick<Platform, "jobs">, tx: Db) => jobs.add(tx, removalJob, {});
