import type { MemberCtx } from "../../../platform/context.ts";
import { findTargetNames } from "../../audit/index.ts";
import type { Change, EndedRun, recentQuery } from "./contract.ts";
import * as store from "./store.ts";

export async function listRecent(ctx: MemberCtx, { limit, type }: (typeof recentQuery)["_output"]) {
  const [changes, runs] = await Promise.all([
    type === "run" ? [] : listChanges(ctx, limit),
    type === "change" ? [] : listRuns(ctx, limit),
  ]);
  const items = [...changes, ...runs].toSorted((one, other) => other.at - one.at).slice(0, limit);
  return { items };
}

async function listChanges({ db, orgId, member }: MemberCtx, limit: number): Promise<Change[]> {
  if (!member.permissions.has("audit:read")) return [];
  const rows = await store.listChanges(db, orgId, limit);
  const changes = rows.map(({ before, after, ...row }) => ({
    ...row,
    before: before === null ? null : JSON.parse(before),
    after: after === null ? null : JSON.parse(after),
  }));
  const names = await findTargetNames(db, orgId, changes);
  return changes.map(({ id, at, action, actorName, actorMemberId, targetType, targetId }, place) => ({
    ...{ type: "change", id, at, action, actorName, actorMemberId },
    target: { type: targetType, id: targetId, name: names[place] ?? null },
  }));
}

async function listRuns({ db, orgId, member }: MemberCtx, limit: number): Promise<EndedRun[]> {
  if (!member.permissions.has("automations:create")) return [];
  const rows = member.permissions.has("automations:manage")
    ? await store.listEndedRuns(db, orgId, limit)
    : await store.listEndedRunsOfMember(db, orgId, member.id, limit);
  return rows.map((row) => ({ type: "run", ...row }));
}
