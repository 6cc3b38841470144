import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { createWorkspace, type Reply, useServer, type Workspace } from "../../../../test/harness.ts";
import {
  commit,
  insertConnector,
  pushBody,
  signedHeaders,
  type TestConnector,
} from "../../../../test/webhooks.ts";
import { removeLeftovers } from "../../../app.ts";
import { sql } from "../../../platform/db/index.ts";
import { newId } from "../../../platform/ids.ts";

const instanceSecret = "the secret of the instance";
const server = useServer({ env: { CODEHOST_WEBHOOK_SECRET: instanceSecret } });
let acme: Workspace;
beforeAll(async () => {
  acme = await createWorkspace(server, "Acme");
});

const connect = (options: Parameters<typeof insertConnector>[2] = {}) =>
  insertConnector(server.platform, acme.orgId, options);

async function send(path: string, secret: string, body: string, id = randomUUID() as string, event = "push") {
  const response = await fetch(`${server.url}/v1/webhooks/connectors/${path}`, {
    method: "POST",
    headers: signedHeaders.github(secret, body, { id, event }),
    body,
  });
  return { status: response.status, body: (await response.json()) as Reply["body"] };
}
const push = (connector: TestConnector, body = pushBody(connector), id?: string) =>
  send(`codehost?connector=${connector.id}`, connector.secret, body, id);

const findDelivery = async ({ id }: TestConnector) =>
  (await server.call(`/v1/webhook-deliveries?connectorId=${id}`, { headers: acme.owner.auth })).body.items[0];

