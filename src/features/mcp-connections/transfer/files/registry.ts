import { createServer, type Draft, isObject, readText, refuseEntry, type ValueHint } from "./server.ts";
import { parseTemplate, type Template } from "./templates.ts";

const listObjects = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

const readType = (remote: Record<string, unknown>) =>
  (readText(remote.type) ?? readText(remote.transport_type) ?? readText(remote.transport))?.toLowerCase();

export const isRegistryServer = (value: unknown): boolean =>
  isObject(value) &&
  typeof value.name === "string" &&
  (Array.isArray(value.remotes) || Array.isArray(value.packages));

/** Reads a `server.json`. Each HTTP address of the server becomes an entry. */
export function readRegistryServer(server: unknown): Draft[] {
  if (!isObject(server)) {
    return [refuseEntry("", "invalid_entry", "The entry is not an object. Correct it in the file.")];
  }
  const name = readText(server.title) ?? readText(server.name) ?? "";
  const remotes = listObjects(server.remotes);
  const older = remotes.filter((remote) => readType(remote) === "sse");
  const current = remotes.filter((remote) => !older.includes(remote));
  const packages = listObjects(server.packages);
  const notes: string[] = [];
  if (current.length > 0 && older.length > 0) {
    notes.push("The server also offers the older SSE transport, which is left out.");
  }
  if (remotes.length > 0 && packages.length > 0) {
    notes.push("The server can also be installed as a package, which is left out.");
  }
  const used = current.length > 0 ? current : older;
  if (used.length > 0) return used.map((remote) => readRemote(name, remote, [...notes]));
  return [
    packages.length > 0
      ? refuseEntry(
          name,
          "local_package",
          "The server is a package that runs on one computer. Save a server that answers over HTTP instead.",
        )
      : refuseEntry(name, "no_url", "The entry has no remote address. Ask its publisher for one."),
  ];
}

function readRemote(name: string, remote: Record<string, unknown>, notes: string[]): Draft {
  const url = readText(remote.url);
  if (url === undefined) return refuseEntry(name, "no_url", "The remote has no URL.", notes);
  const type = readType(remote);
  if (type !== undefined && !/^(?:sse|(?:streamable[-_]?)?http)$/.test(type)) {
    const message = "The remote uses a transport other than HTTP, which cannot be saved.";
    return refuseEntry(name, "unsupported_transport", message, notes);
  }
  const hints = new Map<string, ValueHint>();
  const defaults = new Map<string, string>();
  readVariables(remote.variables, hints, defaults);
  const headers = listObjects(remote.headers).map((header) => {
    const headerName = readText(header.name) ?? "";
    readVariables(header.variables, hints, defaults);
    const text = readText(header.value);
    if (text === undefined) addValue(headerName, header, hints, defaults);
    const template = text === undefined ? [{ name: headerName }] : parseTemplate(text, "registry");
    return {
      name: headerName,
      value: applyDefaults(template, defaults),
      optional: header.isRequired !== true,
    };
  });
  const draft = createServer(name, url, headers, { notes, hints });
  return draft.url ? { ...draft, url: applyDefaults(draft.url, defaults) } : draft;
}

function readVariables(variables: unknown, hints: Map<string, ValueHint>, defaults: Map<string, string>) {
  if (!isObject(variables)) return;
  for (const [name, variable] of Object.entries(variables)) {
    if (isObject(variable)) addValue(name, variable, hints, defaults);
  }
}

function addValue(
  name: string,
  { description, choices, isSecret, default: fallback, value }: Record<string, unknown>,
  hints: Map<string, ValueHint>,
  defaults: Map<string, string>,
) {
  const options = Array.isArray(choices) ? `One of: ${choices.map(String).join(", ")}.` : undefined;
  const text = [readText(description), options].filter((part) => part !== undefined).join(" ");
  hints.set(name, { description: text ? text.slice(0, 500) : null, secret: isSecret === true });
  const known = readText(value) ?? readText(fallback);
  if (known !== undefined) defaults.set(name, known);
}

const applyDefaults = (template: Template, defaults: ReadonlyMap<string, string>): Template =>
  template.map((part) => {
    const fallback = typeof part === "string" ? undefined : defaults.get(part.name);
    return typeof part === "string" || fallback === undefined ? part : { ...part, fallback };
  });
