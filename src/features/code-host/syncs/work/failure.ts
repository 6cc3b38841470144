import type { OrgId } from "../../../../platform/context.ts";
import type { Db } from "../../../../platform/db/index.ts";
import { announce } from "../../../notifications/index.ts";
import type { SyncId } from "../store.ts";
import * as store from "./store.ts";

/** Records a failed attempt. When no retry follows, the failure is announced, once until a sync succeeds. */
export async function failSync(
  db: Db,
  orgId: OrgId,
  { id, connectorId, holder }: { id: SyncId; connectorId: string; holder: string | null },
  failure: store.SyncFailure,
): Promise<void> {
  if (failure.retryInSeconds !== null) return void (await store.setFailed(db, orgId, id, holder, failure));
  await db.transaction(async (tx) => {
    const failed = await store.setFailed(tx, orgId, id, holder, failure);
    // A member who disables a connector expects that it is not synced.
    if (!failed || failure.code === "connector_disabled") return;
    const { code, message } = failure;
    const details = { connectorId, syncId: id, code, message, syncedAt: failed.syncedAt };
    await announce(tx, orgId, { type: "sync.failed", ...details });
  });
}
