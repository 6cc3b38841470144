import type { MemberCtx } from "../../../../platform/context.ts";
import { listUnseenWorkers } from "../../../workers/index.ts";
import type { Item } from "../contract.ts";
import { createItem, rowLimit } from "../item.ts";
import * as store from "./store.ts";

/** Lost ephemeral workers need no care: they are removed by themselves. */
export async function findFleetItems({ db, orgId, member }: MemberCtx): Promise<Item[]> {
  if (!member.permissions.has("workers:read")) return [];
  const [lost, stale, upgrades] = await Promise.all([
    listUnseenWorkers(db, orgId, "lost", rowLimit),
    listUnseenWorkers(db, orgId, "stale", rowLimit),
    store.listFailedUpgrades(db, orgId, rowLimit),
  ]);
  return [
    ...lost.map(({ id, name, ...row }) =>
      createItem("error", "worker_lost", { type: "worker", id, name }, { ...row }),
    ),
    ...stale.map(({ id, name, ...row }) =>
      createItem("warning", "worker_stale", { type: "worker", id, name }, { ...row }),
    ),
    ...upgrades.map(({ id, workerId, name, state, reason, since }) =>
      createItem(
        "error",
        "worker_upgrade_failed",
        { type: "worker", id: workerId, name },
        { code: state, message: reason, since, related: { type: "upgrade", id } },
      ),
    ),
  ];
}
