import type { MachineCtx, MemberCtx, OrgId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { notFound } from "../../../platform/errors.ts";
import { isId } from "../../../platform/ids.ts";
import { markSeen, recordLimitedActivity } from "../activity/index.ts";
import { toDesired } from "../desired/index.ts";
import { serviceClock } from "../service-times/index.ts";
import { requireSelf } from "../tokens/index.ts";
import { endUpgradeByVersion } from "../upgrades/index.ts";
import type { Runtime, RuntimeReport } from "./contract.ts";
import * as store from "./store.ts";

export async function read({ db, orgId }: MemberCtx, id: string) {
  if (!isId("wrk", id)) throw notFound("worker");
  return { runtime: await requireRuntime(db, orgId, id) };
}

async function requireRuntime(db: Db, orgId: OrgId, workerId: string): Promise<Runtime> {
  const found = await store.find(db, orgId, workerId);
  if (!found) throw notFound("worker");
  return { ...found, health: findHealth(found) };
}

const byBadness = ["healthy", "degraded", "failing"] as const;

function findHealth({ services, reportedAt }: Pick<Runtime, "services" | "reportedAt">): Runtime["health"] {
  if (reportedAt === null) return "unknown";
  return byBadness.findLast((status) => services.some((one) => one.status === status)) ?? "healthy";
}

export async function report(ctx: MachineCtx, id: string, body: RuntimeReport) {
  const workerId = requireSelf(ctx, id);
  const { orgId } = ctx;
  const { runtime, row, sequence } = await ctx.db.transaction(async (tx) => {
    const before = await store.lock(tx, orgId, workerId);
    if (!before) throw notFound("worker");
    const isNewProcess = body.bootId !== undefined && body.bootId !== before.bootId;
    await store.save(tx, orgId, workerId, body);
    const sequence = (await markSeen(tx, orgId, workerId, isNewProcess))!;
    if (isNewProcess) await store.endDrain(tx, orgId, workerId);
    if (before.reportedVersion !== body.version)
      await recordLimitedActivity(tx, orgId, workerId, "version_changed", {
        from: before.reportedVersion,
        to: body.version,
      });
    await endUpgradeByVersion(tx, orgId, workerId, body.version);
    return {
      runtime: await requireRuntime(tx, orgId, workerId),
      row: (await store.lock(tx, orgId, workerId))!,
      sequence,
    };
  });
  const nextHeartbeatSeconds = ctx.state.get(serviceClock).nextSeconds();
  return { workerId, runtime, desired: toDesired(row), sequence, nextHeartbeatSeconds };
}
