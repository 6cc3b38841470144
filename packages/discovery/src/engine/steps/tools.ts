import { isObject, readBoolean, readString } from "../json.ts";
import { METHOD_NOT_FOUND } from "../protocol.ts";
import type { Tool } from "../result.ts";
import type { DiscoveryState } from "../state.ts";
import type { CredentialsRequired, RpcOutcome } from "../transport/outcomes.ts";
import { confirmHandshake, sendRpc } from "../transport/rpc.ts";
import { closeSessions } from "../transport/sessions.ts";
import { isOpenServer, type Opening, type OpenServer } from "./probe.ts";

const pageTimeoutMs = 8000;
const specificationRule = "MCP, Server Features › Tools › Listing Tools";

export type ToolList =
  | { kind: "listed"; count: number; items: Tool[]; truncated?: string }
  /** The list is served without credentials, but is too large to count. */
  | { kind: "uncounted" }
  | { kind: "credentials_required"; outcome: CredentialsRequired }
  /** A JSON-RPC error asks for credentials, without an HTTP challenge. */
  | { kind: "undeclared_credentials" }
  | { kind: "failed"; outcome: RpcOutcome }
  /** No server answered that tools could be requested from. */
  | { kind: "not_requested" };

/** Step 2: lists the tools. A server may accept everyone at first and ask for credentials only here. */
export async function listTools(state: DiscoveryState, opening: Opening): Promise<ToolList> {
  if (!isOpenServer(opening)) return { kind: "not_requested" };
  const tools = await listPages(state, opening);
  closeSessions(state, opening.version);
  return tools;
}

async function listPages(state: DiscoveryState, opening: OpenServer): Promise<ToolList> {
  if (opening.era === "handshake") await confirmHandshake(state, opening.server, opening);
  const { limits } = state;
  const items: Tool[] = [];
  const cursors = new Set<string>();
  let count = 0;
  let cursor: string | undefined;
  for (let page = 1; ; page += 1) {
    const outcome = await sendRpc(state, {
      step: "list_tools",
      server: opening.server,
      protocol: opening,
      method: "tools/list",
      params: cursor === undefined ? {} : { cursor },
      id: 100 + page,
      timeoutMs: pageTimeoutMs,
      // The session is open already, so nobody who gives up has to wait for this answer.
      opensSession: false,
    });
    if (outcome.kind !== "result") return endWithout(outcome, page, opening, { count, items });
    const tools = Array.isArray(outcome.result.tools) ? outcome.result.tools : undefined;
    if (!tools) {
      outcome.entry.conclude("The result has no list of tools.", specificationRule);
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
    outcome.entry.conclude(
      `${tools.length} tools on page ${page}, shown without credentials.`,
      specificationRule,
      "tools",
      "authentication.kind",
    );
    if (outcome.truncated)
      return { kind: "listed", count, items, truncated: "the page was larger than a discovery reads" };
    if (count > items.length)
      return { kind: "listed", count, items, truncated: `only the first ${items.length} are listed` };
    // The empty string is a valid cursor. Only a missing cursor ends the list.
    const next = outcome.result.nextCursor;
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

/** Interprets a page that is not a list: what was read before it is kept. */
function endWithout(
  outcome: Exclude<RpcOutcome, { kind: "result" }>,
  page: number,
  opening: OpenServer,
  seen: { count: number; items: Tool[] },
): ToolList {
  if (outcome.kind === "credentials_required") {
    outcome.entry.conclude(
      `The tools are shown only with credentials (${outcome.status}); a challenge that comes here outweighs earlier answers.`,
      "RFC 9110 §11.6.1 and MCP, Authorization",
      "tools.visibility",
      "authentication.kind",
    );
    return { kind: "credentials_required", outcome };
  }
  if (outcome.kind === "error" && outcome.asksForCredentials) {
    outcome.entry.conclude(
      "A JSON-RPC error that asks for credentials, without a challenge.",
      specificationRule,
      "tools.visibility",
    );
    return { kind: "undeclared_credentials" };
  }
  if (page > 1) {
    outcome.entry.conclude("A later page could not be read.", specificationRule, "tools");
    return { kind: "listed", ...seen, truncated: "a later page could not be read" };
  }
  // A server that declares no tools has none, whatever its error says.
  if (outcome.kind === "error" && (outcome.code === METHOD_NOT_FOUND || !opening.hasTools)) {
    outcome.entry.conclude("The server has no tools.", specificationRule, "tools");
    return { kind: "listed", count: 0, items: [] };
  }
  if (outcome.kind === "failed" && outcome.failure === "too_large" && outcome.status === 200) {
    outcome.entry.conclude(
      "The list is served without credentials and is larger than a discovery reads.",
      specificationRule,
      "tools",
    );
    return { kind: "uncounted" };
  }
  outcome.entry.conclude("The tools could not be listed.", specificationRule, "tools");
  // The server has opened, so a caller who gives up gets a verdict as after the time limit.
  if (outcome.kind === "failed" && outcome.failure === "aborted") {
    const explanation = "The discovery was stopped.";
    return { kind: "failed", outcome: { ...outcome, failure: "deadline", explanation } };
  }
  return { kind: "failed", outcome };
}

/** Reads one tool. A hint that the server leaves out stays out: absent does not mean false. */
export function readTool(value: unknown): Tool | undefined {
  if (!isObject(value)) return undefined;
  const name = readString(value, "name");
  if (name === undefined) return undefined;
  const tool: Tool = { name: name.slice(0, 256) };
  const annotations = isObject(value.annotations) ? value.annotations : {};
  for (const hint of ["readOnlyHint", "destructiveHint", "openWorldHint"] as const) {
    const given = readBoolean(annotations, hint);
    if (given !== undefined) tool[hint] = given;
  }
  return tool;
}
