import type { HttpAddress } from "../address.ts";
import type { DiscoveryState } from "../state.ts";
import { requestEventStream } from "../transport/http.ts";
import type { CredentialsRequired } from "../transport/outcomes.ts";

const eventsTimeoutMs = 3000;
const specificationRule =
  "MCP 2025-11-25, Transports › Backwards Compatibility: POST refused, so GET and look for an endpoint event";

type LegacyOpening =
  | { era: "legacy_sse"; server: HttpAddress; endpointIsForeign: boolean }
  | { era: "credentials_required"; outcome: CredentialsRequired; onlyByGet: true };

/** Looks for the HTTP+SSE transport of 2024-11-05: GET opens a stream whose first event names where to POST. */
export async function probeLegacySse(
  state: DiscoveryState,
  server: HttpAddress,
): Promise<LegacyOpening | undefined> {
  const request = { step: "probe_legacy_sse", address: server, timeoutMs: eventsTimeoutMs };
  const reply = await requestEventStream(state, request, eventsTimeoutMs);
  const { entry } = reply;
  if ("failure" in reply) {
    entry.conclude("No event stream either.", specificationRule);
    return undefined;
  }
  const { status, challenges, first } = reply;
  if (status === 401 || status === 403) {
    entry.conclude(
      `GET asks for credentials (${status}) where POST is not served at all.`,
      specificationRule,
      "server.initialize",
    );
    const outcome = { address: server, entry, kind: "credentials_required" as const, status, challenges };
    return { era: "credentials_required", outcome, onlyByGet: true };
  }
  if (first?.event !== "endpoint") {
    entry.conclude(
      `GET answered ${status} and no endpoint event: not the HTTP+SSE transport.`,
      specificationRule,
    );
    return undefined;
  }
  entry.conclude(
    "The first event names an endpoint: this is the HTTP+SSE transport of 2024-11-05.",
    specificationRule,
    "status",
    "authentication.kind",
  );
  const endpointIsForeign = server.resolve(first.data)?.origin !== server.origin;
  return { era: "legacy_sse", server, endpointIsForeign };
}
