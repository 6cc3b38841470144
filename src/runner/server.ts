import { readRetryAfter } from "./backoff.ts";
import { Denied, Foreign, Refused, reasonOf, Unreachable } from "./failures.ts";
import { isObject } from "./payload.ts";
import {
  type Assignment,
  type Held,
  readAssignment,
  readHeld,
  readItems,
  readTemplate,
  readText,
  readToken,
  type Template,
  type Waiting,
} from "./replies.ts";
import { type Message, readMessages } from "./sse.ts";
import type { Usage } from "./usage.ts";

export interface Self {
  runnerId: string;
  platform: string;
  version: string;
  concurrency: number;
  serves: "own" | "organization";
}

export interface Completion {
  attempt: number;
  status: "succeeded" | "failed" | "cancelled";
  resultSummary: string | null;
  sessionId: string | null;
  workspaceId: string | null;
  usage: Usage | null;
  error: { message: string; retryable: boolean } | null;
}

interface Work {
  items: Waiting[];
  held: Held[];
}

/** What a runner asks of its server. Every call may throw Unreachable, Refused or Denied. */
export interface Server {
  readonly url: string;
  about(): Promise<{ instance: string; publicUrl: string | undefined }>;
  register(): Promise<void>;
  work(): Promise<Work>;
  claim(runId: string): Promise<Assignment | null>;
  /** Authenticates with the credential of a run. */
  readTemplate(id: string, credential: string): Promise<Template>;
  heartbeat(runId: string, attempt: number): Promise<{ cancelRequested: boolean }>;
  /** `events` as JSON, in order. */
  report(runId: string, events: readonly string[]): Promise<void>;
  complete(runId: string, completion: Completion): Promise<void>;
  wakeUps(lastEventId: string | undefined, signal: AbortSignal): Promise<AsyncGenerator<Message>>;
}

const callMs = 15_000;
/** A token is replaced when it has this little left. */
const renewBeforeMs = 3600_000;

interface Token {
  value: string;
  expiresAt: number;
  eventsUrl: string;
}

interface Call {
  method?: "GET" | "POST";
  headers?: Record<string, string>;
  body?: string;
  signal?: AbortSignal;
}

/** Hears whether the server answers. */
export interface Link {
  up(): void;
  down(reason: string): void;
}

const deaf: Link = { up() {}, down() {} };

