import { createCapacity } from "../../platform/capacity.ts";
import type { MemberCtx } from "../../platform/context.ts";
import { Refusal } from "../../platform/errors.ts";
import type { Discovery } from "./contract.ts";
import { DiscoveryError, discoverRequirements } from "./engine/index.ts";

// A discovery holds its place for 15 s at worst, nearly all of it waiting: what it costs is memory, some 3 MiB each.
const capacity = createCapacity({ total: 128, perKey: 64, waitMs: 2000, waiting: 256, waitingPerKey: 64 });

export async function discover(
  ctx: MemberCtx,
  { url }: { url: string },
  { include }: { include?: "evidence" | undefined },
): Promise<Discovery> {
  const release = await capacity.enter(ctx.orgId);
  if (!release) {
    throw failed(
      "Too many discoveries are running at the moment. Wait for some of them to end, then try again.",
    );
  }
  const started = performance.now();
  try {
    const outcome = await discoverRequirements({
      url,
      egress: ctx.egress,
      redirectUri: (id) => `${ctx.config.publicUrl}/v1/oauth-providers/${id}/connect/callback`,
    });
    // The place stays taken until the sessions are closed: that is work too.
    outcome.closed.then(release, release);
    const { result } = outcome;
    const seconds = (performance.now() - started) / 1000;
    ctx.metrics.time("mcp_discovery_duration_seconds", { status: result.status }, seconds);
    return include === "evidence" ? { ...result, evidence: outcome.evidence } : result;
  } catch (error) {
    release();
    if (error instanceof DiscoveryError) throw failed(error.message);
    ctx.log.error({ err: error, requestId: ctx.requestId }, "discovery failed");
    throw failed(
      "Discovery failed because of a fault of this instance, not of the server. Its operator finds the cause in the log.",
    );
  }
}

function failed(message: string): Refusal {
  return new Refusal(502, { error: "requirements_discovery_failed", message });
}
