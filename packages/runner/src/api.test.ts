import { once } from "node:events";
import { createServer as createHttpServer, type Server as HttpServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { RefusedError, UnreachableError } from "@signalbox/client";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createRunnerApi } from "./api.ts";
import { UnusableServerError } from "./errors.ts";
import { keepLease } from "./lease.ts";
import { checkPublicUrl } from "./public-url.ts";

const opened: HttpServer[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one.close().closeAllConnections();
});

async function answering(listener: RequestListener): Promise<string> {
  const server = createHttpServer(listener).listen(0, "127.0.0.1");
  opened.push(server);
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const json = (status: number, body: unknown, headers = {}): RequestListener => {
  return (_, response) => response.writeHead(status, headers).end(JSON.stringify(body));
};

const self = { runnerId: "runner-one", platform: "p", version: "1", concurrency: 1, serves: "own" } as const;
const open = (url: string) => createRunnerApi(url, "sbx_key", self, new AbortController().signal);
const caught = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error) => error,
  );

describe("the runner's server", () => {
  test("an address that is not Signalbox, redirects or refuses the key gives one sentence that says what to do", async () => {
    const page = await answering((_, response) => response.end("<html>"));
    const moved = await answering((_, response) =>
      response.writeHead(301, { location: "https://a.example/x" }).end(),
    );
    const strict = await answering(json(401, { error: "unauthorized" }));
    const forbidding = await answering(json(403, { error: "forbidden", message: "Ask an owner." }));
    const away = await answering(
      json(200, { token: "t", expiresAt: Date.now() + 1e8, eventsPath: "https://b.example/e" }),
    );
    const sentences = await Promise.all([
      caught(open(page).readServer()),
      caught(open(moved).readServer()),
      caught(open(strict).register()),
      caught(open(forbidding).register()),
      caught(open(away).register()),
    ]);
    for (const one of sentences) expect(one).toBeInstanceOf(UnusableServerError);
    expect(sentences.map(({ message }) => message)).toEqual([
      `What answers at ${page} is not Signalbox (HTTP 200). Give its address with --url or SIGNALBOX_URL.`,
      `${moved} leads on to https://a.example. Use --url https://a.example.`,
      expect.stringMatching(/does not know this API key/),
      `${forbidding} does not let this key run automations: Ask an owner.`,
      `${away} sends runners to https://b.example. Use --url https://b.example, or correct PUBLIC_URL of the server.`,
    ]);
  });

  test("three calls that get 401 replace the token once; a 503 keeps its Retry-After", async () => {
    let minted = 0;
    const url = await answering((request, response) => {
      if (request.url!.endsWith("/token")) {
        minted++;
        return json(200, { token: `t${minted}`, expiresAt: Date.now() + 12 * 3600_000, eventsPath: "/e" })(
          request,
          response,
        );
      }
      if (request.headers.authorization !== "Bearer t2")
        return json(401, { error: "unauthorized" })(request, response);
      json(200, { items: [], held: [] })(request, response);
    });
    const api = open(url);
    await Promise.all([api.listWork(), api.listWork(), api.listWork()]);
    expect(minted).toBe(2);
    const busy = await answering(json(503, { error: "service_unavailable" }, { "retry-after": "7" }));
    const error = await caught(open(busy).readServer());
    expect(error).toBeInstanceOf(UnreachableError);
    expect(error.retryAfterMs).toBe(7_000);
  });

  test("an assignment whose id contains a path is refused", async () => {
    const url = await answering((request, response) => {
      const token = { token: "t", expiresAt: Date.now() + 1e8, eventsPath: "/e" };
      const assignment = { runId: "../../etc/x", attempt: 1, timeoutMs: 1, instructions: "" };
      json(200, request.url!.endsWith("/token") ? token : { assignment })(request, response);
    });
    expect(await caught(open(url).claim("run_1"))).toBeInstanceOf(UnusableServerError);
  });

  test("a warning is given when PUBLIC_URL leads to another server or does not answer, and only then", async () => {
    const same = await answering(json(200, { instance: "a" }));
    const other = await answering(json(200, { instance: "b" }));
    expect(await checkPublicUrl("http://x", undefined, "a")).toBeUndefined();
    expect(await checkPublicUrl("http://x", "http://x", "a")).toBeUndefined();
    expect(await checkPublicUrl("http://x", same, "a")).toBeUndefined();
    expect(await checkPublicUrl("http://x", other, "a")).toMatch(
      /but something else answers there\. If .* correct PUBLIC_URL/,
    );
    expect(await checkPublicUrl("http://x", "http://127.0.0.1:9", "a")).toMatch(
      /which does not answer from here\./,
    );
  });
});

describe("the lease", () => {
  afterEach(() => void vi.useRealTimers());
  const holder = () => ({ onCancel: vi.fn(), onLost: vi.fn(), onLapse: vi.fn(), onFault: vi.fn() });
  const run = { runId: "run_1", attempt: 1 };

  test("is renewed by heartbeats well before it expires, and a heartbeat reports a cancellation", async () => {
    vi.useFakeTimers();
    let cancelRequested = false;
    const heartbeat = vi.fn(async () => ({ cancelRequested }));
    const held = holder();
    const stop = new AbortController();
    void keepLease({ heartbeat }, { ...run, since: performance.now() }, held, stop.signal);
    await vi.advanceTimersByTimeAsync(300_000);
    expect(heartbeat.mock.calls.length).toBeGreaterThanOrEqual(20);
    expect(held.onLapse).not.toHaveBeenCalled();
    cancelRequested = true;
    await vi.advanceTimersByTimeAsync(15_000);
    expect(held.onCancel).toHaveBeenCalled();
    stop.abort();
  });

  test("expires when no heartbeat was answered for its length, and is lost when the server says so", async () => {
    vi.useFakeTimers();
    const held = holder();
    let error: Error = new UnreachableError("", "away");
    const heartbeat = () => Promise.reject(error);
    const stop = new AbortController();
    void keepLease({ heartbeat }, { ...run, since: performance.now() }, held, stop.signal);
    await vi.advanceTimersByTimeAsync(59_000);
    expect(held.onLapse).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(held.onLapse).toHaveBeenCalledOnce();
    error = new RefusedError(409, { error: "runner_lease_lost" });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(held.onLost).toHaveBeenCalledOnce();
  });
});
