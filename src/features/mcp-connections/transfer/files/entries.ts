import { readCommand, readMcpRemote } from "./mcp-remote.ts";
import { createServer, type Draft, isObject, readText, refuseEntry, type ValueHint } from "./server.ts";
import { parseTemplate, type Template } from "./templates.ts";

const httpTypes = new Set([
  "http",
  "https",
  "streamable-http",
  "streamable_http",
  "streamablehttp",
  "remote",
]);
const toolLists = [
  ...["alwaysAllow", "autoApprove", "includeTools", "excludeTools", "disabledTools", "enabled_tools"],
  ...["disabled_tools", "tools"],
];

/** Reads one entry of a client's file: of `mcpServers`, `servers`, `context_servers` or `mcp`. */
export function readEntry(name: string, entry: unknown, hints: ReadonlyMap<string, ValueHint>): Draft {
  if (!isObject(entry)) {
    return refuseEntry(name, "invalid_entry", "The entry is not an object. Correct it in the file.");
  }
  const type = (readText(entry.type) ?? readText(entry.transport))?.toLowerCase();
  const notes = describeLeftOut(entry);
  const url = [entry.url, entry.serverUrl, entry.httpUrl, entry.server_url, entry.http_url].map(readText);
  const address = url.find((one) => one !== undefined);
  const command = readCommand(entry);
  if (address === undefined && command) return readCommandEntry(name, entry, command, notes, hints);
  if (address === undefined) {
    return refuseEntry(name, "no_url", "The entry has no URL. Add the URL of the server to the file.");
  }
  if (type === "sse")
    notes.push("The file names the older SSE transport. Discovery finds out what it speaks.");
  else if (type !== undefined && type !== "stdio" && !httpTypes.has(type)) {
    const message = "The entry uses a transport other than HTTP, which cannot be saved.";
    return refuseEntry(name, "unsupported_transport", message, notes);
  }
  const headers = readHeaders(entry);
  if (!headers) {
    return refuseEntry(name, "invalid_entry", "A header is not text. Correct it in the file.", notes);
  }
  return createServer(name, address, headers, { notes, hints });
}

function readCommandEntry(
  name: string,
  entry: Record<string, unknown>,
  command: string[],
  notes: string[],
  hints: ReadonlyMap<string, ValueHint>,
): Draft {
  const forwarded = readMcpRemote(command);
  if (!forwarded) {
    return refuseEntry(
      name,
      "local_command",
      "The server is a command on one computer. Save the URL of a server that answers over HTTP instead.",
      notes,
    );
  }
  const env = isObject(entry.env) ? entry.env : isObject(entry.environment) ? entry.environment : {};
  const headers = forwarded.headers.map(([header, value]) => ({
    ...{ name: header, optional: false },
    value: applyEnvironment(parseTemplate(value, "header"), env),
  }));
  notes.push("The entry starts mcp-remote. The server behind it is saved.");
  return createServer(name, forwarded.url, headers, { notes, hints });
}

/** Replaces placeholders by the variables that the entry itself sets. */
const applyEnvironment = (template: Template, env: Record<string, unknown>): Template =>
  template.flatMap((part) => {
    const value = typeof part === "string" || !Object.hasOwn(env, part.name) ? undefined : env[part.name];
    return typeof value === "string" ? parseTemplate(value, "header") : [part];
  });

/** The headers, also in the forms of Codex. Undefined when one of them is not text. */
function readHeaders(entry: Record<string, unknown>): Draft["headers"] | undefined {
  const headers: Draft["headers"] = [];
  const add = (name: string, text: string) =>
    headers.push({ name, value: parseTemplate(text, "header"), optional: false });
  for (const section of [entry.headers, entry.http_headers]) {
    if (section === undefined || section === null) continue;
    if (!isObject(section)) return undefined;
    for (const [name, value] of Object.entries(section)) {
      if (typeof value !== "string" && typeof value !== "number") return undefined;
      add(name, String(value));
    }
  }
  if (isObject(entry.env_http_headers)) {
    for (const [name, variable] of Object.entries(entry.env_http_headers))
      add(name, `\${${String(variable)}}`);
  }
  const variable = readText(entry.bearer_token_env_var);
  if (variable) add("Authorization", `Bearer \${${variable}}`);
  return headers;
}

/** What the import leaves out, so that nothing is lost silently. */
function describeLeftOut(entry: Record<string, unknown>): string[] {
  const notes: string[] = [];
  if (entry.disabled === true || entry.enabled === false)
    notes.push("The entry is switched off in the file.");
  if (isObject(entry.oauth) || isObject(entry.auth)) {
    notes.push(
      "The OAuth client in the file is not used, because it was registered for another redirect address.",
    );
  }
  if (entry.headersHelper !== undefined) {
    notes.push("The command that makes headers is not used. Give the headers here.");
  }
  if (toolLists.some((field) => Array.isArray(entry[field]) || isObject(entry[field]))) {
    notes.push("Lists of tools are not used. Set the tool policy of the connection.");
  }
  return notes;
}
