import type { MachineCtx } from "../../../platform/context.ts";
import { notFound } from "../../../platform/errors.ts";
import { createRunnerToken } from "../../automations/index.ts";
import { actAsOwner, keepWorker } from "../owners/index.ts";
import { recheckToken, requireSelf } from "../tokens/index.ts";
import type { RunnerTokenRequest } from "./contract.ts";

export async function createToken(ctx: MachineCtx, id: string, request: RunnerTokenRequest) {
  const workerId = requireSelf(ctx, id);
  return ctx.db.transaction(async (tx) => {
    if (!(await keepWorker(tx, ctx.orgId, workerId))) throw notFound("worker");
    // Under the lock: a rotation or a new owner, which ends what the earlier token or owner had, is waited for.
    await recheckToken(ctx, tx, workerId);
    const owner = await actAsOwner({ ...ctx, db: tx }, workerId, "automations:create");
    return createRunnerToken(owner, { ...request, runnerId: workerId });
  });
}
