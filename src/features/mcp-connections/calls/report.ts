import type { MemberCtx, Platform } from "../../../platform/context.ts";
import type { Id } from "../../../platform/ids.ts";
import { defineState } from "../../../platform/state.ts";
import type { UsableConnection } from "../model.ts";
import type { Outcome } from "./contract.ts";
import { callLog } from "./log.ts";
import type { Payload } from "./sealing.ts";
import type { CallOptions } from "./types.ts";

export interface EndedCall {
  id: Id<"mcl">;
  tool: string;
  outcome: Outcome;
  code: string | null;
  startedAt: number;
  ms: number;
  /** How much of the time the server took. */
  upstreamMs: number;
  requestBytes: number;
  resultBytes: number;
  runId: string | null;
  options: Pick<CallOptions, "attempt" | "client" | "traceparent">;
  payload: Payload;
}

/** Writes a call to the log, the metrics and the trace. Resolves when the log is committed. */
export async function reportCall(
  ctx: MemberCtx,
  connection: UsableConnection,
  call: EndedCall,
): Promise<void> {
  const { outcome, code, ms, options } = call;
  measureCall(ctx, call);
  if (code !== null && !ctx.state.get(limitReports).isNew(`${connection.id} ${ctx.member.id} ${code}`))
    return;
  const { caller, member, orgId } = ctx;
  const record = {
    orgId,
    id: call.id,
    connectionId: connection.id,
    memberId: member.id,
    credential: caller.credential,
    credentialId: caller.credentialId,
    client: options.client === undefined ? null : toStorable(options.client, 100),
    tool: toStorable(call.tool, 256),
    outcome,
    code,
    ms: Math.round(ms),
    requestBytes: call.requestBytes,
    resultBytes: call.resultBytes,
    runId: call.runId,
    attempt: options.attempt ?? null,
    createdAt: call.startedAt,
  };
  const payload = connection.logPayloads
    ? { content: call.payload, days: connection.payloadDays }
    : undefined;
  await ctx.state.get(callLog).write(record, payload);
}

function measureCall({ metrics, trace }: Pick<Platform, "metrics" | "trace">, call: EndedCall): void {
  const { outcome, code, ms, upstreamMs, requestBytes, resultBytes, options } = call;
  metrics.time("mcp_call_duration_seconds", { outcome }, ms / 1000);
  if (outcome === "ok") metrics.time("mcp_call_overhead_seconds", {}, (ms - upstreamMs) / 1000);
  if (code !== null) metrics.count("mcp_call_errors_total", { outcome, code });
  trace
    ?.start("mcp tools/call", "client", options.traceparent, ms)
    ?.end(outcome === "failed" || outcome === "timed_out", {
      "mcp.outcome": outcome,
      "mcp.code": code ?? undefined,
      "mcp.request_bytes": requestBytes,
      "mcp.result_bytes": resultBytes,
      "mcp.upstream_ms": Math.round(upstreamMs),
    });
}

/** What the database can store. */
const toStorable = (text: string, maxLength: number) =>
  text.replaceAll("\0", "\ufffd").slice(0, maxLength).toWellFormed();

/** Refusals because of a limit. A caller can cause thousands of them, and they cost the server nothing. */
const limitCodes = /^\S+ \S+ mcp_(?:rate_limited|busy|server_paused)$/;
const repeatMs = 10_000;

/** Logs such refusals of a member once in ten seconds. Metrics count all of them. */
export const limitReports = defineState({
  name: "logged refusals because of limits",
  create: ({ metrics }) => {
    metrics.describe("mcp_call_duration_seconds", "Calls of tools by outcome, and how long they took.");
    metrics.describe(
      "mcp_call_overhead_seconds",
      "How long successful calls took without the time of the server.",
    );
    metrics.describe("mcp_call_errors_total", "Calls of tools without success, by outcome and code.");
    metrics.describe("mcp_listing_failures_total", "Listings of tools beside a call that failed.");
    const loggedAt = new Map<string, number>();
    return {
      isNew(key: string, now = performance.now()): boolean {
        if (!limitCodes.test(key)) return true;
        const last = loggedAt.get(key);
        if (last !== undefined && now - last < repeatMs) return false;
        for (const [other, at] of loggedAt) {
          if (now - at < repeatMs) break;
          loggedAt.delete(other);
        }
        loggedAt.delete(key);
        loggedAt.set(key, now);
        return true;
      },
    };
  },
});
