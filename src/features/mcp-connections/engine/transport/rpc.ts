import type { HttpAddress } from "../address.ts";
import { encodeMessage, type RpcMessageToSend } from "../protocol.ts";
import type { DiscoveryState } from "../state.ts";
import { postMessage } from "./http.ts";
import type { RpcOutcome } from "./outcomes.ts";
import { interpretReply } from "./reply.ts";
import { readSessionId, recordSession } from "./sessions.ts";

const maxPostRedirects = 3;

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
    if (!mayFollowPost(server, outcome.target, outcome.status)) return outcome;
    outcome.entry.conclude(
      `The server moved the request to ${outcome.target.host}; method and host stay the same, so it was followed.`,
      `RFC 9110 §15.4.${outcome.status === 307 ? 8 : 9}: ${outcome.status} keeps the method`,
    );
    server = outcome.target;
  }
}

async function post(state: DiscoveryState, request: RpcRequest, server: HttpAddress): Promise<RpcOutcome> {
  const { step, timeoutMs, opensSession = true } = request;
  const message = encodeMessage(request, state.clientInfo);
  const sent = await postMessage(state, { step, address: server, timeoutMs, opensSession, ...message });
  const { entry } = sent;
  if ("failed" in sent) return { address: server, entry, kind: "failed", ...sent.failed };
  const { status, headers } = sent.reply;
  const { outcome, version } = await interpretReply(
    { address: server, entry },
    sent.reply,
    request.id,
    state.limits.responseBytes,
  );
  if (outcome.kind !== "failed") entry.end({ status });
  // Only the answer tells the revision of the session. Some servers refuse to close a session in another revision.
  const isAnswered = status < 300 && outcome.kind !== "http_status";
  const session = isAnswered ? readSessionId(headers) : undefined;
  if (session === undefined) return outcome;
  recordSession(state, { id: session, address: server, version });
  return outcome.kind === "result" ? { ...outcome, session } : outcome;
}

/** A POST follows a redirect that changes neither host nor method and does not give up TLS. */
function mayFollowPost(from: HttpAddress, to: HttpAddress, status: number): boolean {
  if (status !== 307 && status !== 308) return false;
  return to.origin === from.origin || to.isHttpsVersionOf(from);
}
