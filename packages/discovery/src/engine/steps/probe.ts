import type { HttpAddress } from "../address.ts";
import { isObject, readStrings } from "../json.ts";
import {
  handshakeVersions,
  isModernError,
  isProtocolVersion,
  METHOD_NOT_FOUND,
  modernVersions,
  UNSUPPORTED_VERSION,
} from "../protocol.ts";
import type { DiscoveryState } from "../state.ts";
import { type CredentialsRequired, describeOutcome, type RpcOutcome } from "../transport/outcomes.ts";
import { sendRpc } from "../transport/rpc.ts";
import { closeSessions } from "../transport/sessions.ts";
import { probeLegacySse } from "./legacy-sse.ts";

const discoverTimeoutMs = 5000;
const initializeTimeoutMs = 10_000;
/** Once the handshake has answered, `server/discover` gets this long to prove the newer revision. */
const graceMs = 1500;

/** A server that answered one of the two openings without credentials. */
export interface OpenServer {
  era: "modern" | "handshake";
  server: HttpAddress;
  version: string;
  isKnownVersion: boolean;
  hasTools: boolean;
  session?: string;
}

export type Opening =
  | OpenServer
  /** `onlyByGet`: the server does not serve POST, and GET asks for credentials. */
  | { era: "credentials_required"; outcome: CredentialsRequired; onlyByGet?: true }
  | { era: "legacy_sse"; server: HttpAddress; endpointIsForeign: boolean }
  | { era: "none"; discover: RpcOutcome; initialize: RpcOutcome };

export function isOpenServer(opening: Opening): opening is OpenServer {
  return opening.era === "modern" || opening.era === "handshake";
}

/** Step 1: finds out which revisions of the protocol the server speaks. */
export async function probeServer(state: DiscoveryState): Promise<Opening> {
  const opening = await sendOpenings(state);
  // The handshake may have opened a session that a modern server does not need.
  if (opening.era === "modern") closeSessions(state);
  return opening;
}

/** Sends both openings at once, because either one alone would cost a round trip on half of all servers. */
async function sendOpenings(state: DiscoveryState): Promise<Opening> {
  const discovering = sendDiscover(state);
  const initializing = sendInitialize(state);
  // One of them may still be under way when the other has decided. Its error is then ignored.
  for (const sent of [discovering, initializing]) sent.catch(() => undefined);
  const first = await Promise.race([discovering, initializing.then(() => undefined)]);
  if (first && isDiscoverResult(first)) return chooseRevision(first, initializing);

  const initialize = await initializing;
  const isDecided = initialize.kind === "result" || initialize.kind === "credentials_required";
  const discover = isDecided ? await waitAtMost(discovering, graceMs) : await discovering;
  if (discover && isDiscoverResult(discover)) return chooseRevision(discover, initializing);
  const handshake = readInitialize(initialize);
  if (handshake) return handshake;
  if (initialize.kind === "credentials_required")
    return { era: "credentials_required", outcome: chooseChallenge(initialize, discover) };
  if (discover?.kind === "credentials_required") return { era: "credentials_required", outcome: discover };
  const legacy = mayBeLegacy(initialize) ? await probeLegacySse(state, initialize.address) : undefined;
  return legacy ?? { era: "none", discover: discover ?? initialize, initialize };
}

/** Prefers the modern revision, unless it is unknown here and the same server speaks a known older one. */
async function chooseRevision(
  discover: DiscoverResult,
  initializing: Promise<RpcOutcome>,
): Promise<OpenServer> {
  const modern = readDiscover(discover);
  if (modern.isKnownVersion) return modern;
  const handshake = readInitialize(await initializing);
  return handshake?.isKnownVersion ? handshake : modern;
}

async function sendDiscover(state: DiscoveryState): Promise<RpcOutcome> {
  const outcome = await sendOpening(state, {
    method: "server/discover",
    version: modernVersions[0],
    id: 1,
  });
  if (outcome.kind !== "error" || outcome.code !== UNSUPPORTED_VERSION) return outcome;
  const version = modernVersions.find((known) => outcome.offeredVersions.includes(known));
  return version ? sendOpening(state, { method: "server/discover", version, id: 2 }) : outcome;
}

async function sendInitialize(state: DiscoveryState): Promise<RpcOutcome> {
  const outcome = await sendOpening(state, {
    method: "initialize",
    version: handshakeVersions[0],
    id: 3,
  });
  if (outcome.kind !== "error") return outcome;
  // A server may refuse the version instead of answering with its own.
  const version = handshakeVersions.find((known) => outcome.offeredVersions.includes(known));
  return version ? sendOpening(state, { method: "initialize", version, id: 4 }) : outcome;
}

