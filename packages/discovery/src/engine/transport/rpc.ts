import type { HttpAddress } from "../address.ts";
import { encodeMessage, isProtocolVersion, type RpcMessageToSend } from "../protocol.ts";
import type { DiscoveryState } from "../state.ts";
import { postMessage } from "./http.ts";
import type { RpcOutcome } from "./outcomes.ts";
import { interpretReply } from "./reply.ts";
import { readSessionId, recordSession } from "./sessions.ts";

const maxPostRedirects = 3;
const confirmTimeoutMs = 3000;

export interface RpcRequest extends RpcMessageToSend {
  step: string;
  server: HttpAddress;
  timeoutMs: number;
  /** False when the answer cannot open a session. It is then not awaited after the verdict. */
  opensSession?: boolean;
}

/** Sends one JSON-RPC message to the server and interprets the reply. */
export function sendRpc(state: DiscoveryState, request: RpcRequest): Promise<RpcOutcome> {
  const { messagesInFlight } = state.sessions;
  const outcome = postFollowingRedirects(state, request);
  const settled: Promise<unknown> = outcome.then(
    () => messagesInFlight.delete(settled),
    () => messagesInFlight.delete(settled),
  );
  messagesInFlight.add(settled);
  return outcome;
}

async function postFollowingRedirects(state: DiscoveryState, request: RpcRequest): Promise<RpcOutcome> {
  let server = request.server;
  for (let hop = 0; ; hop += 1) {
    const outcome = await post(state, request, server);
    if (outcome.kind !== "redirect" || !outcome.target || hop >= maxPostRedirects) return outcome;
    const { target, status } = outcome;
    // A POST follows a redirect that changes neither host nor method and does not give up TLS.
    const keepsMethod = status === 307 || status === 308;
    const keepsHost = target.origin === server.origin || target.isHttpsVersionOf(server);
    if (!keepsMethod || !keepsHost) return outcome;
    outcome.entry.conclude(
      `The server moved the request to ${target.host}; method and host stay the same, so it was followed.`,
      `RFC 9110 §15.4.${status === 307 ? 8 : 9}: ${status} keeps the method`,
    );
    server = target;
  }
}

async function post(state: DiscoveryState, request: RpcRequest, server: HttpAddress): Promise<RpcOutcome> {
  const { step, timeoutMs, opensSession = true } = request;
  const message = encodeMessage(request, state.clientInfo);
  const sent = await postMessage(state, { step, address: server, timeoutMs, opensSession, ...message });
  const { entry } = sent;
  if ("failed" in sent) return { address: server, entry, kind: "failed", ...sent.failed };
  const { status, headers } = sent.reply;
  const exchange = { address: server, entry };
  const outcome = await interpretReply(exchange, sent.reply, request.id, state.limits.responseBytes);
  if (outcome.kind !== "failed") entry.end({ status });
  const isAnswered = status < 300 && outcome.kind !== "http_status";
  const session = isAnswered ? readSessionId(headers) : undefined;
  if (session === undefined) return outcome;
  // Only the answer tells the revision of the session. Some servers refuse to close a session in another revision.
  const version = outcome.kind === "result" ? outcome.result.protocolVersion : undefined;
  const address = server;
  recordSession(state, { id: session, address, version: isProtocolVersion(version) ? version : undefined });
  return outcome.kind === "result" ? { ...outcome, session } : outcome;
}

/** Confirms the handshake, which a server may require before it answers anything else. */
export async function confirmHandshake(
  state: DiscoveryState,
  server: HttpAddress,
  protocol: RpcMessageToSend["protocol"],
): Promise<void> {
  const method = "notifications/initialized";
  const request = { step: "initialized", server, protocol, method, timeoutMs: confirmTimeoutMs };
  const { entry, kind } = await sendRpc(state, request);
  entry.conclude(
    kind === "accepted"
      ? "The handshake is complete."
      : "The server did not take the notification; asked for tools all the same.",
    "MCP 2025-11-25, Lifecycle › Initialization: the client confirms before it asks",
  );
}
