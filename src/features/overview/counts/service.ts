import type { MemberCtx } from "../../../platform/context.ts";
import { builtInRoles, type Permission } from "../../permissions/index.ts";
import { countWorkerStates } from "../../workers/index.ts";
import type { Counts } from "./contract.ts";
import * as store from "./store.ts";

const presentStates: ReadonlySet<string> = new Set(["online", "busy", "idle", "draining", "paused"]);

export async function readCounts(ctx: MemberCtx): Promise<{ counts: Counts }> {
  const { db, orgId, member } = ctx;
  const may = (permission: Permission) => member.permissions.has(permission);
  const runReach = may("automations:manage") ? null : member.id;
  const connectionReach = may("connections:manage") ? null : member.id;
  const [runs, automations, workers, people, invitations, templates, connectors, connections] =
    await Promise.all([
      may("automations:create") ? store.countLiveRuns(db, orgId, runReach) : null,
      may("automations:create") ? store.countAutomations(db, orgId, runReach) : null,
      may("workers:read") ? countWorkers(ctx) : null,
      may("members:read") ? countPeople(ctx) : null,
      may("members:invite") ? store.countInvitations(db, orgId) : null,
      may("templates:read") ? store.countTemplates(db, orgId) : null,
      may("connectors:read") ? store.countConnectors(db, orgId) : null,
      may("connections:use") || may("connections:manage")
        ? store.countConnections(db, orgId, connectionReach)
        : null,
    ]);
  return { counts: { runs, automations, workers, people, invitations, templates, connectors, connections } };
}

async function countWorkers({ db, orgId }: MemberCtx) {
  const counts = { total: 0, present: 0, busy: 0 };
  for (const { state, count } of await countWorkerStates(db, orgId)) {
    counts.total += count;
    if (presentStates.has(state)) counts.present += count;
    if (state === "busy") counts.busy += count;
  }
  return counts;
}

async function countPeople({ db, orgId }: MemberCtx) {
  const { customRoles, ...people } = await store.countPeople(db, orgId);
  return { ...people, roles: customRoles + builtInRoles.length };
}
