import {
  type AutomationRunCompletion,
  type Body,
  createHttp,
  type HttpRequest,
  RefusedError,
  readEventStream,
  type StreamMessage,
  UnreachableError,
} from "@signalbox/client";
import {
  createForeignReplyError,
  createNotSignalboxError,
  createOtherOriginError,
  describeCredentialRefusal,
  translateError,
} from "./errors.ts";
import {
  type Assignment,
  type Completion,
  type RunTemplate,
  readAssignment,
  readTemplate,
  readToken,
  readWork,
  type Work,
} from "./replies.ts";

/** How the runner introduces itself to the server. */
export type RunnerInfo = Required<Body<"POST /v1/automation-runners/token">>;

/** The requests of a runner. Each can throw an UnreachableError, a RefusedError or an UnusableServerError. */
export interface RunnerApi {
  readonly url: string;
  readServer(): Promise<{ instance: string; publicUrl: string | undefined }>;
  register(): Promise<void>;
  listWork(): Promise<Work>;
  claim(runId: string): Promise<Assignment | null>;
  /** Authenticates with the credential of a run. */
  readTemplate(id: string, credential: string): Promise<RunTemplate>;
  heartbeat(runId: string, attempt: number): Promise<{ cancelRequested: boolean }>;
  /** `events` are JSON texts, in order. */
  sendEvents(runId: string, events: readonly string[]): Promise<void>;
  complete(runId: string, completion: Completion): Promise<void>;
  /** `onActivity` is called for each piece of the stream, also for comments. */
  openWakeUps(
    lastEventId: string | undefined,
    signal: AbortSignal,
    onActivity: () => void,
  ): Promise<AsyncGenerator<StreamMessage>>;
}

const timeoutMs = 15_000;
/** Larger than the longest instructions and a full list of runs. */
const maxReplyBytes = 4 * 1024 * 1024;
/** Longer than any message that the server sends to a runner. */
const maxMessageLength = 1024 * 1024;
/** The stream of wake-ups is given up by its reader, so it may be slow to open. */
const openStreamMs = 60_000;
/** A token is replaced when it expires within this time. */
const renewBeforeMs = 3600_000;

interface Token {
  value: string;
  expiresAt: number;
  eventsPath: string;
}

/** Is told whether the server answers. */
export interface ConnectionObserver {
  onConnected(): void;
  onDisconnected(reason: string): void;
}

/** How a runner gets its token: with an API key, or from the worker that hosts it. */
export type RunnerAccess = Required<Pick<HttpRequest, "path" | "headers">>;

const accessWithKey = (key: string): RunnerAccess => ({
  path: "/v1/automation-runners/token",
  headers: { "x-api-key": key },
});

const noObserver: ConnectionObserver = { onConnected() {}, onDisconnected() {} };

