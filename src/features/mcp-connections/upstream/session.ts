import {
  Client,
  type ClientCapabilities,
  type JSONRPCMessage,
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { version } from "../../../platform/version.ts";
import { UpstreamError } from "./errors.ts";
import { createUpstreamFetch } from "./fetch.ts";
import { maxCountedTools, maxQuestions } from "./limits.ts";
import { findOperation, type Operation, runOperation } from "./operation.ts";
import type { UpstreamCallbacks, UpstreamPlatform, UpstreamTarget } from "./types.ts";

/** Which requests of the server a session answers. They are declared when it is opened. */
export interface Abilities {
  elicits: boolean;
  samples: boolean;
  /** Whether the session hears about changed tools. */
  watches: boolean;
}

export interface Session {
  readonly client: Client;
  readonly protocolVersion: string;
  readonly instructions: string | null;
  readonly serverName: string | null;
  /** The server no longer knows the session, or it was closed. */
  isLost(): boolean;
  /** Ends it at the server too, if the server keeps sessions. Never rejects. */
  close(): Promise<void>;
}

export interface SessionOptions {
  target: UpstreamTarget;
  headers: Record<string, string>;
  abilities: Abilities;
  /** The operation that has the session for itself. It answers requests that the server sends on no stream of its own. */
  holder(): Operation | undefined;
  onToolsChanged(): void;
}

const openLimits = { timeoutMs: 30_000, maxBytes: 1024 * 1024 };
const firstModernVersion = "2026-07-28";
/** Streams that the server ends early are asked for again at most so often per session, and not at once. */
const maxResumptions = 20;
const minResumptionMs = 500;
const maxResumptionMs = 15 * 60_000;

/**
 * Opens a session. The revision is negotiated unless the server is known to speak an older one. An older server that
 * has been replaced by a newer one is recognized by its refusal.
 */
export async function openSession(platform: UpstreamPlatform, options: SessionOptions): Promise<Session> {
  const { protocolVersion } = options.target;
  const isKnownLegacy = protocolVersion !== null && protocolVersion < firstModernVersion;
  const open = (isLegacy: boolean) =>
    runOperation(openLimits, (operation) => connect(platform, options, operation, isLegacy));
  try {
    return await open(isKnownLegacy);
  } catch (error) {
    const failure = toUpstreamError(error);
    if (failure.kind === "challenge" || failure.kind === "timed_out") throw failure;
    const mayBeOther = isKnownLegacy ? failure.kind === "rejected" : (failure.status ?? 0) >= 500;
    if (!mayBeOther) throw failure;
    return open(!isKnownLegacy).catch(() => Promise.reject(failure));
  }
}

async function connect(
  platform: UpstreamPlatform,
  { target, headers, abilities, holder, onToolsChanged }: SessionOptions,
  operation: Operation,
  isLegacy: boolean,
): Promise<Session> {
  const closing = new AbortController();
  let isLost = false;
  let resumptions = 0;
  const lose = () => {
    isLost = true;
  };
  const transport = new StreamableHTTPClientTransport(new URL(target.url), {
    requestInit: { headers },
    fetch: createUpstreamFetch({
      egress: platform.egress.forOrganization(target.orgId),
      closed: closing.signal,
      listens: abilities.watches || abilities.elicits || abilities.samples,
      onSessionLost: lose,
    }),
    reconnectionOptions: {
      initialReconnectionDelay: 1_000,
      maxReconnectionDelay: 30_000,
      reconnectionDelayGrowFactor: 2,
      maxRetries: 3,
    },
    reconnectionScheduler(reconnect, delay) {
      resumptions += 1;
      if (resumptions > maxResumptions) return;
      findOperation()?.expectMore();
      // The server may ask for any delay, also for one that is too long for a timer.
      const afterMs = Math.min(Math.max(delay, minResumptionMs), maxResumptionMs);
      const timer = setTimeout(reconnect, afterMs).unref();
      return () => clearTimeout(timer);
    },
  });
  const client = new Client(
    { name: "signalbox", version },
    {
      capabilities: declareCapabilities(abilities),
      versionNegotiation: { mode: "auto", probe: { timeoutMs: operation.remainingMs() } },
      jsonSchemaValidator: { getValidator: refuseSchema },
    },
  );
  client.onclose = lose;
  transport.onmessage = cutTools;
  answerServer(client, abilities, holder);
  client.setNotificationHandler("notifications/tools/list_changed", onToolsChanged);
  client.setNotificationHandler("notifications/message", ({ params }) => find("onLog", holder)?.(params));
  const settings = { timeout: operation.remainingMs(), signal: operation.signal };
  await operation.waitFor(
    client.connect(transport, isLegacy ? { ...settings, prior: { kind: "legacy" } } : settings),
  );
  if (
    abilities.watches &&
    client.getProtocolEra() === "modern" &&
    client.getServerCapabilities()?.tools?.listChanged
  )
    client.listen({ toolsListChanged: true }).catch(() => {});
  return {
    client,
    protocolVersion: client.getNegotiatedProtocolVersion() ?? firstModernVersion,
    instructions: client.getInstructions() ?? null,
    serverName: client.getServerVersion()?.name ?? null,
    isLost: () => isLost,
    async close() {
      const isKnown = !isLost;
      isLost = true;
      if (isKnown) await transport.terminateSession().catch(() => {});
      await client.close().catch(() => {});
      closing.abort();
    },
  };
}

/** The library checks each tool of a list. One more than the limit is enough to refuse the list. */
function cutTools(message: JSONRPCMessage): void {
  const tools = "result" in message ? message.result.tools : undefined;
  if (Array.isArray(tools) && tools.length > maxCountedTools) tools.length = maxCountedTools + 1;
}

/** Results are checked by whoever asked for them. A schema that a stranger wrote is never compiled here. */
function refuseSchema(): never {
  throw new Error("Schemas of servers are not compiled.");
}

const declareCapabilities = ({ elicits, samples }: Abilities): ClientCapabilities => ({
  ...(elicits ? { elicitation: { form: {}, url: {} } } : {}),
  ...(samples ? { sampling: {} } : {}),
});

/** The callback of the operation on whose stream a message came, else of the one that has the session for itself. */
const find = <Name extends keyof UpstreamCallbacks>(
  name: Name,
  holder: () => Operation | undefined,
): UpstreamCallbacks[Name] => findOperation()?.callbacks[name] ?? holder()?.callbacks[name];

/** The client of the caller refused a question of the server, or failed to answer it. */
class UnansweredQuestion extends ProtocolError {
  constructor(cause: unknown) {
    super(ProtocolErrorCode.InternalError, cause instanceof Error ? cause.message.slice(0, 500) : "");
  }
}

/** Hands requests of the server to the operation that they belong to. */
function answerServer(
  client: Client,
  { elicits, samples }: Abilities,
  holder: () => Operation | undefined,
): void {
  const nobody = () =>
    new ProtocolError(ProtocolErrorCode.MethodNotFound, "Nobody can answer this request at the moment.");
  let asked = 0;
  const ask = async <T>(answer: () => Promise<T>): Promise<T> => {
    if (asked >= maxQuestions) throw nobody();
    asked += 1;
    try {
      return await answer();
    } catch (error) {
      throw new UnansweredQuestion(error);
    } finally {
      asked -= 1;
    }
  };
  if (elicits)
    client.setRequestHandler("elicitation/create", ({ params }, { mcpReq }) => {
      const answer = find("onElicit", holder);
      if (!answer) throw nobody();
      return ask(() => answer(params, mcpReq.signal));
    });
  if (samples)
    client.setRequestHandler("sampling/createMessage", ({ params }, { mcpReq }) => {
      const answer = find("onSample", holder);
      if (!answer) throw nobody();
      return ask(() => answer(params, mcpReq.signal));
    });
  client.fallbackRequestHandler = refuseRequest;
}

const refuseRequest = ({ method }: { method: string }) =>
  Promise.reject(
    new ProtocolError(
      ProtocolErrorCode.MethodNotFound,
      `The client that calls this tool does not answer ${method.slice(0, 100)}: it did not declare it.`,
    ),
  );

/** Describes what the library throws. Texts of the server are not repeated, except in a JSON-RPC error. */
export function toUpstreamError(error: unknown): UpstreamError {
  if (error instanceof UpstreamError) return error;
  if (error instanceof UnansweredQuestion) return new UpstreamError("unanswered", error.message);
  if (error instanceof ProtocolError) {
    const { code, message, data } = error;
    return new UpstreamError("rejected", "The server answered with an error.", {
      rpc: { code, message, data },
    });
  }
  if (error instanceof SdkError) {
    const status = findStatus(error);
    if (error.code === SdkErrorCode.RequestTimeout)
      return new UpstreamError("timed_out", "The server did not answer in time.");
    if (status !== undefined)
      return new UpstreamError("rejected", `The server answered with the status ${status}.`, { status });
    if (error.code === SdkErrorCode.ConnectionClosed)
      return new UpstreamError("unavailable", "The session was closed before the answer.");
  }
  return new UpstreamError("invalid_answer", "The server's answer does not follow the protocol.");
}

function findStatus(error: SdkError): number | undefined {
  const data: unknown = error.data;
  return typeof data === "object" && data !== null && "status" in data && typeof data.status === "number"
    ? data.status
    : undefined;
}
