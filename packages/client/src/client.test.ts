import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createClient, RefusedError, readEventStream, UnreachableError } from "./index.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const close: (() => void)[] = [];
afterEach(() => {
  for (const one of close.splice(0)) one();
});

/** A server that gives these answers in turn, and then repeats the last one. */
async function serverWith(...answers: Answer[]) {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    answers[Math.min(requests.length, answers.length) - 1]!(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  close.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, requests, client: createClient({ url, credential: { apiKey: "sbx_key" } }) };
}

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (_request, response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(body));
  };
const cut: Answer = (request) => request.socket.destroy();
const page = { items: [], nextCursor: null };
const catchError = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe("a client", () => {
  test("repeats a failed read, and a failed creation with the same Idempotency-Key", async () => {
    const reading = await serverWith(cut, json(503, { error: "service_unavailable" }), json(200, page));
    expect(await reading.client.runs.list()).toEqual(page);
    expect(reading.requests).toHaveLength(3);

    const creating = await serverWith(cut, json(202, { run: { id: "run_1" } }));
    expect(await creating.client.automations.run("aut_1")).toEqual({ run: { id: "run_1" } });
    const keys = creating.requests.map(({ headers }) => headers["idempotency-key"]);
    expect(keys[0]).toMatch(/^[\w-]{36}$/);
    expect(keys[1]).toBe(keys[0]);
  });

  test("sends a request only once when a repeat could act twice", async () => {
    const { client, requests } = await serverWith(cut, json(200, {}));
    await expect(client.auth.signIn({ email: "a@example.com", password: "p" })).rejects.toThrow(
      UnreachableError,
    );
    expect(requests).toHaveLength(1);
    expect(requests[0]!.headers["idempotency-key"]).toBeUndefined();
  });

  test("gives up after four tries, and does not repeat a refusal", async () => {
    const down = await serverWith(cut);
    await expect(down.client.me()).rejects.toThrow(UnreachableError);
    expect(down.requests).toHaveLength(4);
    const refused = await serverWith(json(409, { error: "run_not_ended", message: "Wait." }));
    await expect(refused.client.runs.retry("run_1")).rejects.toThrow("Wait.");
    expect(refused.requests).toHaveLength(1);
  });

  test("waits for a short Retry-After, and fails with the time to wait when it is long", async () => {
    const limited = { error: "rate_limited", message: "Too many." };
    const short = await serverWith(json(429, limited, { "retry-after": "0" }), json(200, page));
    expect(await short.client.runs.list()).toEqual(page);
    const long = await serverWith(json(429, limited, { "retry-after": "77" }));
    expect(await catchError(long.client.runs.list())).toMatchObject({
      kind: "rate_limited",
      code: "rate_limited",
      message: "Too many.",
      retryAfterMs: 77_000,
    });
    expect(long.requests).toHaveLength(1);
  });

  test("reads pages until it has the requested number of items", async () => {
    const items = (n: number) => Array.from({ length: n }, (_, i) => ({ id: `run_${i}` }));
    const { client, requests } = await serverWith(
      json(200, { items: items(100), nextCursor: "next page" }),
      json(200, { items: items(50), nextCursor: "more" }),
    );
    const all = await client.runs.list({ limit: 150, status: "failed" });
    expect(all.items).toHaveLength(150);
    expect(all.nextCursor).toBe("more");
    expect(requests.map(({ url }) => url)).toEqual([
      "/v1/automation-runs?status=failed&limit=100",
      "/v1/automation-runs?status=failed&limit=50&cursor=next+page",
    ]);
  });

  test("fails on an endless reply, on a redirect, and on an HTML page of a proxy", async () => {
    let sent = 0;
    const endless = await serverWith((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536, 32))) sent += 65_536;
      };
      response.on("drain", more);
      more();
    });
    const bounded = createClient({ url: endless.url, maxReplyBytes: 100_000 });
    expect(await catchError(bounded.me())).toMatchObject({
      code: "reply_too_long",
      message: expect.stringContaining("longer than 100000"),
    });
    expect(sent).toBeLessThan(64 * 1024 * 1024);

    const elsewhere = await serverWith(json(200, {}));
    const moved = await serverWith((_request, response) => {
      response.writeHead(302, { location: `${elsewhere.url}/v1/me` });
      response.end();
    });
    expect(await catchError(moved.client.me())).toMatchObject({
      code: "redirect",
      message: `it redirects to ${elsewhere.url}`,
    });
    expect(elsewhere.requests).toHaveLength(0);

    const proxy = await serverWith((_request, response) => {
      response.writeHead(200, { "content-type": "text/html" });
      response.end("<html>Welcome</html>");
    });
    await expect(proxy.client.me()).rejects.toThrow(UnreachableError);
  });

  test("an id cannot lead to another path or another server", async () => {
    const { client, requests } = await serverWith(json(404, { error: "automation_run_not_found" }));
    await client.runs.read("../../v1/me?x=1#").catch(() => {});
    await client.runs.read("//evil.example/x").catch(() => {});
    expect(requests.map(({ url }) => url)).toEqual([
      "/v1/automation-runs/..%2F..%2Fv1%2Fme%3Fx%3D1%23",
      "/v1/automation-runs/%2F%2Fevil.example%2Fx",
    ]);
  });
});

