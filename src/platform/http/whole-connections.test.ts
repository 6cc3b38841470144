/** A connection behaves in the same way whether we or Node read its requests. */
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { sendRaw } from "../../../test/raw.ts";
import { NodeExchange } from "./node-exchange.ts";
import type { Answer } from "./reply.ts";
import type { HttpRequest } from "./request.ts";
import { type Listening, listen, type RequestTimeouts } from "./server.ts";

const listening: Listening[] = [];
afterEach(() => Promise.all(listening.splice(0).map((one) => one.close(0))));

async function serve(
  answer: (request: HttpRequest) => Answer | Promise<Answer>,
  { repliesWhole = true, ...timeouts }: RequestTimeouts & { repliesWhole?: boolean } = {},
) {
  const socket = await listen("127.0.0.1", 0, timeouts);
  const seen: HttpRequest[] = [];
  const server = socket.serve({
    repliesWhole: () => repliesWhole,
    answer: async (request) => {
      seen.push(request);
      return answer(request);
    },
  });
  listening.push(server);
  return { url: `http://127.0.0.1:${socket.port}`, port: socket.port, seen, server };
}

const isByNode = ({ exchange }: HttpRequest) => exchange instanceof NodeExchange;
const get = (path: string, more = "") => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
const post = (body: string) => `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const text = (body: string): Answer => ({ status: 200, headers: {}, body });

describe("a reply", () => {
  const answers: Record<string, Answer> = {
    "with a text": { status: 200, headers: { "content-type": "text/plain", "x-a": "1" }, body: "größer" },
    "with bytes": { status: 201, headers: {}, body: new Uint8Array([0, 255, 10]) },
    "with an empty text": { status: 404, headers: { "x-a": "" }, body: "" },
    "without a body": { status: 204, headers: { "x-a": "1" }, body: undefined },
    "with two cookies": { status: 200, headers: { "set-cookie": ["a=1", "b=2"] }, body: "x" },
    "with an unusual status": { status: 499, headers: {}, body: "{}" },
    "that ends the connection": { status: 408, headers: { connection: "close" }, body: "{}" },
  };
  test.each(Object.keys(answers))("%s has the same bytes as one of Node", async (name) => {
    const fetchRaw = async (repliesWhole: boolean) => {
      const { port, seen } = await serve(
        () => ({ ...answers[name]!, headers: { ...answers[name]!.headers } }),
        {
          repliesWhole,
        },
      );
      const client = connect(port, "127.0.0.1", () => client.write(get("/")));
      const chunks: Buffer[] = [];
      client.on("data", (chunk) => chunks.push(chunk));
      await new Promise((resolve) => client.once("data", resolve));
      await pause(20);
      client.destroy();
      expect(isByNode(seen[0]!)).toBe(!repliesWhole);
      return Buffer.concat(chunks)
        .toString("latin1")
        .replace(/^Date: .*$/m, "Date");
    };
    expect(await fetchRaw(true)).toBe(await fetchRaw(false));
  });

  test("with a line break in a header is not sent", async () => {
    const { url } = await serve(() => ({ status: 200, headers: { "x-a": "1\r\nx-b: 2" }, body: "" }));
    const { replies, closed } = await sendRaw(url, [get("/")]);
    expect({ replies, closed }).toEqual({ replies: [], closed: true });
  });

  test("that the caller does not read stops the reading of further requests", async () => {
    const { port, seen } = await serve(() => text("x".repeat(4_000_000)));
    const client = connect(port, "127.0.0.1");
    client.pause();
    for (let i = 0; i < 20; i++) {
      client.write(get("/"));
      await pause(10);
    }
    expect(seen.length).toBeLessThan(5);
    client.destroy();
  });
});

describe.each([
  ["here", { repliesWhole: true }],
  ["by Node", { repliesWhole: false }],
])("a large reply to a request that is read %s", (_, options) => {
  const size = 30_000_000;
  const createStream = () =>
    ReadableStream.from(Array.from({ length: 300 }, () => new Uint8Array(size / 300)));
  const bodies: [string, () => Answer["body"]][] = [["in one piece", () => "x".repeat(size)]];
  if (!options.repliesWhole) bodies.push(["as a stream", createStream]);

  test.each(bodies)("%s is given up when the caller takes nothing of it", async (_name, createBody) => {
    const { port, seen } = await serve(() => ({ status: 200, headers: {}, body: createBody() }), {
      ...options,
      unreadMs: 300,
    });
    const client = connect(port, "127.0.0.1", () => client.write(get("/")));
    client.on("error", () => {}).pause();
    while (seen.length === 0) await pause(10);
    const { socket } = seen[0]!.exchange;
    await Promise.race([new Promise((resolve) => socket.once("close", resolve)), pause(5_000)]);
    expect(socket.destroyed).toBe(true);
    client.destroy();
  });

  test.each(bodies)("%s reaches a caller that is slow but does not stop", async (_name, createBody) => {
    const { port } = await serve(() => ({ status: 200, headers: {}, body: createBody() }), {
      ...options,
      unreadMs: 1_000,
    });
    const client = connect(port, "127.0.0.1", () => client.write(get("/")));
    let bytes = 0;
    const startedAt = performance.now();
    client.on("data", (chunk) => {
      bytes += chunk.length;
      if (performance.now() - startedAt > 2_500) return;
      client.pause();
      setTimeout(() => client.resume(), 5);
    });
    while (bytes < size && !client.closed && performance.now() - startedAt < 10_000) await pause(10);
    expect(bytes).toBeGreaterThanOrEqual(size);
    client.destroy();
  });

  test.each(bodies)("%s leaves the connection for a request that takes longer", async (_name, createBody) => {
    const { port } = await serve(
      async ({ path }) => {
        if (path === "/slow") await pause(500);
        return { status: 200, headers: {}, body: path === "/slow" ? "late" : createBody() };
      },
      { ...options, unreadMs: 150 },
    );
    const client = connect(port, "127.0.0.1", () => client.write(get("/")));
    let bytes = 0;
    let last = "";
    client.on("data", (chunk) => {
      bytes += chunk.length;
      last = chunk.toString("latin1");
    });
    const startedAt = performance.now();
    while (bytes < size && performance.now() - startedAt < 10_000) await pause(10);
    await pause(50);
    client.write(get("/slow"));
    await pause(800);
    expect(last).toMatch(/late$/);
    client.destroy();
  });
});

describe("requests on one connection", () => {
  test("one after the other are all read here", async () => {
    const { url, seen } = await serve(async ({ path, exchange }) =>
      text(path + (await exchange.readBytes(1_000, 1_000)).toString()),
    );
    const { replies } = await sendRaw(url, [get("/1"), 50, post("two"), 50, get("/3")], { waitMs: 100 });
    expect(replies.map(({ body }) => body)).toEqual(["/1", "/two", "/3"]);
    expect(seen.map(isByNode)).toEqual([false, false, false]);
  });

  test("that come before the reply are answered in order, by Node", async () => {
    const { url, seen } = await serve(async ({ path }) => {
      await pause(Number(path.slice(1)));
      return text(path);
    });
    const { replies } = await sendRaw(url, [get("/80"), 20, get("/10"), get("/0"), 150, get("/1")], {
      waitMs: 200,
    });
    expect(replies.map(({ body }) => body)).toEqual(["/80", "/10", "/0", "/1"]);
    expect(seen.map(isByNode)).toEqual([false, true, true, true]);
  });

  test("in pieces are read by Node, which keeps the connection", async () => {
    const { url, seen } = await serve(async ({ exchange }) =>
      text((await exchange.readBytes(1_000, 1_000)).toString()),
    );
    const whole = post("hello");
    const { replies } = await sendRaw(
      url,
      [post("a"), 50, whole.slice(0, 10), 50, whole.slice(10, -2), 50, whole.slice(-2), 50, post("b")],
      { waitMs: 100 },
    );
    expect(replies.map(({ body }) => body)).toEqual(["a", "hello", "b"]);
    expect(seen.map(isByNode)).toEqual([false, true, true]);
  });

  test("with a body over the limit keep the connection", async () => {
    const { url } = await serve(({ exchange }) =>
      exchange.readBytes(3, 1_000).then(
        () => text("read"),
        ({ status }) => text(`refused with ${status}`),
      ),
    );
    const { replies } = await sendRaw(url, [post("four"), 50, post("abc")], { waitMs: 100 });
    expect(replies.map(({ body }) => body)).toEqual(["refused with 413", "read"]);
  });
});

describe("a caller that disconnects", () => {
  test.each([
    ["with FIN", (client: ReturnType<typeof connect>) => client.destroy()],
    ["with RST", (client: ReturnType<typeof connect>) => client.resetAndDestroy()],
  ])("%s ends the exchange", async (_name, leave) => {
    const ended = Promise.withResolvers<boolean>();
    const { port } = await serve(({ exchange }) => {
      exchange.onEnd(ended.resolve);
      return new Promise(() => {});
    });
    const client = connect(port, "127.0.0.1", () => client.write(get("/")));
    await pause(50);
    leave(client);
    expect(await ended.promise).toBe(false);
  });

  test("after the reply does not count as leaving", async () => {
    const ended = Promise.withResolvers<boolean>();
    const { url } = await serve(({ exchange }) => {
      exchange.onEnd(ended.resolve);
      return text("x");
    });
    await sendRaw(url, [get("/")], { waitMs: 50 });
    expect(await ended.promise).toBe(true);
  });
});

describe("time", () => {
  test("a connection that sends nothing is refused with 408", async () => {
    const { url } = await serve(() => text("x"), { headersMs: 200 });
    const { replies, closed } = await sendRaw(url, [""], { waitMs: 1_500 });
    expect(replies.map(({ status }) => status)).toEqual([408]);
    expect(closed).toBe(true);
  });

  test("a request that comes after this refusal has no effect", async () => {
    const { port, seen } = await serve(() => text("x"), { headersMs: 200 });
    const client = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    await new Promise((resolve) => client.once("data", resolve));
    client.on("error", () => {}).write(post("late"));
    await pause(100);
    client.destroy();
    expect(seen).toEqual([]);
  });

  test("a connection that has sent a request may wait for the next one, and for its reply", async () => {
    const { url } = await serve(
      async () => {
        await pause(500);
        return text("x");
      },
      { headersMs: 100 },
    );
    const { replies } = await sendRaw(url, [get("/"), 1_000, get("/")], { waitMs: 700 });
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
  });
});

describe("a server that closes", () => {
  test("answers the requests under way, and ends the connections that wait", async () => {
    const { url, port, server } = await serve(async () => {
      await pause(200);
      return text("x");
    });
    const waiting = connect(port, "127.0.0.1", () => waiting.write(get("/")));
    await new Promise((resolve) => waiting.once("data", resolve));
    const under = sendRaw(url, [get("/")]);
    await pause(50);
    const startedAt = performance.now();
    await server.close(5_000);
    expect(performance.now() - startedAt).toBeLessThan(4_000);
    const { replies, closed } = await under;
    expect(replies.map(({ status, headers }) => [status, headers.connection])).toEqual([[200, "close"]]);
    expect(closed).toBe(true);
  });

  test("takes one more request on open connections for a while", async () => {
    const { port, server } = await serve(() => text("x"));
    const client = connect(port, "127.0.0.1", () => client.write(get("/")));
    await new Promise((resolve) => client.once("data", resolve));
    const closed = server.close(1_000, 300);
    client.write(get("/"));
    const reply = await new Promise<Buffer>((resolve) => client.once("data", resolve));
    expect(reply.toString()).toMatch(/^HTTP\/1\.1 200 .*Connection: close/s);
    await closed;
  });

  test("ends requests that take too long", async () => {
    const { url, server } = await serve(() => new Promise(() => {}));
    const hanging = sendRaw(url, [get("/")]);
    await pause(50);
    await server.close(100);
    expect(await hanging).toEqual({ replies: [], closed: true });
  });
});
