import {
  DiscoveryError,
  type DiscoveryOptions,
  type DiscoveryOutcome,
  discover as discoverServer,
} from "@signalbox/discovery";
import { NoPlaceError } from "@signalbox/flow-control";
import type { MemberCtx, OrgId, Platform } from "../../../platform/context.ts";
import { Refusal } from "../../../platform/errors.ts";
import type { Discovery } from "./contract.ts";

// A discovery holds its place for up to 15 s, mostly waiting. Its cost is memory: about 3 MiB each.
const queueLimits = { capacity: 128, maxWaitMs: 2_000, maxWaiting: 256, maxWaitingPerKey: 64 };

export async function discover(
  ctx: MemberCtx,
  { url }: { url: string },
  { include }: { include?: "evidence" | undefined },
): Promise<Discovery> {
  const outcome = await runDiscovery(ctx, url);
  return include === "evidence" ? { ...outcome.result, evidence: outcome.evidence } : outcome.result;
}

/** Discovers a server within the shares and limits of the organization. Refuses with the error of the contract. */
export async function runDiscovery(
  ctx: Platform & { orgId: OrgId; requestId?: string },
  url: string,
  options: Pick<DiscoveryOptions, "onProgress" | "signal"> = {},
): Promise<DiscoveryOutcome> {
  const release = await ctx
    .queues("discoveries", queueLimits)
    .enter(ctx.orgId)
    .catch((error) => {
      if (!(error instanceof NoPlaceError)) throw error;
      throw discoveryFailed(
        "Too many discoveries are running at the moment. Wait for some of them to end, then try again.",
        { "retry-after": "5" },
      );
    });
  const started = performance.now();
  try {
    const outcome = await discoverServer(url, {
      ...options,
      egress: ctx.egress.forOrganization(ctx.orgId),
      redirectUri: () => `${ctx.config.publicUrl}/v1/mcp-connections/connect/callback`,
    });
    // Closing the sessions is part of the work, so the place is released after it.
    outcome.closed.then(release, release);
    const seconds = (performance.now() - started) / 1000;
    ctx.metrics.time("mcp_discovery_duration_seconds", { status: outcome.result.status }, seconds);
    return outcome;
  } catch (error) {
    release();
    if (error instanceof DiscoveryError) throw discoveryFailed(error.message);
    ctx.log.error({ err: error, requestId: ctx.requestId }, "discovery failed");
    throw discoveryFailed(
      "Discovery failed because of a fault of this instance, not of the server. Its operator finds the cause in the log.",
    );
  }
}

function discoveryFailed(message: string, headers?: Record<string, string>): Refusal {
  return new Refusal(502, { error: "requirements_discovery_failed", message }, headers);
}