describe("an operation of the API description", () => {
  test("is called by its method and path, with its values escaped", async () => {
    const { client, requests } = await serverWith(json(200, { template: { id: "tpl_1" } }));
    const reply = await client.request("GET /v1/templates/{id}", { path: { id: "a/b?c" } });
    expect(reply.template.id).toBe("tpl_1");
    expect(requests[0]!.url).toBe("/v1/templates/a%2Fb%3Fc");
  });

  test("sends an Idempotency-Key only where the API accepts one, and the key that was given", async () => {
    const { client, requests } = await serverWith(json(200, {}));
    const body = { name: "key" };
    await client.request("POST /v1/api-keys", { body });
    await client.request("POST /v1/api-keys", { body, idempotencyKey: "a-key-of-my-own-1" });
    await client.request("POST /v1/api-keys", { body, idempotencyKey: false });
    await client.request("POST /v1/automation-runs/{id}/cancel", { path: { id: "run_1" } });
    const keys = requests.map(({ headers }) => headers["idempotency-key"]);
    expect(keys).toEqual([expect.stringMatching(/^[\w-]{36}$/), "a-key-of-my-own-1", undefined, undefined]);
  });

  test("yields all items of a list, page after page, and reads no further than needed", async () => {
    const { client, requests } = await serverWith(
      json(200, { items: [{ id: "a" }, { id: "b" }], nextCursor: "2" }),
      json(200, { items: [{ id: "c" }], nextCursor: null }),
    );
    const ids: string[] = [];
    for await (const { id } of client.paginate("GET /v1/automations", { query: { status: "active" } }))
      ids.push(id);
    expect(ids).toEqual(["a", "b", "c"]);
    expect(requests.map(({ url }) => url)).toEqual([
      "/v1/automations?status=active&limit=100",
      "/v1/automations?status=active&limit=100&cursor=2",
    ]);
    const first = await serverWith(json(200, { items: [{ id: "a" }], nextCursor: "2" }));
    for await (const { id } of first.client.paginate("GET /v1/automations")) {
      expect(id).toBe("a");
      break;
    }
    expect(first.requests).toHaveLength(1);
  });

  test("fails with a kind, a code, a sentence and the id of the request", async () => {
    const body = { error: "forbidden", reason: "missing_permission", message: "Ask an owner." };
    const { client } = await serverWith(json(403, body, { "x-request-id": "req_1" }));
    const error = await catchError(client.request("GET /v1/me"));
    expect(error).toBeInstanceOf(RefusedError);
    expect(error).toMatchObject({
      kind: "forbidden",
      code: "forbidden",
      message: "Ask an owner.",
      requestId: "req_1",
      status: 403,
      body,
    });
  });

  test("ends with its own signal and with its own time limit", async () => {
    const silent = await serverWith(() => {});
    const stop = new AbortController();
    const stopped = catchError(silent.client.request("GET /v1/me", { signal: stop.signal }));
    setTimeout(() => stop.abort(), 50);
    expect(await stopped).toMatchObject({ kind: "unreachable" });
    expect(silent.requests).toHaveLength(1);
    const slow = createClient({ url: silent.url, maxTries: 1 });
    expect(await catchError(slow.request("GET /v1/me", { timeoutMs: 50 }))).toMatchObject({
      kind: "unreachable",
      code: "timeout",
      message: "no answer in time",
    });
  });
});

