/** Deliveries are in partitions of a week. Their ids stay unique across partitions. */
import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { removeLeftoversOfConnectors } from "../../../../test/connectors.ts";
import { createWorkspace, useServer, type Workspace } from "../../../../test/harness.ts";
import { insertConnector, pushBody, signedHeaders, type TestConnector } from "../../../../test/webhooks.ts";
import { listPartitions, raw, sql } from "../../../platform/db/index.ts";
import { newIdAt } from "../../../platform/ids.ts";
import { pruneDeliveries } from "./jobs.ts";

const server = useServer();
const day = 86_400_000;
const table = "webhook_deliveries";
let acme: Workspace;
let connector: TestConnector;

beforeAll(async () => {
  acme = await createWorkspace(server);
  connector = await insertConnector(server.platform, acme.orgId);
  // Instead of the partition that holds all earlier weeks, there is one of 100 and one of 30 days ago.
  const [first] = await listPartitions(server.platform.db, table);
  await server.platform.db.run(sql`drop table ${raw(first!.name)}`);
  for (const days of [100, 30, 0])
    await server.platform.db.run(sql`
      select add_partition(${table}, first_day_of_week(now() - make_interval(days => ${days}::int)))`);
});

const push = async (id: string, body: string) => {
  const reply = await fetch(`${server.url}/v1/webhooks/connectors/codehost?connector=${connector.id}`, {
    method: "POST",
    headers: signedHeaders.github(connector.secret, body, { id }),
    body,
  });
  expect(reply.status).toBe(202);
};
const prune = () => pruneDeliveries(server.platform, Date.now() + 10_000);
const list = async () =>
  (await server.call("/v1/webhook-deliveries", { headers: acme.owner.auth })).body.items as {
    id: string;
    deliveryId: string;
    repeats: number;
  }[];
const find = async (deliveryId: string) => (await list()).find((one) => one.deliveryId === deliveryId);
const findPartition = async (id: string) =>
  (await server.platform.db.row<{ name: string }>(
    sql`select tableoid::regclass::text as name from webhook_deliveries where id = ${id}`,
  ))!.name;

/** Stores a delivery as if it had arrived some days ago. */
async function pushEarlier(days: number) {
  const [deliveryId, body] = [randomUUID(), pushBody(connector)];
  await push(deliveryId, body);
  const id = newIdAt("whd", Date.now() - days * day);
  const { db } = server.platform;
  await db.run(sql`update webhook_deliveries set id = ${id} where delivery_id = ${deliveryId}`);
  await db.run(sql`update webhook_delivery_keys set id = ${id} where delivery_id = ${deliveryId}`);
  return { id, deliveryId, body };
}

describe("partitions of deliveries", () => {
  test("hold the deliveries of their week, and others are in the default partition", async () => {
    const [old, older] = [await pushEarlier(30), await pushEarlier(60)];
    const names = (await listPartitions(server.platform.db, table)).map(({ name }) => name);
    expect(names).toContain(await findPartition(old.id));
    expect(await findPartition(older.id)).toBe("webhook_deliveries_default");
    expect(await find(older.deliveryId)).toMatchObject({ id: older.id });
  });

  test("accept a delivery id once, also when the first one is in another partition", async () => {
    const { id, deliveryId, body } = await pushEarlier(30);
    await push(deliveryId, body);
    expect((await list()).filter((one) => one.deliveryId === deliveryId)).toMatchObject([{ id, repeats: 1 }]);
  });

  test("are dropped after the retention, and then their ids are accepted again", async () => {
    const [old, kept, between] = [await pushEarlier(100), await pushEarlier(30), await pushEarlier(92)];
    const partition = await findPartition(old.id);
    await prune();
    const names = (await listPartitions(server.platform.db, table)).map(({ name }) => name);
    expect(names).not.toContain(partition);
    expect(await find(old.deliveryId)).toBeUndefined();
    expect(await find(kept.deliveryId)).toMatchObject({ id: kept.id });
    // It was in no partition of a week, so its row was removed.
    expect(await find(between.deliveryId)).toBeUndefined();
    await push(old.deliveryId, old.body);
    expect(await find(old.deliveryId)).toMatchObject({ repeats: 0 });
  });

  test("lose the keys of a connector with its deliveries", async () => {
    await push(randomUUID(), pushBody(connector));
    const countKeys = () => server.platform.db.rows(sql`select 1 from webhook_delivery_keys`);
    expect(await countKeys()).not.toEqual([]);
    await server.platform.db.run(sql`delete from connectors where id = ${connector.id}`);
    await removeLeftoversOfConnectors(server);
    expect(await countKeys()).toEqual([]);
  });
});
