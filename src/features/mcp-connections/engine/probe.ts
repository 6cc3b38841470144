import { resolveHttpUrl } from "./address.ts";
import { pull } from "./body.ts";
import { readChallenges, tokenChallenge } from "./challenge.ts";
import type { RpcOutcome } from "./exchange.ts";
import { isObject, stringsAt } from "./json.ts";
import {
  type ClientInfo,
  HANDSHAKE_VERSIONS,
  isModernError,
  METHOD_NOT_FOUND,
  MODERN_VERSIONS,
  modernRequest,
  offeredVersions,
  UNSUPPORTED_VERSION,
} from "./protocol.ts";
import { createSseReader } from "./sse.ts";
import type { Wire } from "./wire.ts";

const DISCOVER_MS = 5000;
const INITIALIZE_MS = 10_000;
const EVENTS_MS = 3000;
/** Once the handshake has answered, `server/discover` gets this long to prove the newer era. */
const GRACE_MS = 1500;

export type AuthOutcome = Extract<RpcOutcome, { kind: "auth" }>;

export type Probe =
  | { era: "modern"; version: string; known: boolean; url: URL; hasTools: boolean }
  | { era: "handshake"; version: string; known: boolean; url: URL; session?: string; hasTools: boolean }
  /** `onlyByGet`: POST is not served at all, and GET asks for credentials. */
  | { era: "auth"; auth: AuthOutcome; onlyByGet?: true }
  | { era: "legacy_sse"; url: URL; endpointIsForeign: boolean }
  | { era: "none"; discover: RpcOutcome; initialize: RpcOutcome };

/**
 * Finds out which era a server speaks. Both openings are sent at once: each alone would cost a round trip on
 * half of all servers, and a session that the handshake opens in vain is closed like any other.
 */
export async function probe(wire: Wire, url: URL, clientInfo: ClientInfo): Promise<Probe> {
  const discovering = askDiscover(wire, url, clientInfo);
  const initializing = askInitialize(wire, url, clientInfo);
  // Either may still be under way when the other has settled the matter; its fault is then nobody's.
  for (const asked of [discovering, initializing]) asked.catch(() => undefined);
  const first = await Promise.race([discovering, initializing.then(() => undefined)]);
  if (first && isUsableDiscover(first)) {
    const found = modern(first);
    // Revisions that are not known here end nothing: the same server may speak an older one.
    return found.known ? found : (readInitialize(await initializing, "known") ?? found);
  }

  const initialize = await initializing;
  const settled = initialize.kind === "result" || initialize.kind === "auth";
  const discover = settled ? await orAfter(discovering, GRACE_MS) : await discovering;
  const accepted = readInitialize(initialize);
  if (discover && isUsableDiscover(discover)) {
    const found = modern(discover);
    return found.known ? found : (readInitialize(initialize, "known") ?? found);
  }
  if (accepted) return accepted;
  if (initialize.kind === "auth") return { era: "auth", auth: preferChallenge(initialize, discover) };
  if (discover?.kind === "auth") return { era: "auth", auth: discover };
  if (mayBeLegacy(initialize)) {
    const legacy = await askEvents(wire, initialize.url);
    if (legacy) return legacy;
  }
  return { era: "none", discover: discover ?? initialize, initialize };
}

async function askDiscover(wire: Wire, url: URL, clientInfo: ClientInfo): Promise<RpcOutcome> {
  const send = (version: string, id: number) =>
    wire.rpc("probe_discover", url, {
      ...modernRequest("server/discover", version, clientInfo),
      id,
      timeoutMs: DISCOVER_MS,
      dispensable: true,
    });
  let outcome = await send(MODERN_VERSIONS[0], 1);
  explainDiscover(outcome);
  if (outcome.kind === "error" && outcome.code === UNSUPPORTED_VERSION) {
    const offered = offeredVersions(outcome.data);
    const version = MODERN_VERSIONS.find((known) => offered.includes(known));
    if (version) {
      outcome = await send(version, 2);
      explainDiscover(outcome);
    }
  }
  return outcome;
}

