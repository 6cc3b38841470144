import { type formatNames, maxFileBytes, maxServers } from "../contract.ts";
import { readEntry } from "./entries.ts";
import { JsonTextError, parseJsonText } from "./json-text.ts";
import { isRegistryServer, readRegistryServer } from "./registry.ts";
import { type Draft, type FileServer, isObject, readText, type ValueHint } from "./server.ts";

type Format = (typeof formatNames)[number];

/** A file that cannot be imported. The message says what to do. */
export class FileError extends Error {}

export interface ServerFile {
  format: Format;
  servers: FileServer[];
}

/** Reads a file as text. */
export function parseFile(text: string): ServerFile {
  if (Buffer.byteLength(text) > maxFileBytes) throw new FileError(tooLarge);
  try {
    return readDocument(parseJsonText(text));
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    throw new FileError(
      /^\s*\[[\w.-]*mcp_servers/m.test(text)
        ? "This is a TOML file, as Codex has it. Only JSON can be read: add its servers by their URLs."
        : error.message,
    );
  }
}

/** Reads a file that is JSON already. */
export function parseDocument(document: Record<string, unknown>): ServerFile {
  if (Buffer.byteLength(JSON.stringify(document)) > maxFileBytes) throw new FileError(tooLarge);
  return readDocument(document);
}

const tooLarge = "The file is larger than 1 MiB. Send only the part with the servers.";

function readDocument(document: unknown): ServerFile {
  if (!isObject(document)) throw new FileError("The file must be a JSON object.");
  const sections = listSections(document);
  const [first] = sections;
  if (!first) {
    throw new FileError(
      "The file has no MCP servers. It needs one of mcpServers, servers, context_servers or mcp, or the remotes of a registry's server.json.",
    );
  }
  const drafts = sections.flatMap((section) => section.read());
  if (drafts.length === 0) throw new FileError("The list of servers in the file is empty.");
  if (drafts.length > maxServers) {
    throw new FileError(
      `The file has ${drafts.length} servers; at most ${maxServers} can be read at once. Send it in parts.`,
    );
  }
  return { format: first.format, servers: addKeys(drafts) };
}

interface Section {
  format: Format;
  read(): Draft[];
}

/** All places of a document that have servers. A file of Claude Code has one for each project. */
function listSections(document: Record<string, unknown>): Section[] {
  const { mcpServers, mcp_servers, context_servers, servers, mcp, projects } = document;
  if (isRegistryServer(document)) {
    return [{ format: "registry_server", read: () => readRegistryServer(document) }];
  }
  if (isObject(document.server) && isRegistryServer(document.server)) {
    return [{ format: "registry_server", read: () => readRegistryServer(document.server) }];
  }
  const sections: Section[] = [];
  const add = (format: Format, entries: unknown, inputs?: unknown) => {
    if (isObject(entries)) sections.push({ format, read: () => readEntries(entries, readInputs(inputs)) });
  };
  add("mcp_servers", mcpServers);
  add("mcp_servers", mcp_servers);
  add("zed", context_servers);
  if (Array.isArray(servers)) {
    sections.push({ format: "registry_list", read: () => servers.flatMap(readListed) });
  } else add("vscode", servers, document.inputs);
  if (isObject(projects)) {
    for (const project of Object.values(projects)) {
      if (isObject(project)) add("mcp_servers", project.mcpServers);
    }
  }
  // `mcp` of Gemini CLI has settings beside mcpServers. They are no servers.
  if (isObject(mcp) && sections.length === 0) addMcpSection(mcp, add);
  if (sections.length === 0 && looksLikeEntries(document)) add("mcp_servers", document);
  return sections;
}

/** `mcp` of VS Code's settings, and of OpenCode in its first and second form. */
function addMcpSection(
  mcp: Record<string, unknown>,
  add: (format: Format, entries: unknown, inputs?: unknown) => void,
) {
  const inner = isObject(mcp.servers) ? mcp.servers : undefined;
  const entries = inner ?? mcp;
  const types = Object.values(entries).map((entry) => (isObject(entry) ? readText(entry.type) : undefined));
  if (types.some((type) => type === "local" || type === "remote")) add("opencode", entries);
  else if (inner) add("vscode", inner, mcp.inputs);
  else if (looksLikeEntries(mcp)) add("opencode", mcp);
}

/** A part that was copied from documentation: names with servers, without the key around them. */
const looksLikeEntries = (value: Record<string, unknown>): boolean => {
  const entries = Object.values(value);
  return (
    entries.length > 0 &&
    entries.every(
      (entry) =>
        isObject(entry) &&
        ["url", "serverUrl", "httpUrl", "command"].some((field) => Object.hasOwn(entry, field)),
    )
  );
};

const readListed = (item: unknown): Draft[] =>
  readRegistryServer(isObject(item) && isObject(item.server) ? item.server : item);

const readEntries = (entries: Record<string, unknown>, hints: ReadonlyMap<string, ValueHint>): Draft[] =>
  Object.entries(entries).map(([name, entry]) => readEntry(name, entry, hints));

/** The `inputs` of VS Code: values that it asks for. */
function readInputs(inputs: unknown): ReadonlyMap<string, ValueHint> {
  const hints = new Map<string, ValueHint>();
  for (const input of Array.isArray(inputs) ? inputs : []) {
    const id = isObject(input) ? readText(input.id) : undefined;
    if (id === undefined || !isObject(input)) continue;
    const description = readText(input.description)?.slice(0, 500) ?? null;
    hints.set(id, { description, secret: input.password === true });
  }
  return hints;
}

/** Gives each server a key that is unique in the file and the same each time the file is read. */
function addKeys(drafts: Draft[]): FileServer[] {
  const used = new Set<string>();
  return drafts.map((draft) => {
    let key = draft.name;
    for (let number = 2; used.has(key); number += 1) key = `${draft.name} (${number})`;
    used.add(key);
    return { key, ...draft };
  });
}