describe("a stream", () => {
  const events = (...parts: string[]): Answer => {
    return (_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(parts.join(""));
    };
  };

  test("continues after the given message, reconnects after each break, and ends with 204", async () => {
    const { client, requests } = await serverWith(
      events("id: 8\ndata: a\n\n"),
      json(503, { error: "service_unavailable" }, { "retry-after": "0" }),
      events("id: 9\nevent: run\ndata: b\n\n"),
      (_request, response) => void response.writeHead(204).end(),
    );
    const seen: string[] = [];
    const input = { path: { id: "run_1" }, lastEventId: "7" };
    for await (const update of client.stream("GET /v1/automation-runs/{id}/stream", input))
      seen.push(update.type === "message" ? update.message.data : update.type);
    expect(seen).toEqual(["a", "ended", "reconnecting", "b", "ended", "ended"]);
    const ids = requests.map(({ headers }) => headers["last-event-id"]);
    expect(ids).toEqual(["7", "8", "8", "9"]);
  });

  test("that needs a POST is sent once with its body, and a break is an error", async () => {
    const input = { body: { url: "https://mcp.example" }, headers: { "x-organization-id": "org_1" } };
    const whole = await serverWith(events("event: step\ndata: 1\n\n", "event: verdict\ndata: 2\n\n"));
    const seen: string[] = [];
    for await (const update of whole.client.stream("POST /v1/mcp-discoveries", input))
      seen.push(update.type === "message" ? update.message.event : update.type);
    expect(seen).toEqual(["step", "verdict", "ended"]);
    expect(whole.requests[0]).toMatchObject({ method: "POST", url: "/v1/mcp-discoveries" });
    expect(whole.requests[0]!.headers["x-organization-id"]).toBe("org_1");

    const broken = await serverWith(cut, events("data: never\n\n"));
    const read = async () => {
      for await (const _ of broken.client.stream("POST /v1/mcp-discoveries", input));
    };
    await expect(read()).rejects.toBeInstanceOf(UnreachableError);
    expect(broken.requests).toHaveLength(1);
  });

  test("fails when a message exceeds its size limit, and does not fill the memory", async () => {
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new TextEncoder().encode(`data: ${"x".repeat(1_000)}\n`)),
    });
    const read = async () => {
      for await (const _ of readEventStream(endless, { maxMessageLength: 10_000 }));
    };
    await expect(read()).rejects.toThrow("longer than 10000 characters");
  });
});

test("a stream sends the given headers with each connection", async () => {
  const { client, requests } = await serverWith(json(200, { run: { id: "run_1", status: "running" } }), cut);
  const stop = new AbortController();
  const watched = client.runs.watch("run_1", {
    headers: { "x-organization-id": "org_1" },
    signal: stop.signal,
  });
  expect(await watched.next()).toMatchObject({ value: { type: "reconnecting" } });
  stop.abort();
  await watched.next().catch(() => {});
  const input = { path: { id: "run_1" }, headers: { "x-organization-id": "org_1" } };
  const followed = client.stream("GET /v1/automation-runs/{id}/stream", input);
  expect(await followed.next()).toMatchObject({ value: { type: "reconnecting" } });
  await followed.return(undefined);
  expect(requests.length).toBeGreaterThanOrEqual(3);
  for (const { headers } of requests) expect(headers["x-organization-id"]).toBe("org_1");
});

