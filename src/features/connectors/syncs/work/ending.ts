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
  ended: store.Ended,
): Promise<void> {
  if (ended.againInSeconds !== null) return void (await store.fail(db, orgId, id, holder, ended));
  await db.transaction(async (tx) => {
    const failed = await store.fail(tx, orgId, id, holder, ended);
    // A member who disables a connector expects that it is not synced.
    if (!failed || ended.code === "connector_disabled") return;
    const { code, message } = ended;
    const fact = { connectorId, syncId: id, code, message, syncedAt: failed.syncedAt };
    await announce(tx, orgId, { type: "sync.failed", ...fact });
  });
}
