import type { Tool } from "../contract.ts";
import type { RpcOutcome } from "./exchange.ts";
import { booleanAt, isObject, type JsonObject, stringAt } from "./json.ts";
import type { AuthOutcome, Probe } from "./probe.ts";
import { asksForCredentials, type ClientInfo, METHOD_NOT_FOUND, modernRequest } from "./protocol.ts";
import type { Limits } from "./types.ts";
import type { Wire } from "./wire.ts";

const PAGE_MS = 8000;
const NOTIFY_MS = 3000;
const RULE = "MCP, Server Features › Tools › Listing Tools";

export type Talking = Extract<Probe, { era: "modern" | "handshake" }>;

export type ToolsSeen =
  | { kind: "listed"; count: number; items: Tool[]; truncated?: string }
  /** The list is served without credentials, yet too large to count. */
  | { kind: "uncounted" }
  | { kind: "auth"; auth: AuthOutcome }
  | { kind: "undeclared_auth"; outcome: RpcOutcome }
  | { kind: "failed"; outcome: RpcOutcome };

/** Lists the tools in the era that was found. A server may let anyone in and ask for credentials only here. */
export async function listTools(
  wire: Wire,
  talking: Talking,
  clientInfo: ClientInfo,
  limits: Limits,
): Promise<ToolsSeen> {
  if (talking.era === "handshake") await sayInitialized(wire, talking);
  const items: Tool[] = [];
  const cursors = new Set<string>();
  let count = 0;
  let cursor: string | undefined;
  for (let page = 1; ; page += 1) {
    const outcome = await wire.rpc(
      "list_tools",
      talking.url,
      request(talking, clientInfo, 100 + page, cursor),
    );
    if (outcome.kind !== "result") return endEarly(outcome, page, talking, { count, items });
    const tools = Array.isArray(outcome.result.tools) ? outcome.result.tools : undefined;
    if (!tools) {
      outcome.note.learn("The result has no list of tools.", RULE);
      return page === 1
        ? { kind: "failed", outcome }
        : { kind: "listed", count, items, truncated: "a later page could not be read" };
    }
    for (const tool of tools) {
      const read = readTool(tool);
      if (!read) continue;
      count += 1;
      if (items.length < limits.tools) items.push(read);
    }
    outcome.note.learn(
      `${tools.length} tools on page ${page}, shown without credentials.`,
      RULE,
      "tools",
      "authentication.kind",
    );
    if (outcome.truncated)
      return { kind: "listed", count, items, truncated: "the page was larger than a discovery reads" };
    // The empty string is a cursor like any other; only its absence ends the list.
    const next = outcome.result.nextCursor;
    if (count > items.length)
      return { kind: "listed", count, items, truncated: `only the first ${items.length} are listed` };
    if (next === undefined || next === null) return { kind: "listed", count, items };
    if (typeof next !== "string")
      return { kind: "listed", count, items, truncated: "the page cursor is not text" };
    if (cursors.has(next))
      return { kind: "listed", count, items, truncated: "the server repeats a page cursor" };
    if (page >= limits.toolPages)
      return { kind: "listed", count, items, truncated: `${page} pages were read and more follow` };
    if (count >= limits.tools)
      return { kind: "listed", count, items, truncated: `${count} were read and more follow` };
    cursors.add(next);
    cursor = next;
  }
}

function endEarly(
  outcome: Exclude<RpcOutcome, { kind: "result" }>,
  page: number,
  talking: Talking,
  seen: { count: number; items: Tool[] },
): ToolsSeen {
  if (outcome.kind === "auth") {
    outcome.note.learn(
      `The tools are shown only with credentials (${outcome.status}); a challenge that comes here outweighs earlier answers.`,
      "RFC 9110 §11.6.1 and MCP, Authorization",
      "tools.visibility",
      "authentication.kind",
    );
    return { kind: "auth", auth: outcome };
  }
  if (outcome.kind === "error" && asksForCredentials(outcome)) {
    outcome.note.learn(
      "A JSON-RPC error that asks for credentials, without a challenge.",
      RULE,
      "tools.visibility",
    );
    return { kind: "undeclared_auth", outcome };
  }
  if (page > 1) {
    outcome.note.learn("A later page could not be read.", RULE, "tools");
    return { kind: "listed", ...seen, truncated: "a later page could not be read" };
  }
  // A server that declared no tools has none, however it turns the question away.
  if (outcome.kind === "error" && (outcome.code === METHOD_NOT_FOUND || !talking.hasTools)) {
    outcome.note.learn("The server has no tools.", RULE, "tools");
    return { kind: "listed", count: 0, items: [] };
  }
  if (outcome.kind === "failed" && outcome.failure === "too_large" && outcome.status === 200) {
    outcome.note.learn(
      "The list is served without credentials and is larger than a discovery reads.",
      RULE,
      "tools",
    );
    return { kind: "uncounted" };
  }
  outcome.note.learn("The tools could not be listed.", RULE, "tools");
  return { kind: "failed", outcome };
}

function request(talking: Talking, clientInfo: ClientInfo, id: number, cursor: string | undefined) {
  const params: JsonObject = cursor === undefined ? {} : { cursor };
  const common = { id, timeoutMs: PAGE_MS };
  if (talking.era === "modern")
    return { ...modernRequest("tools/list", talking.version, clientInfo, params), ...common };
  return { method: "tools/list", params, headers: sessionHeaders(talking), ...common };
}

async function sayInitialized(wire: Wire, talking: Extract<Talking, { era: "handshake" }>) {
  const { note, ...outcome } = await wire.rpc("initialized", talking.url, {
    method: "notifications/initialized",
    headers: sessionHeaders(talking),
    timeoutMs: NOTIFY_MS,
  });
  note.learn(
    outcome.kind === "accepted"
      ? "The handshake is complete."
      : "The server did not take the notification; asked for tools all the same.",
    "MCP 2025-11-25, Lifecycle › Initialization: the client confirms before it asks",
  );
}

export function sessionHeaders({
  version,
  session,
}: {
  version?: string | undefined;
  session?: string;
}): Record<string, string> {
  return {
    ...(version === undefined ? {} : { "mcp-protocol-version": version }),
    ...(session === undefined ? {} : { "mcp-session-id": session }),
  };
}

/** A hint that the server left out stays out: absent is not false. */
export function readTool(value: unknown): Tool | undefined {
  if (!isObject(value)) return undefined;
  const name = stringAt(value, "name");
  if (name === undefined) return undefined;
  const tool: Tool = { name: name.slice(0, 256) };
  const annotations = isObject(value.annotations) ? value.annotations : {};
  for (const hint of ["readOnlyHint", "destructiveHint", "openWorldHint"] as const) {
    const given = booleanAt(annotations, hint);
    if (given !== undefined) tool[hint] = given;
  }
  return tool;
}