describe("watching a run", () => {
  const message = (fields: Record<string, string>) =>
    `${Object.entries(fields)
      .map(([name, value]) => `${name}: ${value}\n`)
      .join("")}\n`;
  const run = (status: string) => ({ run: { id: "run_1", status } });
  const event = (sequence: number) => message({ id: String(sequence), data: JSON.stringify({ sequence }) });
  const stream =
    (...parts: string[]): Answer =>
    (_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const part of parts) response.write(part);
      response.end();
    };
  const drop: Answer = (request, response) => {
    stream(event(1))(request, response);
    request.socket.destroySoon();
  };

  test("continues after the last event it has seen, and ends with the run", async () => {
    const { client, requests } = await serverWith(
      json(200, run("running")),
      stream(event(0)),
      json(200, run("running")),
      drop,
      json(200, run("running")),
      stream(event(2), message({ event: "run", data: JSON.stringify(run("failed").run) })),
    );
    const seen: unknown[] = [];
    for await (const update of client.runs.watch("run_1")) {
      if (update.type === "event") seen.push(update.event.sequence);
      if (update.type === "run") seen.push(update.run.status);
    }
    expect(seen).toEqual([0, 1, 2, "failed"]);
    const streams = requests.filter(({ url }) => url!.endsWith("/stream"));
    expect(streams.map(({ headers }) => headers["last-event-id"])).toEqual([undefined, "0", "1"]);
  });

  test("ends after a 204 with the final state of the run", async () => {
    const { client } = await serverWith(
      json(200, run("running")),
      (_request, response) => void response.writeHead(204).end(),
      json(200, run("succeeded")),
    );
    const updates = [];
    for await (const update of client.runs.watch("run_1")) updates.push(update);
    expect(updates).toEqual([{ type: "run", ...run("succeeded") }]);
  });

  test("reconnects when the server has sent nothing for 45 s, and reports the reconnection", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const { client } = await serverWith(json(200, run("running")), (_request, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(event(0));
      });
      const updates = client.runs.watch("run_1");
      expect(await updates.next()).toMatchObject({ value: { type: "event" } });
      const next = updates.next();
      await vi.advanceTimersByTimeAsync(45_000);
      expect((await next).value).toEqual({ type: "reconnecting", reason: "no answer in time" });
      await updates.return(undefined);
    } finally {
      vi.useRealTimers();
    }
  });

  test("does not connect without a pause when Retry-After is longer than a timer can be", async () => {
    const busy = json(503, { error: "service_unavailable" }, { "retry-after": "99999999" });
    const { url, requests } = await serverWith(json(200, run("running")), busy);
    const stop = new AbortController();
    const updates = createClient({ url, signal: stop.signal }).runs.watch("run_1");
    expect(await updates.next()).toMatchObject({ value: { type: "reconnecting" } });
    const next = updates.next();
    await new Promise((resolve) => setTimeout(resolve, 300));
    stop.abort();
    await expect(next).rejects.toThrow();
    expect(requests).toHaveLength(2);
  });

  test("fails at once when there is no server, no such run, or no permission to see it", async () => {
    for (const answer of [
      cut,
      json(404, { error: "automation_run_not_found" }),
      json(401, { error: "unauthorized" }),
    ]) {
      const { client } = await serverWith(answer);
      await expect(client.runs.watch("run_1").next()).rejects.toThrow();
    }
  });
});

test("an event stream is parsed the same with any chunk sizes, line ends and comments", async () => {
  const text =
    ': hello\r\n\r\nid: 1\r\ndata: {"a":\r\ndata: "ü"}\r\n\r\nevent: run\nid: 2\ndata:x\n\nretry: 5\n\nid: 3\ndata: cut off';
  const bytes = Array.from(new TextEncoder().encode(text), (byte) => Uint8Array.of(byte));
  const messages = [];
  const comments: string[] = [];
  const onComment = (comment: string) => comments.push(comment);
  for await (const message of readEventStream(ReadableStream.from(bytes), { onComment }))
    messages.push(message);
  expect(comments).toEqual(["hello"]);
  expect(messages).toEqual([
    { id: "1", event: "message", data: '{"a":\n"ü"}' },
    { id: "2", event: "run", data: "x" },
  ]);
});
