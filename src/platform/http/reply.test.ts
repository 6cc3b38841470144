import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Answer } from "./reply.ts";
import { type Listening, listen } from "./server.ts";

let listening: Listening | undefined;
afterEach(() => listening?.close(0));

async function serving(answer: () => Answer | Promise<Answer>): Promise<string> {
  const socket = await listen("127.0.0.1", 0);
  listening = socket.serve({ answer: async () => answer() });
  return `http://127.0.0.1:${socket.port}`;
}

/** A stream without an end, and what became of it. */
function endless(bytes = 64 * 1024) {
  const seen = { pulled: 0, cancelled: false };
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        seen.pulled++;
        controller.enqueue(new Uint8Array(bytes));
      },
      cancel() {
        seen.cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { seen, answer: { status: 200, headers: { "x-kind": "stream" }, body } };
}

describe("a stream", () => {
  test("is read only as fast as its reader reads", async () => {
    const { seen, answer } = endless();
    const url = await serving(() => answer);
    const response = await fetch(url);
    const reader = response.body!.getReader();
    await reader.read();
    await pause(300);
    const held = seen.pulled;
    await pause(300);
    expect(seen.pulled).toBe(held);
    expect(held * 64).toBeLessThan(64 * 1024);
    await reader.cancel();
    await vi.waitFor(() => expect(seen.cancelled).toBe(true));
  });

  test("ends when its reader has left, also before it began", async () => {
    const { seen, answer } = endless();
    const left = Promise.withResolvers<Answer>();
    const url = await serving(() => left.promise);
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    await pause(100);
    socket.destroy();
    await pause(100);
    left.resolve(answer);
    await vi.waitFor(() => expect(seen.cancelled).toBe(true));
    expect(seen.pulled).toBe(0);
  });

  test("is not started for a HEAD request", async () => {
    const { seen, answer } = endless();
    const url = await serving(() => answer);
    const response = await fetch(url, { method: "HEAD" });
    expect(response.headers.get("x-kind")).toBe("stream");
    await vi.waitFor(() => expect(seen.cancelled).toBe(true));
    expect(seen.pulled).toBe(0);
  });

  test("that fails is not a complete reply", async () => {
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        controller.enqueue(new TextEncoder().encode("half"));
        await pause(50);
        controller.error(new Error("of the rest"));
      },
    });
    const url = await serving(() => ({ status: 200, headers: {}, body }));
    await expect(fetch(url).then((response) => response.text())).rejects.toThrow();
  });
});

describe("a reply", () => {
  test("has its length in bytes", async () => {
    const url = await serving(() => ({ status: 200, headers: {}, body: "für" }));
    const response = await fetch(url);
    expect(response.headers.get("content-length")).toBe("4");
    expect(await response.text()).toBe("für");
    const head = await fetch(url, { method: "HEAD" });
    expect(head.headers.get("content-length")).toBe("4");
  });

  test("that cannot be written ends its connection, and not the process", async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => void warnings.push(warning);
    process.on("warning", onWarning);
    const url = await serving(() => ({ status: 200, headers: { "x-odd": "a\nb" }, body: "" }));
    await expect(fetch(url)).rejects.toThrow();
    await vi.waitFor(() => expect(warnings.map(({ message }) => message).join()).toContain("x-odd"));
    process.off("warning", onWarning);
  });

  test("to a request with an unread body keeps the connection usable", async () => {
    const url = await serving(() => ({ status: 200, headers: {}, body: "yes" }));
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    let heard = "";
    socket.on("data", (chunk) => {
      heard += chunk;
    });
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n${"x".repeat(100_000)}`);
    await vi.waitFor(() => expect(heard).toContain("yes"));
    socket.write(`${"x".repeat(100_000)}GET / HTTP/1.1\r\nHost: x\r\n\r\n`);
    await vi.waitFor(() => expect(heard.split("HTTP/1.1 200")).toHaveLength(3));
    socket.destroy();
  });

  test("to a client that never stops sending closes the connection", async () => {
    const url = await serving(() => ({ status: 200, headers: {}, body: "yes" }));
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.on("error", () => {}).resume();
    socket.write("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
    const drip = setInterval(() => socket.write("1\r\nx\r\n"), 50);
    await closed;
    clearInterval(drip);
  });
});