async function sendOpening(
  state: DiscoveryState,
  { method, version, id }: { method: "server/discover" | "initialize"; version: string; id: number },
): Promise<RpcOutcome> {
  const clientInfo = { ...state.clientInfo };
  const outcome = await sendRpc(state, {
    server: state.target,
    method,
    id,
    ...(method === "initialize"
      ? {
          step: "probe_initialize",
          protocol: { era: "handshake" },
          params: { protocolVersion: version, capabilities: {}, clientInfo },
          timeoutMs: initializeTimeoutMs,
        }
      : {
          step: "probe_discover",
          protocol: { era: "modern", version },
          timeoutMs: discoverTimeoutMs,
          opensSession: false,
        }),
  });
  if (method === "initialize") recordInitialize(outcome);
  else recordDiscover(outcome);
  return outcome;
}

type DiscoverResult = Extract<RpcOutcome, { kind: "result" }>;

/** Recognizes a result that only `server/discover` gives: supported versions, or at least capabilities. */
function isDiscoverResult(outcome: RpcOutcome): outcome is DiscoverResult {
  if (outcome.kind !== "result") return false;
  const versions = readStrings(outcome.result, "supportedVersions");
  if (versions) return versions.length > 0;
  return isObject(outcome.result.capabilities) && outcome.result.protocolVersion === undefined;
}

function readDiscover({ address, result }: DiscoverResult): OpenServer {
  const versions = readStrings(result, "supportedVersions") ?? [modernVersions[0]];
  const known = modernVersions.find((version) => versions.includes(version));
  return {
    era: "modern",
    server: address,
    version: known ?? versions[0] ?? modernVersions[0],
    isKnownVersion: known !== undefined,
    hasTools: declaresTools(result),
  };
}

function readInitialize(outcome: RpcOutcome): OpenServer | undefined {
  if (outcome.kind !== "result") return undefined;
  const version = outcome.result.protocolVersion;
  if (!isProtocolVersion(version)) return undefined;
  return {
    era: "handshake",
    server: outcome.address,
    version,
    isKnownVersion: [...handshakeVersions, ...modernVersions].some((known) => known === version),
    hasTools: declaresTools(outcome.result),
    ...(outcome.session === undefined ? {} : { session: outcome.session }),
  };
}

function declaresTools(result: { capabilities?: unknown }): boolean {
  return isObject(result.capabilities) && isObject(result.capabilities.tools);
}

/** Prefers the challenge of the handshake, unless only the other one leads to a token or names metadata. */
function chooseChallenge(
  initialize: CredentialsRequired,
  discover: RpcOutcome | undefined,
): CredentialsRequired {
  if (discover?.kind !== "credentials_required") return initialize;
  const [ours, other] = [initialize.challenges.token, discover.challenges.token];
  if (!ours && other) return discover;
  const onlyOtherNamesMetadata =
    ours?.params.resource_metadata === undefined && other?.params.resource_metadata !== undefined;
  return onlyOtherNamesMetadata ? discover : initialize;
}

/** Returns true when POST was refused in the way that a server of the HTTP+SSE transport does. */
function mayBeLegacy(outcome: RpcOutcome): boolean {
  if (outcome.kind === "error") {
    if (isModernError(outcome.code)) return false;
    if (outcome.status === 404 && outcome.code === METHOD_NOT_FOUND) return false;
    return outcome.status >= 400 && outcome.status < 500;
  }
  return (
    outcome.kind === "http_status" &&
    outcome.botProtection === undefined &&
    [400, 404, 405, 406, 415, 422, 501].includes(outcome.status)
  );
}

function recordDiscover(outcome: RpcOutcome) {
  const { entry } = outcome;
  const rule = "MCP 2026-07-28, Discovery: every server of this revision answers server/discover";
  if (isDiscoverResult(outcome))
    entry.conclude("Speaks the newest revision.", rule, "server.protocolVersion", "server.initialize");
  else if (outcome.kind === "credentials_required")
    entry.conclude(
      `Answered ${outcome.status}; remembered, since some servers refuse every method they do not know.`,
      rule,
    );
  else entry.conclude(`${describeOutcome(outcome)} Not proof of the newest revision.`, rule);
}

function recordInitialize(outcome: RpcOutcome) {
  const { entry } = outcome;
  const rule = "MCP 2025-11-25, Lifecycle › Initialization";
  if (readInitialize(outcome))
    entry.conclude("The handshake succeeded without credentials.", rule, "server.initialize");
  else if (outcome.kind === "credentials_required")
    entry.conclude(`Credentials are required (${outcome.status}).`, rule, "server.initialize");
  else entry.conclude(`${describeOutcome(outcome)} The handshake failed.`, rule, "server.initialize");
}

async function waitAtMost<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  const result = await Promise.race([promise, timeout]);
  clearTimeout(timer);
  return result;
}
