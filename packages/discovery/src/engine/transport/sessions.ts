import type { HttpAddress } from "../address.ts";
import { sendAgainAfterReset } from "../budget.ts";
import { formatSessionHeaders } from "../protocol.ts";
import type { DiscoveryState } from "../state.ts";

const deleteTimeoutMs = 3000;
const maxSessions = 20;

/** Records a session that a server opened. It is closed at once when closing has already begun. */
export function recordSession(
  state: DiscoveryState,
  session: { id: string; address: HttpAddress; version: string | undefined },
) {
  const { seen, open, closeNew } = state.sessions;
  // A server repeats the id of a session in its later replies.
  if (seen.has(session.id) || seen.size >= maxSessions) return;
  seen.add(session.id);
  open.set(session.id, session);
  if (closeNew) closeSessions(state, closeNew.fallbackVersion);
}

/**
 * Starts to close all open sessions, and from now on every session that a late answer opens. Each is closed in the
 * revision it was opened in, or in `fallbackVersion` if that is unknown.
 */
export function closeSessions(state: DiscoveryState, fallbackVersion?: string) {
  const { open, closing } = state.sessions;
  state.sessions.closeNew = { fallbackVersion };
  for (const [session, { address, version = fallbackVersion }] of open) {
    open.delete(session);
    const headers = formatSessionHeaders({ version, session });
    const closed = deleteSession(state, address, headers).finally(() => closing.delete(closed));
    closing.add(closed);
  }
}

/** Closes one session. The budget does not count it, because every opened session must be closed. */
async function deleteSession(
  state: DiscoveryState,
  address: HttpAddress,
  headers: Record<string, string>,
): Promise<void> {
  const entry = state.evidence.begin("close_session", "DELETE", address);
  const rule = "MCP 2025-11-25, Transports › Session Management: a client that is done sends DELETE";
  const sent = await sendAgainAfterReset(deleteTimeoutMs, (leftMs) =>
    state.egress.request(address.url, {
      method: "DELETE",
      headers: { ...headers, "user-agent": state.userAgent },
      maxBytes: 64 * 1024,
      timeoutMs: leftMs,
      redirects: 0,
    }),
  );
  if ("failed" in sent) {
    entry.end({ failure: sent.failed.failure });
    entry.conclude("The session could not be closed; the server has to let it expire.", rule);
    return;
  }
  const { status } = sent.reply;
  entry.end({ status });
  entry.conclude(describeClosing(status), rule);
}

function describeClosing(status: number): string {
  if (status === 405) return "The server ends its sessions by itself.";
  // 404 means that the session no longer exists.
  if (status < 300 || status === 404) return "The session was closed.";
  return `The server refused to close the session (${status}) and has to let it expire.`;
}

/** Closes all open sessions and waits for the answers, but at most this long. */
export async function closeSessionsWithin(state: DiscoveryState, ms: number): Promise<void> {
  closeSessions(state);
  if (state.sessions.closing.size === 0) return;
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([Promise.all(state.sessions.closing), timeout]);
  clearTimeout(timer);
}

/** Resolves when no session is open and no answer is under way that could open another. */
export async function waitUntilClosed({ sessions }: DiscoveryState): Promise<void> {
  const { messagesInFlight, closing } = sessions;
  while (messagesInFlight.size > 0) await Promise.all(messagesInFlight);
  while (closing.size > 0) await Promise.all(closing);
}

/**
 * Reads the session id of a reply. MCP allows visible ASCII only, but any id that a header can carry unchanged is
 * sent back, because a session without a usable id cannot be closed.
 */
export function readSessionId(headers: Record<string, string[]>): string | undefined {
  const session = headers["mcp-session-id"]?.[0];
  return session !== undefined && /^[\x20-\x7e]{1,8192}$/.test(session) ? session : undefined;
}