// The embedded database has one connection, so nothing is in between.
describe.runIf(inject("engine") === "postgres")("two requests at the same moment (PostgreSQL only)", () => {
  /** Does the work while somebody else holds what they changed, and lets them go on when it waits for them. */
  async function during<T>(change: ReturnType<typeof sql>, work: () => Promise<T>): Promise<T> {
    let doing!: Promise<T>;
    await server.platform.db.transaction(async (tx) => {
      await tx.run(change);
      doing = work();
      doing.catch(() => {});
      await sleep(500);
    });
    return doing;
  }

  test("a push to a connector that is being removed is refused without a server error", async () => {
    const connector = await connect();
    const removing = sql`delete from connectors where id = ${connector.id}`;
    expect(await during(removing, () => push(connector))).toMatchObject({
      status: 401,
      body: { ok: false, error: "invalid signature" },
    });
    const shared = await connect();
    const body = pushBody(shared);
    expect(
      await during(sql`delete from connectors where id = ${shared.id}`, () =>
        send("codehost", instanceSecret, body),
      ),
    ).toMatchObject({ status: 200, body: { reason: "no matching connector" } });
  });

  test("a push that waits for a change of its connector sees the change", async () => {
    /** Locks the row like a removal, so that the push waits. */
    const change = (connector: TestConnector, set: ReturnType<typeof sql>) =>
      sql`with locked as (select id from connectors where id = ${connector.id} for update)
        update connectors c set ${set} from locked where c.id = locked.id`;
    const [kept, disabled] = [await connect(), await connect()];
    for (const connector of [kept, disabled]) {
      const set = connector === kept ? sql`updated_at = now()` : sql`status = 'disabled'`;
      const body = pushBody(connector);
      expect(
        await during(change(connector, set), () => send("codehost", instanceSecret, body)),
      ).toMatchObject(
        connector === kept ? { status: 202 } : { status: 200, body: { reason: "no matching connector" } },
      );
    }
  });

  test("no delivery and no sync is left of an organization that is removed during pushes", async () => {
    for (let round = 0; round < 4; round++) {
      const globex = await createWorkspace(server, "Globex");
      const connectors = await Promise.all(
        Array.from({ length: 8 }, (_, n) =>
          insertConnector(server.platform, globex.orgId, { repository: `globex/${round}-${n}` }),
        ),
      );
      const pushes = connectors.flatMap((connector) => [
        push(connector),
        send("codehost", instanceSecret, pushBody(connector)),
      ]);
      const removal = server.platform.db.run(sql`delete from organizations where id = ${globex.orgId}`);
      const later = connectors.map((connector) => push(connector));
      for (const { status } of await Promise.all([...pushes, ...later]))
        expect([200, 202, 401]).toContain(status);
      await removal;
      await removeLeftovers(server.platform, Date.now() + 20_000);
      expect(
        await server.platform.db.rows(sql`
          select id from webhook_deliveries where ${globex.orgId} in (org_id, target_org_id)
          union all select id from connector_syncs where org_id = ${globex.orgId}`),
      ).toEqual([]);
    }
  });

  test("a delivery that is replayed while it is repeated gets a valid reply both times", async () => {
    const connector = await connect();
    const [body, id] = [pushBody(connector), randomUUID()];
    await push(connector, body, id);
    const { id: delivery } = await findDelivery(connector);
    const replay = () =>
      server.call(`/v1/webhook-deliveries/${delivery}/replay`, { method: "POST", headers: acme.owner.auth });
    for (let round = 0; round < 6; round++) {
      const replies = await Promise.all(
        Array.from({ length: 12 }, (_, i) => (i % 2 ? replay() : push(connector, body, id))),
      );
      expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 202));
    }
  });

  test("two requests with the id of a delivery to a removed connector are a new delivery and its repetition", async () => {
    const removed = await connect({ repository: "acme/again" });
    const [body, id] = [pushBody(removed), randomUUID()];
    await send("codehost", instanceSecret, body, id);
    await server.platform.db.run(sql`delete from connectors where id = ${removed.id}`);
    const connector = await connect({ repository: removed.repository });
    const sent = await server.platform.db.transaction(async (tx) => {
      await tx.run(sql`select id from webhook_deliveries where delivery_id = ${id} for update`);
      const second = { reply: send("codehost", instanceSecret, body, id) };
      await Promise.race([second.reply, sleep(500)]);
      // The first request replaces it.
      const replacement = newId("whd");
      await tx.run(sql`
        update webhook_deliveries set id = ${replacement}, target_connector_id = ${connector.id}
        where delivery_id = ${id}`);
      await tx.run(sql`update webhook_delivery_keys set id = ${replacement} where delivery_id = ${id}`);
      return second;
    });
    expect(await sent.reply).toMatchObject({ status: 202, body: { accepted: true } });
    expect(await findDelivery(connector)).toMatchObject({ deliveryId: id, repeats: 1 });
  });

  test("a failed sync that is retried while a push queues its commit again is refused", async () => {
    const connector = await connect();
    const head = commit();
    await push(connector, pushBody(connector, head));
    const failed = await server.platform.db.row<{ id: string }>(sql`
      update connector_syncs set status = 'failed', finished_at = now() where connector_id = ${connector.id}
      returning id`);
    const queued = newId("syn");
    const pushing = sql`
      with followed as (select * from connectors where id = ${connector.id} for key share)
      insert into connector_syncs (id, org_id, connector_id, head, cause)
      select ${queued}, org_id, id, ${head}, 'push' from followed`;
    const retry = () =>
      server.call(`/v1/connector-syncs/${failed!.id}/retry`, { method: "POST", headers: acme.owner.auth });
    expect(await during(pushing, retry)).toMatchObject({
      status: 409,
      body: { error: "sync_already_queued", syncId: queued },
    });
  });

  test("events about repositories that two organizations follow do not deadlock", async () => {
    const globex = await createWorkspace(server, "Globex");
    const follow = (orgId: string, repository: string) =>
      insertConnector(server.platform, orgId, { repository });
    await follow(acme.orgId, "both/one");
    await follow(globex.orgId, "both/one");
    await follow(globex.orgId, "both/two");
    await follow(acme.orgId, "both/two");
    const tell = (full_name: string) =>
      send(
        "codehost",
        instanceSecret,
        JSON.stringify({ action: "deleted", repository: { full_name } }),
        randomUUID(),
        "repository",
      );
    for (let round = 0; round < 6; round++) {
      const replies = await Promise.all(["one", "two", "one", "two"].map((name) => tell(`both/${name}`)));
      expect(replies.map(({ status }) => status)).toEqual([202, 202, 202, 202]);
    }
  });

  test("a repository event that is replayed while it is repeated gets a valid reply both times", async () => {
    const connector = await connect({ repository: "acme/back-and-forth" });
    const body = JSON.stringify({ action: "deleted", repository: { full_name: connector.repository } });
    const id = randomUUID();
    const event = () => send(`codehost?connector=${connector.id}`, connector.secret, body, id, "repository");
    expect(await event()).toMatchObject({ status: 202 });
    const { id: delivery } = await findDelivery(connector);
    const replay = () =>
      server.call(`/v1/webhook-deliveries/${delivery}/replay`, { method: "POST", headers: acme.owner.auth });
    for (let round = 0; round < 6; round++) {
      const replies = await Promise.all(Array.from({ length: 12 }, (_, i) => (i % 2 ? replay() : event())));
      expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 202));
    }
  });
});

