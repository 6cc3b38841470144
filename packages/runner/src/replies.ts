/** Reads the replies of the server. Nothing in them becomes a file name, a header or a variable unchecked. */
import type {
  AutomationAssignment,
  AutomationRunCompletion,
  AutomationRunConnection,
  AutomationRunHeld,
  AutomationRunTemplate,
  AutomationRunWaiting,
  Template,
} from "@signalbox/client";
import { UnusableServerError } from "./errors.ts";
import { isObject, truncateText } from "./payload.ts";
import type { Usage } from "./usage.ts";

/** Runs read from one reply. The next reply contains the rest. */
const maxRuns = 100;
const maxNameLength = 500;
/** Limit for the templates, and for the connections, of one run. */
const maxResources = 100;

/** The work that the runner claimed. `credential` is null when the server is too old to issue one. */
export type Assignment = Pick<
  AutomationAssignment,
  "runId" | "automationId" | "automationName" | "instructions" | "model" | "attempt" | "timeoutMs"
> & {
  credential: AutomationAssignment["credential"] | null;
  /** False when the server is too old to say so. */
  acceptsTelemetry: boolean;
  templates: Pick<AutomationRunTemplate, "id" | "slug">[];
  connections: Connection[];
};

/** A connection as it appears in the context file. A newer server may know more statuses. */
export type Connection = Omit<AutomationRunConnection, "status"> & { status: string };

/** What a program gets of a template. */
export type RunTemplate = Pick<
  Template,
  "id" | "slug" | "name" | "description" | "tags" | "version" | "metadata" | "body"
>;

export interface Work {
  items: Pick<AutomationRunWaiting, "runId" | "attempt">[];
  held: HeldRun[];
}

type HeldRun = Pick<AutomationRunHeld, "runId" | "attempt" | "cancelRequested">;

/** How a run ended. The runner always sends every field. */
export type Completion = Required<
  Pick<AutomationRunCompletion, "attempt" | "resultSummary" | "sessionId" | "workspaceId">
> & {
  status: NonNullable<AutomationRunCompletion["status"]>;
  usage: Usage | null;
  error: { message: string; retryable: boolean } | null;
};

/** The id of a run becomes the name of a file and of a folder. */
const safeId = /^[A-Za-z0-9][\w-]{0,159}$/;

const isId = (value: unknown): value is string => typeof value === "string" && safeId.test(value);
const isAttempt = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0;

const invalidReply = (what: string) =>
  new UnusableServerError(
    `The server's ${what} makes no sense to this runner. Check that both have the same version.`,
  );

export function readAssignment(value: unknown): Assignment | null {
  if (value === null) return null;
  if (!isObject(value)) throw invalidReply("assignment");
  const { runId, automationId, automationName, instructions, attempt, timeoutMs } = value;
  if (
    !isId(runId) ||
    !isAttempt(attempt) ||
    typeof timeoutMs !== "number" ||
    !Number.isFinite(timeoutMs) ||
    typeof instructions !== "string"
  )
    throw invalidReply("assignment");
  return {
    runId,
    attempt,
    timeoutMs,
    instructions,
    automationId: readName(automationId),
    automationName: readName(automationName),
    model: readModel(value.model),
    credential: readCredential(value.credential),
    acceptsTelemetry: value.acceptsTelemetry === true,
    templates: readObjects(value.templates).map(({ id, slug }) => ({ id: readId(id), slug: readName(slug) })),
    connections: readObjects(value.connections).map(readConnection),
  };
}

function readCredential(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== "string" || !headerText.test(value)) throw invalidReply("assignment");
  return value;
}

/** An older server does not send the field. */
function readObjects(value: unknown): Record<string, unknown>[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.length > maxResources || !value.every(isObject))
    throw invalidReply("assignment");
  return value;
}

function readId(value: unknown): string {
  if (!isId(value)) throw invalidReply("assignment");
  return value;
}

const readTexts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];

function readConnection(value: Record<string, unknown>): Connection {
  const { outsideAccount } = value;
  return {
    id: readId(value.id),
    providerId: readName(value.providerId),
    account: readName(value.account),
    outsideAccount: isObject(outsideAccount)
      ? {
          subject: readName(outsideAccount.subject),
          name: typeof outsideAccount.name === "string" ? readName(outsideAccount.name) : null,
        }
      : null,
    shared: value.shared === true,
    status: readName(value.status),
    scopes: readTexts(value.scopes),
  };
}

export function readTemplate(value: unknown): RunTemplate {
  if (!isObject(value) || typeof value.slug !== "string" || typeof value.body !== "string")
    throw invalidReply("template");
  const { version, metadata, description } = value;
  return {
    id: readId(value.id),
    slug: value.slug,
    name: readName(value.name),
    description: typeof description === "string" ? description : "",
    tags: readTexts(value.tags),
    version: typeof version === "number" ? version : 0,
    metadata: isObject(metadata) ? metadata : {},
    body: value.body,
  };
}

function readModel(model: unknown): Assignment["model"] {
  if (!isObject(model)) return null;
  return { providerId: readName(model.providerId), modelId: readName(model.modelId) };
}

/** Names become environment variables of the program, which cannot contain NUL. */
const readName = (value: unknown): string =>
  typeof value === "string" ? truncateText(value.replaceAll("\0", ""), maxNameLength) : "";

/** Reads the runs that wait, and the runs that this runner holds. */
export const readWork = ({ items, held }: Record<string, unknown>): Work => ({
  items: readRuns(items),
  held: readRuns(held),
});

function readRuns(value: unknown): HeldRun[] {
  if (!Array.isArray(value)) throw invalidReply("list of runs");
  return value.slice(0, maxRuns).map((one) => {
    if (!isObject(one) || !isId(one.runId) || !isAttempt(one.attempt)) throw invalidReply("list of runs");
    return { runId: one.runId, attempt: one.attempt, cancelRequested: one.cancelRequested === true };
  });
}

/** Text that is valid in an HTTP header, without spaces. */
const headerText = /^[\x21-\x7e]{1,4096}$/;

export function readToken({ token, expiresAt, eventsPath }: Record<string, unknown>, url: string) {
  const eventsUrl = typeof eventsPath === "string" ? URL.parse(eventsPath, url) : null;
  if (typeof token !== "string" || !headerText.test(token) || typeof expiresAt !== "number" || !eventsUrl)
    throw invalidReply("answer to a request for a token");
  return { token, expiresAt, eventsUrl };
}
