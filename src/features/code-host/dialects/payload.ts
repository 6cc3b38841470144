import { isUtf8 } from "node:buffer";
import { invalidField, invalidRequest } from "../../../platform/errors.ts";
import { bitbucketEvents, readBitbucket } from "./bitbucket.ts";
import type { Dialect } from "./dialect.ts";
import type { CodeHostEvent, IgnoredEvent } from "./event.ts";
import { ignored, type Json, readServer } from "./fields.ts";
import { githubEvents, readGithub } from "./github.ts";
import { gitlabEvents, readGitlab } from "./gitlab.ts";

const readers: Record<
  Dialect,
  {
    events: ReadonlySet<string>;
    read(event: string, payload: Json): CodeHostEvent | IgnoredEvent;
    acceptsForms?: true;
  }
> = {
  github: { events: githubEvents, read: readGithub, acceptsForms: true },
  // These two sign the content of a form and not its bytes, so a form cannot be verified before it is parsed.
  gitea: { events: githubEvents, read: readGithub },
  forgejo: { events: githubEvents, read: readGithub },
  gitlab: { events: gitlabEvents, read: readGitlab },
  bitbucket: { events: bitbucketEvents, read: readBitbucket },
};

export interface VerifiedDelivery {
  dialect: Dialect;
  event: string;
  contentType: string;
  body: Buffer;
}

export interface ParsedDelivery {
  event: CodeHostEvent | IgnoredEvent;
  /** The `action` field of the payload, if it has one. */
  action: string | null;
}

/** False for events without effect, whose bodies are not parsed. */
export const hasEffect = ({ dialect, event }: Pick<VerifiedDelivery, "dialect" | "event">): boolean =>
  readers[dialect].events.has(event);

/** Parses a verified delivery. A body that does not match its event is a 400. */
export function parseDelivery(delivery: VerifiedDelivery): ParsedDelivery {
  const { dialect, event: name, contentType, body } = delivery;
  const { read, acceptsForms } = readers[dialect];
  if (!hasEffect(delivery)) return { event: ignored(), action: null };
  const payload = parse(body, contentType, acceptsForms === true);
  const event = addServer(read(name, payload), payload);
  const { action } = payload;
  return { event, action: typeof action === "string" && /^\w{1,100}$/.test(action) ? action : null };
}

/** A push is verified at the server of its connector, so it needs no server here. Other events are applied directly. */
function addServer(event: CodeHostEvent | IgnoredEvent, payload: Json): CodeHostEvent | IgnoredEvent {
  if (event.type === "push" || event.type === "ignored") return event;
  const server = readServer(payload);
  return server ? { ...event, server } : event;
}

function parse(body: Buffer, contentType: string, acceptsForms: boolean): Json {
  if (!isUtf8(body)) throw invalidRequest([{ message: "The body is not UTF-8." }]);
  let text = body.toString("utf8");
  if (/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(contentType)) {
    if (!acceptsForms) throw invalidRequest([{ message: "Choose application/json at the code host." }]);
    const payload = new URLSearchParams(text).get("payload");
    if (payload === null) throw invalidField(["payload"], "The form has no such field.");
    text = payload;
  } else if (contentType !== "" && !/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(contentType)) {
    throw invalidRequest([{ message: "The content type must be application/json." }]);
  }
  refuseManyValues(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidRequest([{ message: "The body is not JSON." }]);
  }
  if (value === null || typeof value !== "object" || Array.isArray(value))
    throw invalidRequest([{ message: "The body must be a JSON object." }]);
  return value as Json;
}

/** Parsed in a thread, this many values of the largest body took up to 154 MB. A thread has 256 MB. */
const maxValues = 2_000_000;
const valueSigns = new Set([..."[{,"].map((sign) => sign.charCodeAt(0)));

/** Parsing takes memory for each value, however short its text is. Commas in strings count too. */
function refuseManyValues(text: string): void {
  if (text.length <= maxValues) return;
  let count = 0;
  for (let i = 0; i < text.length; i++) if (valueSigns.has(text.charCodeAt(i))) count++;
  if (count > maxValues)
    throw invalidRequest([{ message: `The body has more than ${maxValues.toLocaleString("en")} values.` }]);
}