type DiscoverResult = Extract<RpcOutcome, { kind: "result" }>;

/** A result that only `server/discover` gives: the versions it serves, or at the least its capabilities. */
function isUsableDiscover(outcome: RpcOutcome): outcome is DiscoverResult {
  if (outcome.kind !== "result") return false;
  const versions = stringsAt(outcome.result, "supportedVersions");
  if (versions) return versions.length > 0;
  return isObject(outcome.result.capabilities) && outcome.result.protocolVersion === undefined;
}

function modern(outcome: DiscoverResult): Extract<Probe, { era: "modern" }> {
  const versions = stringsAt(outcome.result, "supportedVersions") ?? [MODERN_VERSIONS[0]];
  const known = MODERN_VERSIONS.find((version) => versions.includes(version));
  const version = known ?? versions[0] ?? MODERN_VERSIONS[0];
  return {
    era: "modern",
    version,
    known: known !== undefined,
    url: outcome.url,
    hasTools: declaresTools(outcome.result),
  };
}

async function askInitialize(wire: Wire, url: URL, clientInfo: ClientInfo): Promise<RpcOutcome> {
  const send = (protocolVersion: string, id: number) =>
    wire.rpc("probe_initialize", url, {
      method: "initialize",
      params: { protocolVersion, capabilities: {}, clientInfo: { ...clientInfo } },
      id,
      headers: {},
      timeoutMs: INITIALIZE_MS,
    });
  let outcome = await send(HANDSHAKE_VERSIONS[0], 3);
  explainInitialize(outcome);
  if (outcome.kind === "error") {
    // A server may refuse the version instead of answering with its own.
    const offered = offeredVersions(outcome.data);
    const version = HANDSHAKE_VERSIONS.find((known) => offered.includes(known));
    if (version) {
      outcome = await send(version, 4);
      explainInitialize(outcome);
    }
  }
  return outcome;
}

function readInitialize(outcome: RpcOutcome, which: "any" | "known" = "any"): Probe | undefined {
  if (outcome.kind !== "result") return undefined;
  const version = outcome.result.protocolVersion;
  if (typeof version !== "string" || !/^[\w.-]{1,40}$/.test(version)) return undefined;
  const known = [...HANDSHAKE_VERSIONS, ...MODERN_VERSIONS].some((ours) => ours === version);
  if (which === "known" && !known) return undefined;
  const session = outcome.session === undefined ? {} : { session: outcome.session };
  return {
    era: "handshake",
    version,
    known,
    url: outcome.url,
    hasTools: declaresTools(outcome.result),
    ...session,
  };
}

function declaresTools(result: { capabilities?: unknown }): boolean {
  return isObject(result.capabilities) && isObject(result.capabilities.tools);
}

/** The handshake's challenge stands, unless only the other one leads to a token or to its metadata. */
function preferChallenge(initialize: AuthOutcome, discover: RpcOutcome | undefined): AuthOutcome {
  if (discover?.kind !== "auth") return initialize;
  const [ours, theirs] = [initialize, discover].map(({ challenges }) => tokenChallenge(challenges));
  if (!ours && theirs) return discover;
  const names = (challenge: typeof ours) => challenge?.params.resource_metadata !== undefined;
  return !names(ours) && names(theirs) ? discover : initialize;
}

/** POST refused in a way that a server of the HTTP+SSE transport would. */
function mayBeLegacy(outcome: RpcOutcome): boolean {
  if (outcome.kind === "error") {
    if (isModernError(outcome.code)) return false;
    if (outcome.status === 404 && outcome.code === METHOD_NOT_FOUND) return false;
    return outcome.status >= 400 && outcome.status < 500;
  }
  return (
    outcome.kind === "http" &&
    outcome.guardian === undefined &&
    [400, 404, 405, 406, 415, 422, 501].includes(outcome.status)
  );
}

