import { redactUrl } from "@signalbox/discovery";
import { type Detail, invalidField, invalidRequest, Refusal } from "../../../platform/errors.ts";
import { create, type NewConnection } from "../contract.ts";
import type { ImportChoice, ImportInput } from "./contract.ts";
import {
  FileError,
  type FileServer,
  fillTemplate,
  listPlaceholders,
  parseDocument,
  parseFile,
  type ServerFile,
} from "./files/index.ts";
import { toItem } from "./items.ts";

/** One item of an import: what to save, or why it cannot be saved. */
export interface Plan {
  index: number;
  key: string | null;
  name: string;
  /** The address as people may see it. */
  url: string | null;
  body: NewConnection | Refusal;
}

/** Reads the file of a request. */
export function readFile({ text, document }: Pick<ImportInput, "text" | "document">): ServerFile {
  if ((text === undefined) === (document === undefined)) {
    throw invalidField(["text"], "Send the file as text or as a document, one of the two.");
  }
  try {
    return text === undefined ? parseDocument(document ?? {}) : parseFile(text);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    throw invalidField([text === undefined ? "document" : "text"], error.message);
  }
}

/** Finds out what to save for each item. Items that name nothing are refused as a whole, because they are a mistake. */
export function planImport(input: ImportInput): Plan[] {
  const hasFile = input.text !== undefined || input.document !== undefined;
  const servers = new Map(hasFile ? readFile(input).servers.map((server) => [server.key, server]) : []);
  const details = input.items.flatMap((choice, index): Detail[] => {
    const problem = findChoiceProblem(choice, hasFile, servers);
    return problem ? [{ message: problem, path: ["items", index, choice.url ? "url" : "key"] }] : [];
  });
  if (details.length > 0) throw invalidRequest(details);
  return input.items.map((choice, index) => planItem(choice, servers.get(choice.key ?? ""), index));
}

function findChoiceProblem(
  { key, url }: ImportChoice,
  hasFile: boolean,
  servers: ReadonlyMap<string, FileServer>,
): string | undefined {
  if ((key === undefined) === (url === undefined)) {
    return "Give the key of a server in the file, or a url, one of the two.";
  }
  if (key === undefined) return undefined;
  if (!hasFile) return "Send the file again: the key names a server in it.";
  return servers.has(key) ? undefined : "The file has no server with this key. Preview the file again.";
}

function planItem(choice: ImportChoice, server: FileServer | undefined, index: number): Plan {
  const { key, values = {}, ...rest } = choice;
  const address = choice.url === undefined ? null : redactUrl(choice.url);
  const shown = server ? toItem(server) : { name: choice.name ?? address ?? "", url: address };
  const plan = { index, key: key ?? null, name: choice.name ?? shown.name, url: shown.url };
  if (server?.problem) {
    const { code, message } = server.problem;
    return { ...plan, body: new Refusal(409, { error: `mcp_import_${code}`, message }) };
  }
  // A sign-in that a person chooses replaces the credential in the file.
  const signsIn = choice.registration !== undefined && choice.registration !== "bearer";
  const source = server && signsIn ? { ...server, headers: [] } : server;
  const filled = source ? fillServer(source, values) : { missing: [], url: choice.url ?? "", headers: {} };
  if (filled.missing.length > 0) {
    const message = `Give a value for ${filled.missing.join(", ")}.`;
    return { ...plan, body: invalidField(["items", index, "values"], message) };
  }
  const { headers: fileHeaders, ...token } = splitBearer(filled.headers);
  const headers = { ...fileHeaders, ...rest.headers };
  const body = create.body.safeParse({
    ...(server ? { name: server.name } : {}),
    ...token,
    ...rest,
    url: filled.url,
    headers: Object.keys(headers).length > 0 ? headers : undefined,
  });
  return { ...plan, body: body.success ? body.data : refuseBody(index, body.error.issues) };
}

/** The details name the item. Messages do not contain values. */
const refuseBody = (index: number, issues: readonly { message: string; path: PropertyKey[] }[]): Refusal =>
  invalidRequest(
    issues.map(({ message, path }) => ({ message, path: ["items", index, ...path.map(String)] })),
  );

function fillServer({ url, headers }: FileServer, values: Record<string, string>) {
  const used = headers.filter(
    ({ optional, value }) => !optional || fillTemplate(value, values) !== undefined,
  );
  const templates = [...(url ? [url] : []), ...used.map(({ value }) => value)];
  return {
    missing: listPlaceholders(templates)
      .filter((placeholder) => fillTemplate([placeholder], values) === undefined)
      .map(({ name }) => name),
    url: (url && fillTemplate(url, values)) ?? "",
    headers: Object.fromEntries(used.map(({ name, value }) => [name, fillTemplate(value, values) ?? ""])),
  };
}

/** `Authorization: Bearer …` becomes the token of the connection; the other headers stay headers. */
function splitBearer(all: Record<string, string>): Pick<NewConnection, "bearerToken" | "headers"> {
  const headers = { ...all };
  for (const [name, value] of Object.entries(all)) {
    const token = name.toLowerCase() === "authorization" ? /^Bearer +(\S+)$/i.exec(value)?.[1] : undefined;
    if (token === undefined) continue;
    delete headers[name];
    return { bearerToken: token, headers };
  }
  return { headers };
}
