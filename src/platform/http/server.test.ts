/** Connections that end in an unusual way must neither end the process nor mix up replies. */
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { sendRaw } from "../../../test/raw.ts";
import { type Listening, listen } from "./server.ts";

let listening: Listening | undefined;
afterEach(() => listening?.close(0));

/** A server that answers with the path, after as many milliseconds as the path names. */
async function serveSlowly(): Promise<string> {
  const socket = await listen("127.0.0.1", 0);
  listening = socket.serve({
    repliesWhole: () => true,
    answer: async ({ path }) => {
      await pause(Number(path.slice(1)));
      return { status: 200, headers: {}, body: path };
    },
  });
  return `http://127.0.0.1:${socket.port}`;
}

const get = (path: string, more = "") => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
const tunnel = "CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n";

describe("CONNECT", () => {
  test("alone is refused, and the connection closes", async () => {
    const { replies, closed } = await sendRaw(await serveSlowly(), [tunnel]);
    expect(replies.map(({ status }) => status)).toEqual([501]);
    expect(closed).toBe(true);
  });

  test("after a request that closes the connection has no effect", async () => {
    const url = await serveSlowly();
    for (const path of ["/0", "/30"]) {
      const { replies, closed } = await sendRaw(url, [get(path, "Connection: close\r\n") + tunnel]);
      expect(replies.map(({ status }) => status)).toEqual([200]);
      expect(closed).toBe(true);
    }
  });

  test("is answered after the requests before it, never instead of one of them", async () => {
    const { replies, closed } = await sendRaw(await serveSlowly(), [get("/50") + get("/10") + tunnel]);
    expect(replies.map(({ status, body }) => (status === 200 ? body : status))).toEqual(["/50", "/10", 501]);
    expect(closed).toBe(true);
  });

  test("does not prevent the server from closing", async () => {
    const url = await serveSlowly();
    const socket = connect({ port: Number(new URL(url).port), host: "127.0.0.1", allowHalfOpen: true });
    socket.write(tunnel);
    await new Promise((resolve) => socket.once("data", resolve));
    await listening!.close(100);
    socket.destroy();
  });

  test("from a client that disconnects at once has no effect", async () => {
    const url = await serveSlowly();
    for (const before of ["", get("/20")]) {
      for (let i = 0; i < 20; i++) {
        await new Promise<void>((resolve) => {
          const socket = connect(Number(new URL(url).port), "127.0.0.1", () => {
            socket.write(before + tunnel.repeat(3), () => socket.resetAndDestroy());
          });
          socket.on("error", () => {}).on("close", () => resolve());
        });
      }
    }
    await pause(50);
    expect((await fetch(`${url}/0`)).status).toBe(200);
  });
});

test("requests before one that is not HTTP keep their replies, and the connection closes", async () => {
  const { replies, closed } = await sendRaw(await serveSlowly(), [
    `${get("/50")}${get("/10")}\u0001\r\n\r\n`,
  ]);
  expect(replies.map(({ body }) => body)).toEqual(["/50", "/10"]);
  expect(closed).toBe(true);
});
