import type { DiscoveryOptions, DiscoveryOutcome } from "./options.ts";
import { type DiscoveryState, startDiscovery } from "./state.ts";
import { assessAccess } from "./steps/access.ts";
import { assessAuthentication } from "./steps/authentication.ts";
import { findAuthorizationServers } from "./steps/authorization-servers.ts";
import { tryFallbacks } from "./steps/fallbacks.ts";
import { probeServer } from "./steps/probe.ts";
import { checkResourceMetadata } from "./steps/resource-check.ts";
import { findResourceMetadata, requestMetadataEarly } from "./steps/resource-metadata.ts";
import { listTools } from "./steps/tools.ts";
import { composeVerdict } from "./steps/verdict.ts";
import { closeSessions, closeSessionsWithin, waitUntilClosed } from "./transport/sessions.ts";
import { turns } from "./turns.ts";
import { findUrlProblem } from "./url.ts";

/** How long the verdict waits for sessions to be closed. Sessions still open then are closed after it. */
const closeSessionsMs = 1000;
/** Unneeded requests get this long to end by themselves, so that their connections can be reused. */
const lateAnswerMs = 250;

/**
 * Finds out how an MCP server must be connected, without leaving anything behind. Throws a `TypeError` for a URL with a
 * problem (`findUrlProblem`), and a `DiscoveryError` if nothing can be said about the server.
 */
export async function discover(url: string, options: DiscoveryOptions = {}): Promise<DiscoveryOutcome> {
  const problem = findUrlProblem(url);
  if (problem !== undefined) throw new TypeError(problem);
  await turns.take();
  const state = startDiscovery(url, options);
  const stopWaiting = stopOnAbort(state, options.signal);
  let hasPending = true;
  try {
    const opening = await probeServer(state);
    const early = requestMetadataEarly(state, opening);
    const tools = await listTools(state, opening);
    const access = assessAccess(state, opening, tools);
    const published = await findResourceMetadata(state, access, early);
    const metadata = await tryFallbacks(state, access, published);
    const issuers = checkResourceMetadata(state, access, metadata);
    const servers = await findAuthorizationServers(state, access, issuers);
    const authentication = assessAuthentication(state, access, metadata, servers);
    const result = composeVerdict(state, { opening, tools, access }, authentication);

    hasPending = state.evidence.abandonPending();
    await closeSessionsWithin(state, Math.min(closeSessionsMs, state.budget.remainingMs));
    return {
      result,
      get evidence() {
        return state.evidence.list();
      },
      closed: waitUntilClosed(state),
    };
  } finally {
    stopWaiting();
    if (hasPending) abandonRequests(state);
    closeSessions(state);
    if (!options.egress) void waitUntilClosed(state).finally(() => state.egress.close());
  }
}

function abandonRequests({ verdictReached }: DiscoveryState) {
  setTimeout(() => verdictReached.abort(), lateAnswerMs).unref();
}

/** Returns a function that removes the listener. */
function stopOnAbort(
  { budget, verdictReached }: DiscoveryState,
  signal: AbortSignal | undefined,
): () => void {
  const stop = () => {
    budget.end();
    verdictReached.abort();
  };
  if (signal?.aborted) stop();
  signal?.addEventListener("abort", stop, { once: true });
  return () => signal?.removeEventListener("abort", stop);
}
