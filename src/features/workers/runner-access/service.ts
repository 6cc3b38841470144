import type { MachineCtx } from "../../../platform/context.ts";
import { notFound } from "../../../platform/errors.ts";
import { createRunnerToken } from "../../automations/index.ts";
import { actAsOwner, keepWorker } from "../owners/index.ts";
import { requireSelf } from "../tokens/index.ts";
import type { RunnerTokenRequest } from "./contract.ts";

export async function createToken(ctx: MachineCtx, id: string, request: RunnerTokenRequest) {
  const workerId = requireSelf(ctx, id);
  const owner = await actAsOwner(ctx, workerId, "automations:create");
  return ctx.db.transaction(async (tx) => {
    if (!(await keepWorker(tx, ctx.orgId, workerId))) throw notFound("worker");
    return createRunnerToken({ ...owner, db: tx }, { ...request, runnerId: workerId });
  });
}
