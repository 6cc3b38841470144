import { Denied, Unreachable } from "./failures.ts";
import { beginningOf, isObject } from "./payload.ts";

/** Larger than the longest instructions and a full list of runs. */
const maxReplyBytes = 4 * 1024 * 1024;
/** Runs read from one reply. The next reply contains the rest. */
const maxRuns = 100;
const maxName = 500;
/** Limit for the templates, and for the connections, of one run. */
const maxResources = 100;

/** Reads the body of a reply. Fails beyond `maxBytes`, so that a reply cannot fill the memory. */
export async function readText(response: Response, maxBytes = maxReplyBytes): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxBytes) throw new Unreachable(`it answered with more than ${maxBytes / 1024 / 1024} MiB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

export interface Assignment {
  runId: string;
  automationId: string;
  automationName: string;
  instructions: string;
  model: { providerId: string; modelId: string } | null;
  attempt: number;
  timeoutMs: number;
  /** The run credential for the program. Null when the server is too old to issue one. */
  credential: string | null;
  templates: { id: string; slug: string }[];
  connections: Connection[];
}

/** A connection as it appears in the context file. */
export interface Connection {
  id: string;
  providerId: string;
  account: string;
  outsideAccount: { subject: string; name: string | null } | null;
  shared: boolean;
  status: string;
  scopes: string[];
}

export interface Template {
  id: string;
  slug: string;
  name: string;
  description: string;
  tags: string[];
  version: number;
  metadata: Record<string, unknown>;
  body: string;
}

export interface Waiting {
  runId: string;
  attempt: number;
}

export interface Held extends Waiting {
  cancelRequested: boolean;
}

/** The id of a run becomes the name of a file and of a folder. */
const harmlessId = /^[A-Za-z0-9][\w-]{0,159}$/;

const isId = (value: unknown): value is string => typeof value === "string" && harmlessId.test(value);
const isAttempt = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0;

const senseless = (what: string) =>
  new Denied(`The server's ${what} makes no sense to this runner. Check that both have the same version.`);

export function readAssignment(value: unknown): Assignment | null {
  if (value === null) return null;
  if (!isObject(value)) throw senseless("assignment");
  const { runId, automationId, automationName, instructions, attempt, timeoutMs } = value;
  if (
    !isId(runId) ||
    !isAttempt(attempt) ||
    typeof timeoutMs !== "number" ||
    !Number.isFinite(timeoutMs) ||
    typeof instructions !== "string"
  )
    throw senseless("assignment");
  return {
    runId,
    attempt,
    timeoutMs,
    instructions,
    automationId: nameOf(automationId),
    automationName: nameOf(automationName),
    model: readModel(value.model),
    credential: readCredential(value.credential),
    templates: readObjects(value.templates).map(({ id, slug }) => ({ id: idOf(id), slug: nameOf(slug) })),
    connections: readObjects(value.connections).map(readConnection),
  };
}

function readCredential(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== "string" || !headerText.test(value)) throw senseless("assignment");
  return value;
}

/** An older server does not send the field. */
function readObjects(value: unknown): Record<string, unknown>[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.length > maxResources || !value.every(isObject))
    throw senseless("assignment");
  return value;
}

function idOf(value: unknown): string {
  if (!isId(value)) throw senseless("assignment");
  return value;
}

const readTexts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];

function readConnection(value: Record<string, unknown>): Connection {
  const { outsideAccount: outside } = value;
  return {
    id: idOf(value.id),
    providerId: nameOf(value.providerId),
    account: nameOf(value.account),
    outsideAccount: isObject(outside)
      ? {
          subject: nameOf(outside.subject),
          name: typeof outside.name === "string" ? nameOf(outside.name) : null,
        }
      : null,
    shared: value.shared === true,
    status: nameOf(value.status),
    scopes: readTexts(value.scopes),
  };
}

export function readTemplate(value: unknown): Template {
  if (!isObject(value) || typeof value.slug !== "string" || typeof value.body !== "string")
    throw senseless("template");
  const { version, metadata, description } = value;
  return {
    id: idOf(value.id),
    slug: value.slug,
    name: nameOf(value.name),
    description: typeof description === "string" ? description : "",
    tags: readTexts(value.tags),
    version: typeof version === "number" ? version : 0,
    metadata: isObject(metadata) ? metadata : {},
    body: value.body,
  };
}

function readModel(model: unknown): Assignment["model"] {
  if (!isObject(model)) return null;
  return { providerId: nameOf(model.providerId), modelId: nameOf(model.modelId) };
}

/** Names become environment variables of the program, which cannot contain NUL. */
const nameOf = (value: unknown): string =>
  typeof value === "string" ? beginningOf(value.replaceAll("\0", ""), maxName) : "";

const readList = <T>(value: unknown, readOne: (one: Record<string, unknown>) => T | undefined): T[] => {
  if (!Array.isArray(value)) throw senseless("list of runs");
  return value.slice(0, maxRuns).map((one) => {
    const read = isObject(one) ? readOne(one) : undefined;
    if (read === undefined) throw senseless("list of runs");
    return read;
  });
};

const readWaiting = ({ runId, attempt }: Record<string, unknown>): Waiting | undefined =>
  isId(runId) && isAttempt(attempt) ? { runId, attempt } : undefined;

export const readItems = (value: unknown): Waiting[] => readList(value, readWaiting);

export const readHeld = (value: unknown): Held[] =>
  readList(value, (one) => {
    const waiting = readWaiting(one);
    return waiting && { ...waiting, cancelRequested: one.cancelRequested === true };
  });

/** Text that is valid in an HTTP header, without spaces. */
const headerText = /^[\x21-\x7e]{1,4096}$/;

export function readToken({ token, expiresAt, eventsPath }: Record<string, unknown>, url: string) {
  const eventsUrl = typeof eventsPath === "string" ? URL.parse(eventsPath, url) : null;
  if (typeof token !== "string" || !headerText.test(token) || typeof expiresAt !== "number" || !eventsUrl)
    throw senseless("answer to a request for a token");
  return { token, expiresAt, eventsUrl };
}
