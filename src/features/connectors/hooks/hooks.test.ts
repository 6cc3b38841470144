import { expect, test } from "vitest";
import { createWorkspace, useServer } from "../../../../test/harness.ts";
import { addSecret, commit, insertConnector, pushBody, speak } from "../../../../test/webhooks.ts";
import { newId } from "../../../platform/ids.ts";
import { countCachedConnectors, secretsOf } from "./secret-cache.ts";

const server = useServer();

test("what is no connector id is not remembered, however often and however long it is sent", async () => {
  const before = countCachedConnectors(server.platform.bus);
  const body = "{}";
  for (let n = 0; n < 200; n++) {
    const reply = await server.call(`/v1/webhooks/connectors/codehost?connector=${"x".repeat(4_000)}${n}`, {
      method: "POST",
      body,
      headers: speak.github("a secret of nobody", body),
    });
    expect(reply.status).toBe(401);
  }
  // One entry stands for all of them.
  expect(countCachedConnectors(server.platform.bus)).toBeLessThanOrEqual(before + 1);
});

test("an id of no connector takes the same way as that of one: both are looked up once and remembered", async () => {
  const workspace = await createWorkspace(server);
  const connector = await insertConnector(server.platform, workspace.orgId);
  const lookedUp: string[] = [];
  const { db } = server.platform;
  const counting = {
    ...server.platform,
    db: {
      ...db,
      rows: (statement: Parameters<typeof db.rows>[0]) => {
        lookedUp.push("");
        return db.rows(statement);
      },
    },
  } as typeof server.platform;
  for (const id of [connector.id, newId("con")]) {
    lookedUp.length = 0;
    await secretsOf(counting, id);
    await secretsOf(counting, id);
    expect(lookedUp).toHaveLength(1);
  }
  const body = pushBody(connector, commit());
  const path = `/v1/webhooks/connectors/codehost?connector=${connector.id}`;
  expect((await server.call(path, { body, headers: speak.github(connector.secret, body) })).status).toBe(202);
});

test("a new secret verifies the next delivery, and a removed one does not", async () => {
  const { owner, orgId } = await createWorkspace(server);
  const connector = await insertConnector(server.platform, orgId);
  const body = pushBody(connector, commit());
  const deliver = async (secret: string) => {
    const path = `/v1/webhooks/connectors/codehost?connector=${connector.id}`;
    return (await server.call(path, { body, headers: speak.github(secret, body) })).status;
  };
  expect(await deliver("another")).toBe(401);
  const path = `/v1/connectors/${connector.id}/webhook-secrets`;
  const added = await server.call(path, { method: "POST", headers: owner.auth });
  expect(await deliver(added.body.webhookSecret)).toBe(202);
  await server.call(`${path}/${added.body.secret.id}`, { method: "DELETE", headers: owner.auth });
  expect(await deliver(added.body.webhookSecret)).toBe(401);
  // Also one that nobody announced.
  await addSecret(server.platform, orgId, connector.id, "written by another version");
  expect(await deliver("written by another version")).toBe(202);
});

test("many bad signatures at the same time share a lookup", async () => {
  const { orgId } = await createWorkspace(server);
  const connector = await insertConnector(server.platform, orgId);
  const { db } = server.platform;
  let lookups = 0;
  const counting = {
    ...server.platform,
    db: {
      ...db,
      rows: (statement: Parameters<typeof db.rows>[0]) => {
        lookups++;
        return db.rows(statement);
      },
    },
  } as typeof server.platform;
  await secretsOf(counting, connector.id);
  expect(lookups).toBe(1);
  await Promise.all(Array.from({ length: 200 }, () => secretsOf(counting, connector.id, performance.now())));
  // One more each time that the interval between lookups is over, however many ask.
  expect(lookups).toBeLessThan(10);
  await secretsOf(counting, connector.id, performance.now());
  const before = lookups;
  await secretsOf(counting, connector.id);
  expect(lookups).toBe(before);
});