test("one delivery id with fifty bodies at the same moment is one flagged delivery and one job", async () => {
  const connector = await connect();
  const id = randomUUID();
  const heads = Array.from({ length: 50 }, commit);
  const replies = await Promise.all(heads.map((head) => push(connector, pushBody(connector, head), id)));
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([202]));
  expect(replies.filter(({ body }) => (body as { queued?: boolean }).queued)).toHaveLength(1);
  const delivery = await findDelivery(connector);
  expect(delivery).toMatchObject({ repeats: 49, alteredAt: expect.any(Number) });
  const jobs = await server.platform.db.rows<{ head: string }>(
    sql`select head from connector_syncs where connector_id = ${connector.id}`,
  );
  expect(jobs).toEqual([{ head: delivery.head }]);
});

describe("a repeated delivery", () => {
  const settle = (connector: TestConnector, status: string, { head, id }: { head?: string; id?: string }) =>
    server.platform.db.run(sql`
      update connector_syncs set status = ${status}, finished_at = now()
      where connector_id = ${connector.id} and (id = ${id ?? null} or head = ${head ?? null})`);
  const tryElse = async (connector: TestConnector, status: string) => {
    const id = newId("syn");
    await server.platform.db.run(sql`
      insert into connector_syncs (id, org_id, connector_id, cause, status, finished_at)
      values (${id}, ${connector.orgId}, ${connector.id}, 'sweep', ${status}, now())`);
  };

  test("is queued again when its sync failed, even if a later sync failed too", async () => {
    const connector = await connect();
    const [head, id] = [commit(), randomUUID()];
    const body = pushBody(connector, head);
    expect(await push(connector, body, id)).toMatchObject({ body: { queued: true } });
    await settle(connector, "failed", { head });
    await tryElse(connector, "failed");
    expect(await push(connector, body, id)).toMatchObject({ body: { queued: true } });
    expect(await push(connector, body, id)).toMatchObject({ body: { queued: false } });
  });

  test("is not queued again when its sync succeeded, even if a later sync failed", async () => {
    const connector = await connect();
    const [head, id] = [commit(), randomUUID()];
    const body = pushBody(connector, head);
    await push(connector, body, id);
    await settle(connector, "succeeded", { head });
    await tryElse(connector, "failed");
    expect(await push(connector, body, id)).toMatchObject({ body: { queued: false } });
  });

  test("is not queued again when a later sync succeeded", async () => {
    const connector = await connect();
    const [head, id] = [commit(), randomUUID()];
    const body = pushBody(connector, head);
    await push(connector, body, id);
    await settle(connector, "failed", { head });
    await tryElse(connector, "succeeded");
    expect(await push(connector, body, id)).toMatchObject({ body: { queued: false } });
  });
});
