/** A credential that ends, or loses rights, between the head of a request and its effect. */
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { z } from "zod";
import { member, on, onPrepared, route } from "../../src/platform/http/index.ts";
import { threadTurns } from "../../src/platform/thread-turns.ts";
import { createKey, createWorkspace, joinWorkspace, signIn, useServer } from "../harness.ts";

type Auth = Record<string, string>;

/** What the route for the test waits for, before its change. */
let outside: { asked(): void; reply: Promise<void> };

const prepared = onPrepared(
  route({
    method: "post",
    path: "/test/prepared",
    tag: "System",
    summary: "For tests",
    access: member(),
    replies: { 201: z.strictObject({ done: z.boolean() }) },
  }),
  async () => {
    outside.asked();
    await outside.reply;
  },
  async () => ({ done: true }),
);

const exported = on(
  route({
    method: "get",
    path: "/test/export",
    tag: "System",
    summary: "For tests",
    access: member(),
    raw: "application/x-ndjson",
    replies: { 200: z.string() },
  }),
  () => {
    async function* lines() {
      yield "first\n";
      await outside.reply;
      yield "second\n";
    }
    return new Response(ReadableStream.from(lines()).pipeThrough(new TextEncoderStream()));
  },
);

const server = useServer({ moreRoutes: [prepared, exported] });

