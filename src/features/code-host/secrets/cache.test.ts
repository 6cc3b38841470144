import { expect, test } from "vitest";
import { createWorkspace, useServer } from "../../../../test/harness.ts";
import { addSecret, commit, insertConnector, pushBody, signedHeaders } from "../../../../test/webhooks.ts";
import { newId } from "../../../platform/ids.ts";
import { createState } from "../../../platform/state.ts";
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
