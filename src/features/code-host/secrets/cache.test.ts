import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { createWorkspace, useServer } from "../../../../test/harness.ts";
import { addSecret, commit, insertConnector, pushBody, signedHeaders } from "../../../../test/webhooks.ts";
import { newId } from "../../../platform/ids.ts";
import { createState } from "../../../platform/state.ts";
import { threadTurns } from "../../../platform/thread-turns.ts";
import { secretCache } from "./cache.ts";

const server = useServer();

test("text that is not a connector id is not cached, however long it is and however often it is sent", async () => {
  const before = server.platform.state.get(secretCache).size();
  const body = "{}";
  for (let n = 0; n < 200; n++) {
    const reply = await server.call(`/v1/webhooks/connectors/codehost?connector=${"x".repeat(4_000)}${n}`, {
      method: "POST",
      body,
      headers: signedHeaders.github("a secret of nobody", body),
    });
    expect(reply.status).toBe(401);
  }
  // All of them share one cache entry.
  expect(server.platform.state.get(secretCache).size()).toBeLessThanOrEqual(before + 1);
});

test("an unknown connector id is handled like a known one: both are looked up once and cached", async () => {
  const workspace = await createWorkspace(server);
  const connector = await insertConnector(server.platform, workspace.orgId);
  const lookedUp: string[] = [];
  const { db } = server.platform;
  const counting = {
    ...db,
    rows: (statement: Parameters<typeof db.rows>[0]) => {
      lookedUp.push("");
      return db.rows(statement);
    },
  } as typeof db;
  const state = createState(() => server.platform);
  const cache = state.get(secretCache);
  for (const id of [connector.id, newId("con")]) {
    lookedUp.length = 0;
    await cache.find(counting, id);
    await cache.find(counting, id);
    expect(lookedUp).toHaveLength(1);
  }
  await state.stop();
  const body = pushBody(connector, commit());
  const path = `/v1/webhooks/connectors/codehost?connector=${connector.id}`;
  expect(
    (await server.call(path, { body, headers: signedHeaders.github(connector.secret, body) })).status,
  ).toBe(202);
});

test("a new secret verifies the next delivery, and a removed one does not", async () => {
  const { owner, orgId } = await createWorkspace(server);
  const connector = await insertConnector(server.platform, orgId);
  const body = pushBody(connector, commit());
  const deliver = async (secret: string) => {
    const path = `/v1/webhooks/connectors/codehost?connector=${connector.id}`;
    return (await server.call(path, { body, headers: signedHeaders.github(secret, body) })).status;
  };
  expect(await deliver("another")).toBe(401);
  const path = `/v1/connectors/${connector.id}/webhook-secrets`;
  const added = await server.call(path, { method: "POST", headers: owner.auth });
  expect(await deliver(added.body.webhookSecret)).toBe(202);
  await server.call(`${path}/${added.body.secret.id}`, { method: "DELETE", headers: owner.auth });
  expect(await deliver(added.body.webhookSecret)).toBe(401);
  // A secret that was not announced on the bus is found too.
  await addSecret(server.platform, orgId, connector.id, "written by another version");
  expect(await deliver("written by another version")).toBe(202);
});

test("a secret that is removed while a body arrives, or waits to be parsed, does not verify it", async () => {
  const { owner, orgId } = await createWorkspace(server);
  const connector = await insertConnector(server.platform, orgId);
  const path = `/v1/connectors/${connector.id}/webhook-secrets`;
  const addOne = async () => (await server.call(path, { method: "POST", headers: owner.auth })).body;
  const remove = (id: string) =>
    server.call(`${path}/${id}`, { method: "DELETE", headers: owner.auth }).then(({ status }) => status);
  const send = (secret: string, padding: string) => {
    const body = pushBody(connector, commit()) + padding;
    const sending = request(`${server.url}/v1/webhooks/connectors/codehost?connector=${connector.id}`, {
      method: "POST",
      headers: {
        ...signedHeaders.github(secret, body),
        "content-length": Buffer.byteLength(body),
        expect: "100-continue",
      },
    });
    sending.flushHeaders();
    return { sending, body };
  };
  const readStatus = async (sending: ClientRequest) => {
    const [reply] = (await once(sending, "response")) as [IncomingMessage];
    reply.resume();
    return reply.statusCode;
  };

  const first = await addOne();
  const late = send(first.webhookSecret, "");
  await once(late.sending, "continue");
  // The delivery is at the server, and its body is not.
  await pause(100);
  expect(await remove(first.secret.id)).toBe(204);
  late.sending.end(late.body);
  expect(await readStatus(late.sending)).toBe(401);

  const second = await addOne();
  const turns = server.platform.state.get(threadTurns);
  let isWaiting = true;
  const long = send(second.webhookSecret, " ".repeat(100_000));
  await once(long.sending, "continue");
  // Long computations of the same organization, which come first.
  for (let i = 0; i < 5_000; i++)
    void turns
      .take(orgId)
      .then(() => isWaiting && Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2));
  long.sending.end(long.body);
  await pause(200);
  expect(await remove(second.secret.id)).toBe(204);
  isWaiting = false;
  expect(await readStatus(long.sending)).toBe(401);
  const list = await server.call(`/v1/webhook-deliveries?connectorId=${connector.id}`, {
    headers: owner.auth,
  });
  expect(list.body.items).toEqual([]);
});

test("many bad signatures at the same time share a lookup", async () => {
  const { orgId } = await createWorkspace(server);
  const connector = await insertConnector(server.platform, orgId);
  const { db } = server.platform;
  let lookups = 0;
  const counting = {
    ...db,
    rows: (statement: Parameters<typeof db.rows>[0]) => {
      lookups++;
      return db.rows(statement);
    },
  } as typeof db;
  const state = createState(() => server.platform);
  const cache = state.get(secretCache);
  await cache.find(counting, connector.id);
  expect(lookups).toBe(1);
  await Promise.all(Array.from({ length: 200 }, () => cache.find(counting, connector.id, performance.now())));
  // At most one lookup per interval, however many requests need it.
  expect(lookups).toBeLessThan(10);
  await cache.find(counting, connector.id, performance.now());
  const before = lookups;
  await cache.find(counting, connector.id);
  expect(lookups).toBe(before);
  await state.stop();
});