/** The HTTP+SSE transport of 2024-11-05 opens with a GET whose first event names where to POST. */
async function askEvents(wire: Wire, url: URL): Promise<Probe | undefined> {
  const rule =
    "MCP 2025-11-25, Transports › Backwards Compatibility: POST refused, so GET and look for an endpoint event";
  const opened = await wire.events("probe_legacy_sse", url, EVENTS_MS);
  if (!("stream" in opened)) {
    opened.note.learn("No event stream either.", rule);
    return undefined;
  }
  const { stream, note } = opened;
  const { status, headers } = stream;
  if (status === 401 || status === 403) {
    stream.close();
    note.learn(
      `GET asks for credentials (${status}) where POST is not served at all.`,
      rule,
      "server.initialize",
    );
    const challenges = readChallenges(headers["www-authenticate"] ?? []);
    return { era: "auth", auth: { url, note, kind: "auth", status, challenges }, onlyByGet: true };
  }
  const isEvents =
    status === 200 && (headers["content-type"]?.[0] ?? "").toLowerCase().includes("text/event-stream");
  const endpoint = isEvents ? await readEndpoint(stream) : undefined;
  stream.close();
  if (endpoint === undefined) {
    note.learn(`GET answered ${status} and no endpoint event: not the HTTP+SSE transport.`, rule);
    return undefined;
  }
  note.learn(
    "The first event names an endpoint: this is the HTTP+SSE transport of 2024-11-05.",
    rule,
    "status",
    "authentication.kind",
  );
  return { era: "legacy_sse", url, endpointIsForeign: resolveHttpUrl(endpoint, url)?.origin !== url.origin };
}

async function readEndpoint(stream: Parameters<typeof pull>[0]): Promise<string | undefined> {
  const reader = createSseReader();
  const next = pull(stream, 64 * 1024);
  for (;;) {
    const chunk = await next(EVENTS_MS);
    if (chunk.kind !== "bytes") return undefined;
    const [first] = reader.push(chunk.bytes);
    if (first) return first.event === "endpoint" ? first.data : undefined;
  }
}

async function orAfter<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  const result = await Promise.race([promise, late]);
  clearTimeout(timer);
  return result;
}

function explainDiscover(outcome: RpcOutcome) {
  const rule = "MCP 2026-07-28, Discovery: every server of this revision answers server/discover";
  if (isUsableDiscover(outcome))
    outcome.note.learn("Speaks the newest revision.", rule, "server.protocolVersion", "server.initialize");
  else if (outcome.kind === "auth") {
    const why = `Answered ${outcome.status}; remembered, since some servers refuse every method they do not know.`;
    outcome.note.learn(why, rule);
  } else outcome.note.learn(`${describe(outcome)} Not proof of the newest revision.`, rule);
}

function explainInitialize(outcome: RpcOutcome) {
  const rule = "MCP 2025-11-25, Lifecycle › Initialization";
  if (readInitialize(outcome))
    outcome.note.learn("The handshake succeeded without credentials.", rule, "server.initialize");
  else if (outcome.kind === "auth")
    outcome.note.learn(`Credentials are required (${outcome.status}).`, rule, "server.initialize");
  else outcome.note.learn(`${describe(outcome)} The handshake failed.`, rule, "server.initialize");
}

/** An outcome in one sentence that holds no byte of the reply beyond numbers. */
export function describe(outcome: RpcOutcome): string {
  switch (outcome.kind) {
    case "result":
      return `Answered ${outcome.status} with a result of another kind.`;
    case "error":
      return `Answered ${outcome.status} with the JSON-RPC error ${outcome.code}.`;
    case "accepted":
      return `Answered ${outcome.status}.`;
    case "auth":
      return `Answered ${outcome.status}.`;
    case "redirect":
      return `Redirected (${outcome.status})${outcome.target ? ` to ${outcome.target.host}` : ""}.`;
    case "wrong_host":
      return `Answered ${outcome.status}: it refuses the Host header${outcome.wants ? ` and names ${outcome.wants}` : ""}.`;
    case "http":
      return outcome.guardian
        ? `${outcome.guardian} answered ${outcome.status} in place of the server.`
        : `Answered ${outcome.status} without a JSON-RPC message.`;
    case "nonsense":
      return `Answered ${outcome.status} with ${outcome.instead}.`;
    case "failed":
      return outcome.explanation;
  }
}
