import { isUtf8 } from "node:buffer";
import { invalidField, invalidRequest } from "../../../platform/errors.ts";
import { bitbucketEvents, readBitbucket } from "./bitbucket.ts";
import type { Dialect } from "./dialect.ts";
import { githubEvents, readGithub } from "./github.ts";
import { gitlabEvents, readGitlab } from "./gitlab.ts";
import { ignored, type Json, type Reading, serverOf } from "./reading.ts";

const readers: Record<
  Dialect,
  { events: ReadonlySet<string>; read(event: string, payload: Json): Reading; forms?: true }
> = {
  github: { events: githubEvents, read: readGithub, forms: true },
  // The two sign what a form contains and not the form, so what came cannot be verified before it is parsed.
  gitea: { events: githubEvents, read: readGithub },
  forgejo: { events: githubEvents, read: readGithub },
  gitlab: { events: gitlabEvents, read: readGitlab },
  bitbucket: { events: bitbucketEvents, read: readBitbucket },
};

export interface Sent {
  dialect: Dialect;
  event: string;
  contentType: string;
  body: Buffer;
}

export interface Read {
  news: Reading;
  /** What happened to it, where the event is a kind of thing. */
  action: string | null;
}

/** What a verified delivery says. A body that is not what its event says it is, is a 400. */
export function read({ dialect, event, contentType, body }: Sent): Read {
  const { events, read, forms } = readers[dialect];
  // What nobody here waits for is not even parsed.
  if (!events.has(event)) return { news: ignored(), action: null };
  const payload = parse(body, contentType, forms === true);
  const news = whereItWas(read(event, payload), payload);
  const { action } = payload;
  return { news, action: typeof action === "string" && /^\w{1,100}$/.test(action) ? action : null };
}

/** A push is looked up at the server that its connector names; what ends or moves one is believed as it stands. */
function whereItWas(news: Reading, payload: Json): Reading {
  const server = news.is === "push" || news.is === "ignored" ? undefined : serverOf(payload);
  return server ? ({ ...news, server } as Reading) : news;
}

function parse(body: Buffer, contentType: string, forms: boolean): Json {
  if (!isUtf8(body)) throw invalidRequest([{ message: "The body is not UTF-8." }]);
  let text = body.toString("utf8");
  if (/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(contentType)) {
    if (!forms) throw invalidRequest([{ message: "Choose application/json at the code host." }]);
    const payload = new URLSearchParams(text).get("payload");
    if (payload === null) throw invalidField(["payload"], "The form has no such field.");
    text = payload;
  } else if (contentType !== "" && !/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(contentType)) {
    throw invalidRequest([{ message: "The content type must be application/json." }]);
  }
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
