import type { HttpAddress } from "../address.ts";
import { Findings } from "../findings.ts";
import type { DiscoveryState } from "../state.ts";
import type { Challenges } from "../transport/challenge.ts";
import { requestEventStream } from "../transport/http.ts";
import type { Access, CredentialsDemand } from "./access.ts";
import { findOriginServer } from "./authorization-servers.ts";
import { type MetadataSearch, readNamedMetadata } from "./resource-metadata.ts";
import type { ServerFinding } from "./server-metadata.ts";

const challengeTimeoutMs = 3000;

export interface FallbackSearch extends MetadataSearch {
  /** The authorization server at the origin of the MCP server, as MCP 2025-03-26 defined it. */
  originServer?: ServerFinding;
}

/**
 * Step 5: looks for sign-in on a server without published metadata. A GET may be answered with a challenge that names
 * the metadata. At the same time the origin is asked, which counts only if the challenge leads nowhere.
 */
export async function tryFallbacks(
  state: DiscoveryState,
  access: Access,
  search: MetadataSearch,
): Promise<FallbackSearch> {
  if (search.resource || access.kind !== "credentials_required" || !mayBeOAuth(access)) return search;
  const { server, challenges } = access;
  const originFindings = new Findings();
  const [byGet, originServer] = await Promise.all([
    challenges.token?.params.resource_metadata === undefined
      ? requestChallengeByGet(state, server)
      : undefined,
    findOriginServer(state, originFindings, server),
  ]);
  if (byGet) {
    const requiredScopes = challenges.scopes.length > 0 ? challenges.scopes : byGet.scopes;
    const start = { tried: [], challenge: byGet.token, requiredScopes };
    const found = await readNamedMetadata(state, server, start);
    if (found.resource) return found;
  }
  state.findings.addAll(originFindings);
  return originServer ? { ...search, originServer } : search;
}

/** A refusal without any scheme may come from an early revision with OAuth. One that names other schemes does not. */
function mayBeOAuth({ challenges, status }: CredentialsDemand): boolean {
  return challenges.token !== undefined || (status === 401 && challenges.list.length === 0);
}

/** Some servers name their metadata only in the answer to the GET that opens an event stream. */
async function requestChallengeByGet(
  state: DiscoveryState,
  server: HttpAddress,
): Promise<Challenges | undefined> {
  const rule = "RFC 9728 §5.1: resource_metadata in the challenge";
  const reply = await requestEventStream(state, {
    step: "probe_challenge",
    address: server,
    timeoutMs: challengeTimeoutMs,
  });
  const challenges = "status" in reply && reply.status === 401 ? reply.challenges : undefined;
  const namesMetadata = challenges?.token?.params.resource_metadata !== undefined;
  reply.entry.conclude(
    namesMetadata
      ? "The challenge to GET names the metadata that the one to POST leaves out."
      : "GET told nothing more.",
    rule,
  );
  return namesMetadata ? challenges : undefined;
}
