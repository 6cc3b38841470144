import type { MemberCtx } from "../../../../platform/context.ts";
import type { Item } from "../contract.ts";
import { createItem, rowLimit } from "../item.ts";
import * as store from "./store.ts";

export async function findCodeHostItems({ db, orgId, member }: MemberCtx): Promise<Item[]> {
  if (!member.permissions.has("connectors:read")) return [];
  const [disconnected, failed, refused, altered] = await Promise.all([
    store.listDisconnected(db, orgId, rowLimit),
    store.listFailedSyncs(db, orgId, rowLimit),
    store.listRefused(db, orgId, rowLimit),
    store.listAltered(db, orgId, rowLimit),
  ]);
  const toSubject = ({ id, name }: { id: string; name: string }) =>
    ({ type: "connector", id, name }) as const;
  return [
    ...disconnected.map((row) =>
      createItem("error", "connector_disconnected", toSubject(row), { code: row.reason, since: row.since }),
    ),
    ...failed.map((row) =>
      createItem("error", "sync_failed", toSubject(row), {
        ...{ code: row.reason, message: row.message, since: row.since },
        related: { type: "sync", id: row.syncId },
      }),
    ),
    ...refused.map((row) =>
      createItem("warning", "deliveries_refused", toSubject(row), {
        ...{ code: row.reason, count: row.count, since: row.since },
      }),
    ),
    ...altered.map((row) =>
      createItem("warning", "deliveries_altered", toSubject(row), { count: row.count, since: row.since }),
    ),
  ];
}