export function createRunnerApi(
  url: string,
  access: string | RunnerAccess,
  info: RunnerInfo,
  halt: AbortSignal,
  observer: ConnectionObserver = noObserver,
): RunnerApi {
  // The runner decides itself when to try again, because a heartbeat is more urgent than a batch of events.
  const http = createHttp({ url, timeoutMs, maxReplyBytes, maxTries: 1 });
  let token: Promise<Token> | undefined;
  let renewAt = 0;

  async function call(request: HttpRequest): Promise<Record<string, unknown>> {
    try {
      const body = await http.request({ ...request, signal: halt });
      // Every reply to a runner has a body.
      if (!body) throw createForeignReplyError(url, 200);
      observer.onConnected();
      return body;
    } catch (cause) {
      const error = translateError(url, cause);
      if (error instanceof RefusedError) observer.onConnected();
      if (error instanceof UnreachableError && !halt.aborted) observer.onDisconnected(error.message);
      throw error;
    }
  }

  async function requestToken(): Promise<Token> {
    const request = typeof access === "string" ? accessWithKey(access) : access;
    const reply = await call({ method: "POST", ...request, body: info }).catch((error) => {
      throw error instanceof RefusedError ? describeCredentialRefusal(url, error) : error;
    });
    // The path is resolved at the given address, which works whatever the server's public address is.
    const { token: value, expiresAt, eventsUrl } = readToken(reply, url);
    if (eventsUrl.origin !== url) throw createOtherOriginError(url, eventsUrl.origin);
    return { value, expiresAt, eventsPath: eventsUrl.href };
  }

  /** Requests one token at a time. All callers wait for the same request. */
  function currentToken(): Promise<Token> {
    if (token && performance.now() < renewAt) return token;
    renewAt = Number.POSITIVE_INFINITY;
    const requested = requestToken();
    token = requested;
    requested.then(
      ({ expiresAt }) => {
        // The clocks may differ, so a token is renewed neither all the time nor never. A 401 tells if it ended early.
        const leftMs = expiresAt - Date.now() - renewBeforeMs;
        renewAt = performance.now() + Math.min(Math.max(leftMs, 10 * 60_000), 11 * 3600_000);
      },
      () => forgetToken(requested),
    );
    return requested;
  }

  const forgetToken = (old: Promise<Token>) => {
    if (token === old) token = undefined;
  };

  /** Sends a request with the token. Replaces the token once when the server does not accept it. */
  async function withToken<T>(
    send: (headers: Record<string, string>, eventsPath: string) => Promise<T>,
  ): Promise<T> {
    for (let isRepeated = false; ; isRepeated = true) {
      const used = currentToken();
      const { value, eventsPath } = await used;
      try {
        return await send({ authorization: `Bearer ${value}` }, eventsPath);
      } catch (error) {
        if (!(error instanceof RefusedError) || (error.status !== 401 && error.status !== 403)) throw error;
        if (isRepeated || error.status === 403) throw describeCredentialRefusal(url, error);
        forgetToken(used);
      }
    }
  }

  const callWithToken = (request: HttpRequest) => withToken((headers) => call({ ...request, headers }));
  const runPath = (runId: string, action: string) =>
    `/v1/automation-runs/${encodeURIComponent(runId)}/${action}`;

  return {
    url,
    async readServer() {
      const reply = await call({ path: "/version" }).catch((error) => {
        const isForeign =
          error instanceof RefusedError ||
          (error instanceof UnreachableError && error.code === "foreign_reply");
        throw isForeign ? createNotSignalboxError(url, `HTTP ${error.status}`) : error;
      });
      if (reply.name !== "signalbox") throw createNotSignalboxError(url, "no Signalbox");
      const publicUrl = typeof reply.publicUrl === "string" ? reply.publicUrl : undefined;
      return { instance: String(reply.instance), publicUrl };
    },
    register: async () => void (await currentToken()),
    listWork: async () => readWork(await callWithToken({ path: "/v1/automation-runner/work" })),
    claim: async (runId) =>
      readAssignment((await callWithToken({ method: "POST", path: runPath(runId, "claim") })).assignment),
    readTemplate: async (id, credential) => {
      const headers = { authorization: `Bearer ${credential}` };
      return readTemplate(
        (await call({ path: `/v1/templates/${encodeURIComponent(id)}`, headers })).template,
      );
    },
    heartbeat: async (runId, attempt) => {
      const path = runPath(runId, "heartbeat");
      const { cancelRequested } = await callWithToken({ method: "POST", path, body: { attempt } });
      return { cancelRequested: cancelRequested === true };
    },
    sendEvents: async (runId, events) => {
      const encodedBody = `{"events":[${events.join(",")}]}`;
      await callWithToken({ method: "POST", path: runPath(runId, "events/batch"), encodedBody });
    },
    complete: async (runId, completion) =>
      void (await callWithToken({
        method: "POST",
        path: runPath(runId, "complete"),
        body: completion satisfies AutomationRunCompletion,
      })),
    openWakeUps: (lastEventId, signal, onActivity) =>
      withToken(async (headers, path) => {
        const resume: Record<string, string> =
          lastEventId === undefined ? {} : { "last-event-id": lastEventId };
        const request = { path, headers: { ...headers, ...resume, accept: "text/event-stream" } };
        const response = await http
          .open({ ...request, signal, timeoutMs: openStreamMs })
          .catch((error: unknown) => {
            throw translateError(url, error);
          });
        if (!response.headers.get("content-type")?.startsWith("text/event-stream")) {
          await response.body?.cancel();
          throw new UnreachableError(url, "no event stream");
        }
        return readEventStream(response.body, { onActivity, maxMessageLength });
      }),
  };
}