/** Sends the head of a request. When the server has checked it, returns a function that sends the body. */
async function sendHead(path: string, headers: Auth, body: object, padding = "") {
  const bytes = JSON.stringify(body) + padding;
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  const lines = Object.entries({
    Host: "localhost",
    Connection: "close",
    Expect: "100-continue",
    "Content-Type": "application/json",
    "Content-Length": String(bytes.length),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.join("")}\r\n`);
  const [first] = await once(socket, "data");
  expect(String(first)).toMatch(/^HTTP\/1\.1 100 /);
  // By default, the body is late by more than the time for which the first check counts.
  return async (lateMs = 150): Promise<number> => {
    await pause(lateMs);
    let reply = "";
    socket.on("data", (chunk) => {
      reply += chunk;
    });
    socket.write(bytes);
    await once(socket, "close");
    return Number(/^HTTP\/1\.1 (\d{3})/.exec(reply)?.[1]);
  };
}

const end = async (path: string, options: { method?: string; body?: object; headers: Auth }) =>
  expect((await server.call(path, { method: "POST", ...options })).status).toBeLessThan(300);

test("a body that arrives late is accepted while the credential is valid", async () => {
  const { owner } = await createWorkspace(server);
  const sendBody = await sendHead("/v1/mcp/token", owner.auth, { name: "late" });
  expect(await sendBody()).toBe(201);
});

test("a late body about the person is accepted, whatever organization has become the active one", async () => {
  const { owner } = await createWorkspace(server);
  const sendBodies = [
    await sendHead("/v1/organizations", owner.auth, { name: "Late" }),
    await sendHead("/v1/teams", owner.auth, { name: "Late" }),
  ];
  await end("/v1/organizations", { body: { name: "Earlier" }, headers: owner.auth });
  // The team was meant for the organization that was active at the start.
  expect(await Promise.all(sendBodies.map((sendBody) => sendBody()))).toEqual([201, 401]);
});

test("a session that ended before the body arrived creates no token", async () => {
  const { owner } = await createWorkspace(server);
  const other = await signIn(server, owner);
  const sendBody = await sendHead("/v1/mcp/token", other, { name: "late" });
  await end("/v1/me/sessions/end-others", { headers: owner.auth });
  expect(await sendBody()).toBe(401);
  expect((await server.call("/v1/mcp/tokens", { headers: owner.auth })).body.items).toEqual([]);
});

/** Long computations of an organization, which come before those that start later. Returns a function that ends them. */
function occupyTurns(orgId: string): () => void {
  const turns = server.platform.state.get(threadTurns);
  let isWaiting = true;
  for (let i = 0; i < 5_000; i++)
    void turns
      .take(orgId)
      .then(() => isWaiting && Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2));
  return () => {
    isWaiting = false;
  };
}

test("a session that ended while a long body waited for its turn creates no token", async () => {
  const { owner, orgId } = await createWorkspace(server);
  const other = await signIn(server, owner);
  const sendBody = await sendHead("/v1/mcp/token", other, { name: "late" }, " ".repeat(100_000));
  const release = occupyTurns(orgId);
  const sent = sendBody(0);
  await pause(150);
  await end("/v1/me/sessions/end-others", { headers: owner.auth });
  release();
  expect(await sent).toBe(401);
  expect((await server.call("/v1/mcp/tokens", { headers: owner.auth })).body.items).toEqual([]);
});

test.each([
  ["before it was parsed", 1, 100_000],
  ["while its records were translated", 1_500, 0],
])(
  "a key that was removed while its export of logs waited for a turn, %s, stores nothing",
  async (_when, count, padding) => {
    const { owner, orgId } = await createWorkspace(server);
    const key = await createKey(server, owner);
    const logRecords = Array.from({ length: count }, () => ({ body: { stringValue: "late" } }));
    const body = { resourceLogs: [{ scopeLogs: [{ logRecords }] }] };
    const sendBody = await sendHead("/otlp/v1/logs", key.auth, body, " ".repeat(padding));
    const release = occupyTurns(orgId);
    const sent = sendBody(0);
    await pause(150);
    await end(`/v1/api-keys/${key.id}`, { method: "DELETE", headers: owner.auth });
    release();
    expect(await sent).toBe(401);
    expect((await server.call("/v1/telemetry/events", { headers: owner.auth })).body.items).toEqual([]);
  },
);

test("a key that was removed before the body arrived changes nothing", async () => {
  const { owner } = await createWorkspace(server);
  const key = await createKey(server, owner);
  const sendBody = await sendHead("/v1/teams", key.auth, { name: "Late" });
  await end(`/v1/api-keys/${key.id}`, { method: "DELETE", headers: owner.auth });
  expect(await sendBody()).toBe(401);
  expect((await server.call("/v1/teams", { headers: owner.auth })).body.items).toEqual([]);
});

test("a member who lost the permission, or all access, before the body arrived changes nothing", async () => {
  const workspace = await createWorkspace(server);
  const { auth } = workspace.owner;
  const [demoted, deactivated] = [
    await joinWorkspace(server, workspace, "admin"),
    await joinWorkspace(server, workspace, "admin"),
  ];
  const sendBodies = [
    await sendHead("/v1/teams", demoted.auth, { name: "Late" }),
    await sendHead("/v1/teams", deactivated.auth, { name: "Later" }),
  ];
  await end(`/v1/members/${demoted.memberId}`, { method: "PATCH", body: { role: "member" }, headers: auth });
  await end(`/v1/members/${deactivated.memberId}/deactivate`, { headers: auth });
  for (const sendBody of sendBodies) expect(await sendBody()).toBe(403);
  expect((await server.call("/v1/teams", { headers: auth })).body.items).toEqual([]);
});

test.each<Auth>([{}, { "idempotency-key": "one-change" }])(
  "a session that ended while another server was asked changes nothing (%o)",
  async (headers: Auth) => {
    const { owner } = await createWorkspace(server);
    const other = await signIn(server, owner);
    const [asked, reply] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    outside = { asked: asked.resolve, reply: reply.promise };
    const calling = server.call("/test/prepared", { method: "POST", headers: { ...other, ...headers } });
    await asked.promise;
    await end("/v1/me/sessions/end-others", { headers: owner.auth });
    reply.resolve();
    expect((await calling).status).toBe(401);
  },
);

test("an export ends when its caller may not read any more", async () => {
  const { owner } = await createWorkspace(server);
  const other = await signIn(server, owner);
  const reply = Promise.withResolvers<void>();
  outside = { asked: () => {}, reply: reply.promise };
  const [allowed, ended] = await Promise.all(
    [owner.auth, other].map(async (headers) => {
      const { body } = await fetch(`${server.url}/test/export`, { headers });
      const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
      expect((await reader.read()).value).toBe("first\n");
      return reader;
    }),
  );
  await end("/v1/me/sessions/end-others", { headers: owner.auth });
  reply.resolve();
  expect((await allowed!.read()).value).toBe("second\n");
  expect((await allowed!.read()).done).toBe(true);
  await expect(ended!.read()).rejects.toThrow();
});