export function createServer(
  url: string,
  key: string,
  self: Self,
  halt: AbortSignal,
  link: Link = deaf,
): Server {
  let token: Promise<Token> | undefined;
  let renewAt = 0;

  async function send(path: string, { method = "GET", headers = {}, body, signal }: Call): Promise<Response> {
    const timeout = AbortSignal.timeout(callMs);
    try {
      return await fetch(new URL(path, url), {
        method,
        headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
        body: body ?? null,
        redirect: "manual",
        signal: signal ?? AbortSignal.any([timeout, halt]),
      });
    } catch (error) {
      throw new Unreachable(reasonOf(error));
    }
  }

  /** The body of a good answer. */
  async function ask(path: string, call: Call): Promise<Record<string, unknown>> {
    try {
      const response = await send(path, call);
      const text = await readText(response).catch((error) => {
        throw error instanceof Unreachable ? error : new Unreachable(reasonOf(error));
      });
      const body = judge(response, text);
      link.up();
      return body;
    } catch (error) {
      if (error instanceof Refused) link.up();
      if (error instanceof Unreachable && !halt.aborted) link.down(error.message);
      throw error;
    }
  }

  function judge(response: Response, text: string): Record<string, unknown> {
    const { status } = response;
    const body = parse(text);
    if (status >= 300 && status < 400) throw leadsOn(url, response.headers.get("location"));
    if (status >= 500 || status === 429 || status === 408) {
      throw new Unreachable(`HTTP ${status}`, readRetryAfter(response.headers.get("retry-after")));
    }
    // A proxy's page, for one.
    if (!body) throw new Foreign(status);
    if (status >= 400) throw new Refused(status, body);
    return body;
  }

  async function mint(): Promise<Token> {
    const body = JSON.stringify(self);
    const path = "/v1/automation-runners/token";
    const reply = await ask(path, { method: "POST", headers: { "x-api-key": key }, body }).catch((error) => {
      throw error instanceof Refused ? notLetIn(url, error) : error;
    });
    // The path is taken at the address that was given to us: whatever the server calls itself, this one works.
    const { token: value, expiresAt, eventsUrl } = readToken(reply, url);
    if (eventsUrl.origin !== url) throw elsewhere(url, eventsUrl.origin);
    return { value, expiresAt, eventsUrl: eventsUrl.href };
  }

  /** One request for a token at a time, whoever waits for it. */
  function currentToken(): Promise<Token> {
    if (token && performance.now() < renewAt) return token;
    renewAt = Number.POSITIVE_INFINITY;
    const minted = mint();
    token = minted;
    minted.then(
      ({ expiresAt }) => {
        // The server's clock may differ from ours: a token is not renewed all the time because of that,
        // and one that ended unexpectedly is found out by a 401.
        const leftMs = expiresAt - Date.now() - renewBeforeMs;
        renewAt = performance.now() + Math.min(Math.max(leftMs, 10 * 60_000), 11 * 3600_000);
      },
      () => forget(minted),
    );
    return minted;
  }

  const forget = (old: Promise<Token>) => {
    if (token === old) token = undefined;
  };

  async function withToken<T>(
    work: (headers: Record<string, string>, eventsUrl: string) => Promise<T>,
  ): Promise<T> {
    for (let again = false; ; again = true) {
      const used = currentToken();
      const { value, eventsUrl } = await used;
      try {
        return await work({ authorization: `Bearer ${value}` }, eventsUrl);
      } catch (error) {
        if (!(error instanceof Refused) || (error.status !== 401 && error.status !== 403)) throw error;
        if (again || error.status === 403) throw notLetIn(url, error);
        forget(used);
      }
    }
  }

  const get = (path: string) => withToken((headers) => ask(path, { headers }));
  const post = (path: string, body?: string) =>
    withToken((headers) => ask(path, { method: "POST", headers, ...(body === undefined ? {} : { body }) }));
  const ofRun = (runId: string, what: string) => `/v1/automation-runs/${encodeURIComponent(runId)}/${what}`;

  return {
    url,
    async about() {
      const said = await ask("/version", {}).catch((error) => {
        throw error instanceof Refused || error instanceof Foreign
          ? notOurs(url, `HTTP ${error.status}`)
          : error;
      });
      if (said.name !== "signalbox") throw notOurs(url, "no Signalbox");
      const publicUrl = typeof said.publicUrl === "string" ? said.publicUrl : undefined;
      return { instance: String(said.instance), publicUrl };
    },
    register: async () => void (await currentToken()),
    work: async () => {
      const { items, held } = await get("/v1/automation-runner/work");
      return { items: readItems(items), held: readHeld(held) };
    },
    claim: async (runId) => readAssignment((await post(ofRun(runId, "claim"))).assignment),
    readTemplate: async (id, credential) => {
      const headers = { authorization: `Bearer ${credential}` };
      return readTemplate((await ask(`/v1/templates/${encodeURIComponent(id)}`, { headers })).template);
    },
    heartbeat: async (runId, attempt) => {
      const { cancelRequested } = await post(ofRun(runId, "heartbeat"), JSON.stringify({ attempt }));
      return { cancelRequested: cancelRequested === true };
    },
    report: async (runId, events) =>
      void (await post(ofRun(runId, "events/batch"), `{"events":[${events.join(",")}]}`)),
    complete: async (runId, completion) =>
      void (await post(ofRun(runId, "complete"), JSON.stringify(completion))),
    wakeUps: (lastEventId, signal) =>
      withToken(async (headers, eventsUrl) => {
        const resume: Record<string, string> =
          lastEventId === undefined ? {} : { "last-event-id": lastEventId };
        const response = await send(eventsUrl, {
          headers: { ...headers, ...resume, accept: "text/event-stream" },
          signal,
        });
        if (!response.headers.get("content-type")?.startsWith("text/event-stream") || !response.body) {
          judge(response, await readText(response).catch(() => ""));
          throw new Unreachable("no event stream");
        }
        return readMessages(response.body);
      }),
  };
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const notOurs = (url: string, what: string) =>
  new Denied(
    `What answers at ${url} is not Signalbox (${what}). Give its address with --url or SIGNALBOX_URL.`,
  );

const leadsOn = (url: string, location: string | null) => {
  const to = location && URL.canParse(location, url) ? new URL(location, url).origin : undefined;
  return new Denied(
    to && to !== url
      ? `${url} leads on to ${to}. Use --url ${to}.`
      : `${url} leads on to another page. Give the address of Signalbox itself with --url.`,
  );
};

const elsewhere = (url: string, origin: string) =>
  new Denied(`${url} sends runners to ${origin}. Use --url ${origin}, or correct PUBLIC_URL of the server.`);

function notLetIn(url: string, error: Refused): Error {
  if (error.status === 401) {
    return new Denied(
      `${url} does not know this API key. Make one there (POST /v1/api-keys), and check that --url is the Signalbox it was made in.`,
    );
  }
  if (error.status === 403)
    return new Denied(`${url} does not let this key run automations: ${error.message}`);
  if (error.status === 404) return notOurs(url, "it knows no automation runners");
  return error.status === 400 ? new Denied(`${url} does not accept this runner: ${detailOf(error)}`) : error;
}

function detailOf({ body, message }: Refused): string {
  const [first] = Array.isArray(body.details) ? body.details : [];
  return isObject(first) ? `${String(first.path ?? "")} ${String(first.message)}`.trim() : message;
}
