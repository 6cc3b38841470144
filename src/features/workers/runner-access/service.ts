import type { MachineCtx } from "../../../platform/context.ts";
import { createRunnerToken } from "../../automations/index.ts";
import { actAsOwner } from "../owners/index.ts";
import { requireSelf } from "../tokens/index.ts";
import type { RunnerTokenRequest } from "./contract.ts";

export async function createToken(ctx: MachineCtx, id: string, request: RunnerTokenRequest) {
  const workerId = requireSelf(ctx, id);
  const owner = await actAsOwner(ctx, workerId, "automations:create");
  return createRunnerToken(owner, { ...request, runnerId: workerId });
}
