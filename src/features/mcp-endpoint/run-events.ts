import type { CallToolResult } from "@modelcontextprotocol/server";
import type { MemberCtx } from "../../platform/context.ts";
import { Refusal } from "../../platform/errors.ts";
import { recordServiceEvent } from "../automations/index.ts";
import { readErrorCode } from "./results.ts";

/** The searches and calls of a run's program are events of the run. Arguments and results are not part of them. */
export const recordSearch = (
  ctx: MemberCtx,
  payload: { query: string; results: readonly string[]; total: number },
): Promise<void> => record(ctx, "capability_search", payload);

export const recordExecution = (
  ctx: MemberCtx,
  {
    name,
    connection,
    result,
    durationMs,
  }: { name: string; connection: string | null; result: CallToolResult; durationMs: number },
): Promise<void> =>
  record(ctx, "capability_execution", {
    name,
    connection,
    durationMs,
    isError: result.isError === true,
    ...(result.isError ? { code: readErrorCode(result) ?? "tool_error" } : {}),
  });

async function record(
  ctx: MemberCtx,
  type: "capability_search" | "capability_execution",
  payload: Record<string, unknown>,
): Promise<void> {
  if (ctx.caller.credential !== "run") return;
  try {
    await recordServiceEvent(ctx, { type, payload });
  } catch (error) {
    // The attempt ended meanwhile. What the program did is in the log of calls.
    if (!(error instanceof Refusal)) throw error;
    ctx.log.info(
      { requestId: ctx.requestId, runId: ctx.caller.credentialId, type },
      "run event came too late",
    );
  }
}
