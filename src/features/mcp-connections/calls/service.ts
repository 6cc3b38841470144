import type { MemberCtx } from "../../../platform/context.ts";
import { invalidField, Refusal } from "../../../platform/errors.ts";
import { newId } from "../../../platform/ids.ts";
import {
  consentRequired,
  findHeaders,
  reportWorked,
  signInRequired,
  workWithRenewal,
} from "../credentials/index.ts";
import { findAccount, type UsableConnection } from "../model.ts";
import { type Allowed, checkCall, confirmTool } from "../tools/index.ts";
import {
  callUpstream,
  type UpstreamCall,
  type UpstreamChallenge,
  UpstreamError,
  type UpstreamResult,
} from "../upstream/index.ts";
import { callBreaker } from "./breaker.ts";
import { createLastCheck } from "./check-again.ts";
import { describeUpstreamError, type Failure, requestTooLarge, serverPaused } from "./failures.ts";
import { callLimiter } from "./limits.ts";
import { listingRefresher } from "./refresh.ts";
import { reportCall } from "./report.ts";
import type { CallOptions, CallResult } from "./types.ts";

/**
 * Executes a tool, and logs the call. Throws a refusal when there is no result: the call is not allowed, a limit is
 * reached, a sign-in is missing, or the server failed. A result with `isError` is the answer of the tool.
 */
export async function callTool(
  ctx: MemberCtx,
  connection: UsableConnection,
  tool: string,
  args: unknown,
  options: CallOptions,
): Promise<CallResult> {
  const startedAt = Date.now();
  const started = performance.now();
  const { caller } = ctx;
  const runId = options.runId ?? (caller.credential === "run" ? caller.credentialId : null);
  const requestText = JSON.stringify(args ?? {});
  const times = { upstreamMs: 0 };
  const report = (outcome: Failure["outcome"] | "ok", code: string | null, result?: UpstreamResult) =>
    reportCall(ctx, connection, {
      id: newId("mcl"),
      tool,
      outcome,
      code,
      startedAt,
      ms: performance.now() - started,
      upstreamMs: times.upstreamMs,
      requestBytes: Buffer.byteLength(requestText),
      resultBytes: result?.resultBytes ?? 0,
      runId,
      options,
      payload: { arguments: args ?? {}, result: result?.result ?? null },
    });
  try {
    const result = await attemptCall(ctx, connection, {
      tool,
      args,
      requestText,
      runId,
      options,
      times,
    });
    const isError = result.result.isError === true;
    await report(isError ? "tool_error" : "ok", isError ? "tool_error" : null, result);
    return result.result;
  } catch (error) {
    const failure = describeFailure(error, connection, options.signal);
    await report(failure.outcome, failure.code);
    throw failure.error;
  }
}

interface Attempt {
  tool: string;
  args: unknown;
  requestText: string;
  runId: string | null;
  options: CallOptions;
  times: { upstreamMs: number };
}

async function attemptCall(
  ctx: MemberCtx,
  connection: UsableConnection,
  attempt: Attempt,
): Promise<UpstreamResult> {
  const { tool, args, requestText, runId, options } = attempt;
  const { name, limits } = connection;
  if (!isArguments(args)) throw invalidField(["arguments"], "The arguments of a tool are an object.");
  if (Buffer.byteLength(requestText) > limits.maxRequestBytes)
    throw requestTooLarge(name, limits.maxRequestBytes);
  const checkAgain = createLastCheck(ctx, connection, { tool, args: args ?? {}, runId });
  const allowed = await checkCall(ctx, connection, tool, args ?? {}, { runId, found: options.facts });
  const breaker = ctx.state.get(callBreaker);
  const { release, hasWaited } = await ctx.state.get(callLimiter).enter(ctx, connection, options.signal);
  try {
    const headers = await findHeaders(ctx, connection);
    const pause = breaker.findPause(connection.id);
    if (pause !== undefined) throw serverPaused(name, pause);
    const beforeCall = async () => {
      await checkAgain(hasWaited);
      await allowed.useApproval?.();
    };
    const send = (credential: Record<string, string>) =>
      sendCall(ctx, connection, attempt, args ?? {}, { ...allowed, beforeCall }, credential);
    try {
      const result = await workWithRenewal(ctx, connection, headers, send).catch((error) => {
        const challenge = error instanceof UpstreamError ? error.challenge : undefined;
        throw challenge ? refuseChallenge(ctx, connection, challenge) : error;
      });
      breaker.report(connection.id, true);
      reportWorked(ctx, connection);
      return result;
    } catch (error) {
      breaker.report(connection.id, findHealth(error, connection));
      throw error;
    }
  } finally {
    release();
  }
}

const isArguments = (args: unknown): args is Record<string, unknown> | undefined =>
  args === undefined || (typeof args === "object" && args !== null && !Array.isArray(args));

async function sendCall(
  ctx: MemberCtx,
  connection: UsableConnection,
  { tool, options, times }: Attempt,
  args: Record<string, unknown>,
  allowed: Pick<Allowed, "definition" | "mustList"> & Pick<UpstreamCall, "beforeCall">,
  headers: Record<string, string>,
): Promise<UpstreamResult> {
  const { limits } = connection;
  const account = findAccount(connection, ctx.member.id);
  const started = performance.now();
  try {
    const result = await callUpstream(ctx, connection, headers, {
      tool,
      args,
      // Its schema says which arguments are also sent as headers.
      definition: { name: tool, inputSchema: { ...allowed.definition.inputSchema, type: "object" } },
      timeoutMs: limits.timeoutSeconds * 1000,
      maxResultBytes: limits.maxResultBytes,
      signal: options.signal,
      onProgress: options.onProgress,
      onLog: options.onLog,
      onElicit: options.onElicit,
      onSample: options.onSample,
      beforeCall: allowed.beforeCall,
      ...(allowed.mustList
        ? { checkListing: (listing) => confirmTool(ctx, connection, tool, listing, { account }) }
        : {}),
    });
    if (!allowed.mustList) ctx.state.get(listingRefresher).refresh(connection, headers, account);
    return result;
  } finally {
    times.upstreamMs += performance.now() - started;
  }
}

const refuseChallenge = (
  ctx: MemberCtx,
  connection: UsableConnection,
  { status, scopes, reason }: UpstreamChallenge,
) => (status === 401 ? signInRequired(ctx, connection, reason) : consentRequired(ctx, connection, scopes));

/** Whether the server works, as far as an error shows it. */
function findHealth(error: unknown, connection: UsableConnection): boolean | undefined {
  if (error instanceof UpstreamError) return describeUpstreamError(error, connection.name).worked;
  // The server answered, and something else was refused: a changed tool, a credential.
  return undefined;
}

function describeFailure(error: unknown, { name }: UsableConnection, signal: AbortSignal): Failure {
  if (error instanceof UpstreamError) return describeUpstreamError(error, name);
  if (error instanceof Refusal)
    return { outcome: "refused", code: error.body.error, error, worked: undefined };
  if (signal.aborted)
    return describeUpstreamError(new UpstreamError("cancelled", "The call was cancelled."), name);
  return { outcome: "failed", code: "internal_error", error, worked: undefined };
}
