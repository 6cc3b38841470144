import { Socket } from "node:net";
import { expect, test } from "vitest";
import { z } from "zod";
import { useRoutes } from "../../../test/http-kit.ts";
import { createHttp, type Http } from "./app.ts";
import { on, open, route } from "./index.ts";

const base = { tag: "Test", summary: "Test", access: open, replies: { 200: z.strictObject({}) } } as const;
const order: string[] = [];
let http: Http;

const quick = route({ ...base, method: "get", path: "/v1/quick" });
const slow = route({ ...base, method: "post", path: "/v1/slow", body: z.strictObject({ text: z.string() }) });
const routes = [
  on(quick, () => {
    order.push("quick");
    return {};
  }),
  on(slow, ({ address }) => {
    order.push(`slow of ${address}`);
    // Another request arrives while this one is handled.
    void send("GET", "/v1/quick");
    return {};
  }),
];
const server = useRoutes(routes);

/** A request whose body has arrived already. */
function send(method: string, path: string, { length = 0, address = "127.0.0.1" } = {}) {
  const bytes = Buffer.from(JSON.stringify({ text: "x".repeat(length) }));
  const socket = Object.defineProperty(new Socket(), "remoteAddress", { value: address });
  return http.answer({
    ...{ method, path, search: "", params: {} },
    headers: { host: "localhost", "content-type": "application/json" },
    exchange: { socket, readBytes: async () => bytes, send: () => {}, onEnd: () => {} },
  });
}

function sendAll(...bodies: { length: number; address?: string }[]) {
  http ??= createHttp({ platform: server.platform, routes, authenticate: () => undefined });
  order.length = 0;
  return Promise.all(bodies.map((body) => send("POST", "/v1/slow", body)));
}

const long = 100_000;

test("between two long bodies, a request that has arrived is answered", async () => {
  const replies = await sendAll({ length: long }, { length: long }, { length: long });
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
  const slow = "slow of 127.0.0.1";
  expect(order).toEqual([slow, "quick", slow, "quick", slow, "quick"]);
});

test("networks alternate with their long bodies", async () => {
  const mine = { length: long, address: "192.0.2.1" };
  const other = { length: long, address: "198.51.100.1" };
  await sendAll(mine, mine, mine, other, other);
  expect(order.filter((entry) => entry !== "quick")).toEqual([
    "slow of 192.0.2.1",
    "slow of 198.51.100.1",
    "slow of 192.0.2.1",
    "slow of 198.51.100.1",
    "slow of 192.0.2.1",
  ]);
});

test("a short body does not wait for long ones", async () => {
  await sendAll({ length: long, address: "192.0.2.1" }, { length: 10, address: "198.51.100.1" });
  expect(order[0]).toBe("slow of 198.51.100.1");
});
