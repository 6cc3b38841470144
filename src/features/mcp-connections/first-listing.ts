import type { JobReference, OrgId, Platform } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import type { ConnectionId } from "./model.ts";
import * as store from "./store.ts";

export const watchJob = { name: "mcp-connections.watch" } satisfies JobReference;

/**
 * Lists the tools of a connection that has none yet as soon as the transaction is committed, without waiting for the
 * schedule of the watch. Call it when a credential may have become usable.
 */
export async function requestFirstListing(
  { jobs }: Pick<Platform, "jobs">,
  tx: Db,
  orgId: OrgId,
  id: ConnectionId,
): Promise<void> {
  if ((await store.makeFirstCheckDue(tx, orgId, id)) > 0) await jobs.add(tx, watchJob, {});
}
