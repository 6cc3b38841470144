import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { removeLeftoversOfConnectors } from "../../../../test/connectors.ts";
import { createWorkspace, useServer, type Workspace } from "../../../../test/harness.ts";
import { countRowsOfNode, explainStatement, flattenPlan, recordStatements } from "../../../../test/plans.ts";
import {
  commit,
  insertConnector,
  pushBody,
  signedHeaders,
  type TestConnector,
} from "../../../../test/webhooks.ts";
import { sql } from "../../../platform/db/index.ts";

/** Whom deliveries concern: one connector, which is named in their own row, or several. */
const instanceSecret = "the secret of the instance";
const server = useServer({ env: { CODEHOST_WEBHOOK_SECRET: instanceSecret } });
let acme: Workspace;
let globex: Workspace;
beforeAll(async () => {
  acme = await createWorkspace(server, "Acme");
  globex = await createWorkspace(server, "Globex");
});

const connect = (workspace: Workspace, options: Parameters<typeof insertConnector>[2] = {}) =>
  insertConnector(server.platform, workspace.orgId, options);

async function send(path: string, secret: string, body: string, { event = "push", id = randomUUID() } = {}) {
  const response = await fetch(`${server.url}/v1/webhooks/connectors/${path}`, {
    method: "POST",
    headers: signedHeaders.github(secret, body, { event, id }),
    body,
  });
  return { status: response.status, body: (await response.json()) as { queued?: boolean } };
}

const push = (connector: TestConnector, body = pushBody(connector)) =>
  send(`codehost?connector=${connector.id}`, connector.secret, body);
const ping = (connector: TestConnector) =>
  send(`codehost?connector=${connector.id}`, connector.secret, "{}", { event: "ping" });
const deliverToInstance = (body: string, id?: ReturnType<typeof randomUUID>) =>
  send("codehost", instanceSecret, body, id && { id });

const call = (path: string, { owner }: Workspace, method = "GET") =>
  server.call(path, { method, headers: owner.auth });

interface ListedDelivery {
  id: string;
  event: string;
  targets: { connectorId: string; syncId: string | null }[];
}

const list = async (workspace: Workspace, query: string): Promise<ListedDelivery[]> =>
  (await call(`/v1/webhook-deliveries?${query}`, workspace)).body.items;

const byConnector = (connector: TestConnector) => `connectorId=${connector.id}`;

const remove = async ({ id }: TestConnector, workspace: Workspace) =>
  expect((await call(`/v1/connectors/${id}`, workspace, "DELETE")).status).toBe(204);

const syncs = async ({ id }: TestConnector) =>
  (
    await server.platform.db.rows<{ id: string }>(
      sql`select id from connector_syncs where connector_id = ${id} order by id`,
    )
  ).map((sync) => sync.id);

const fail = ({ id }: TestConnector) =>
  server.platform.db.run(sql`update connector_syncs set status = 'failed' where connector_id = ${id}`);

const rows = async (ids: readonly string[]) =>
  (await server.platform.db.row<{ count: number }>(
    sql`select count(*) from webhook_deliveries where id = any(${ids}::text[])`,
  ))!.count;

/** As it was written before a sole target had its place in the delivery's row. */
const rewriteInOldFormat = (id: string) =>
  server.platform.db.transaction(async (tx) => {
    await tx.run(sql`
      insert into webhook_delivery_targets (delivery, connector_id, org_id, sync_id)
      select id, target_connector_id, target_org_id, target_sync_id from webhook_deliveries where id = ${id}`);
    await tx.run(sql`
      update webhook_deliveries set target_connector_id = null, target_org_id = null, target_sync_id = null
      where id = ${id}`);
  });

describe("a connector that is removed", () => {
  test("deletes the deliveries that only it received, at any address", async () => {
    const connector = await connect(acme);
    await push(connector);
    await ping(connector);
    await deliverToInstance(pushBody(connector));
    const ids = (await list(acme, byConnector(connector))).map(({ id }) => id);
    expect(await rows(ids)).toBe(3);
    await remove(connector, acme);
    for (const id of ids) expect((await call(`/v1/webhook-deliveries/${id}`, acme)).status).toBe(404);
    await removeLeftoversOfConnectors(server);
    expect(await rows(ids)).toBe(0);
  });

  test("lets the ids of its deliveries be used again, before and after a job has removed them", async () => {
    for (const removeFirst of [false, true]) {
      const first = await connect(acme);
      const [body, id, ignoredId] = [pushBody(first), randomUUID(), randomUUID()];
      await deliverToInstance(body, id);
      await deliverToInstance(body, ignoredId);
      const [, before] = await list(acme, byConnector(first));
      await remove(first, acme);
      if (removeFirst) await removeLeftoversOfConnectors(server);
      // Another body, because it would be a repetition with an altered body.
      expect(await deliverToInstance(pushBody(first), ignoredId)).toMatchObject({
        status: 200,
        body: { accepted: false, reason: "no matching connector" },
      });
      const second = await connect(acme, { repository: first.repository });
      const third = await connect(globex, { repository: first.repository });
      for (const queued of [true, false])
        expect(await deliverToInstance(body, id)).toMatchObject({ body: { queued } });
      for (const [workspace, connector] of [
        [acme, second],
        [globex, third],
      ] as const) {
        const [delivery, ...more] = await list(workspace, byConnector(connector));
        expect(more).toEqual([]);
        expect(delivery!.id).not.toBe(before!.id);
        expect(delivery!.targets).toEqual([{ connectorId: connector.id, syncId: expect.any(String) }]);
      }
      await removeLeftoversOfConnectors(server);
      expect(await list(acme, byConnector(second))).toHaveLength(1);
      expect(await rows([before!.id])).toBe(0);
    }
  });

  test("lets one connector that took its place receive the same deliveries again", async () => {
    const first = await connect(acme);
    const [body, id] = [pushBody(first), randomUUID()];
    await deliverToInstance(body, id);
    await remove(first, acme);
    const second = await connect(acme, { repository: first.repository });
    expect(await deliverToInstance(body, id)).toMatchObject({ status: 202, body: { queued: true } });
    const [delivery] = await list(acme, byConnector(second));
    expect(delivery!.targets).toEqual([{ connectorId: second.id, syncId: expect.any(String) }]);
    await removeLeftoversOfConnectors(server);
    expect(await list(acme, byConnector(second))).toEqual([delivery]);
  });

  test("keeps deliveries that other connectors received too", async () => {
    const mine = await connect(acme);
    const theirs = await connect(globex, { repository: mine.repository });
    await deliverToInstance(pushBody(mine));
    const [seen] = await list(globex, byConnector(theirs));
    await remove(mine, acme);
    expect(await list(globex, byConnector(theirs))).toEqual([seen]);
    expect((await call(`/v1/webhook-deliveries/${seen!.id}`, acme)).status).toBe(404);
  });

  test("keeps a delivery that later reached other connectors through a repetition", async () => {
    const first = await connect(acme);
    const [body, id] = [pushBody(first), randomUUID()];
    expect(await deliverToInstance(body, id)).toMatchObject({ body: { queued: true } });
    const [before] = await list(acme, byConnector(first));
    const second = await connect(globex, { repository: first.repository });
    const third = await connect(acme, { repository: first.repository });
    await fail(first);
    for (let again = 0; again < 2; again++) expect((await deliverToInstance(body, id)).status).toBe(202);
    const [failed, queued] = await syncs(first);
    expect(before!.targets).toEqual([{ connectorId: first.id, syncId: failed }]);
    const [ours, ...more] = await list(acme, byConnector(first));
    expect({ id: ours!.id, targets: ours!.targets, more }).toEqual({
      id: before!.id,
      targets: [
        { connectorId: first.id, syncId: queued },
        { connectorId: third.id, syncId: null },
      ],
      more: [],
    });
    await remove(first, acme);
    await remove(third, acme);
    expect(await list(globex, byConnector(second))).toMatchObject([
      { id: before!.id, targets: [{ connectorId: second.id, syncId: null }] },
    ]);
  });
});

describe("deliveries in the old and the new format", () => {
  let workspace: Workspace;
  let connector: TestConnector;
  let other: TestConnector;
  let all: ListedDelivery[];
  beforeAll(async () => {
    workspace = await createWorkspace(server, "Mixed");
    connector = await connect(workspace);
    other = await connect(workspace, { repository: connector.repository });
    for (let round = 0; round < 4; round++) {
      await push(connector);
      await deliverToInstance(pushBody(connector));
      await ping(connector);
      await push(other);
    }
    all = await list(workspace, "limit=100");
    for (const [place, { id, targets }] of all.entries())
      if (place % 3 === 0 && targets.length === 1) await rewriteInOldFormat(id);
  });

  const pages = async (query: string) => {
    const seen: ListedDelivery[] = [];
    for (let cursor = ""; ; ) {
      const { body } = await call(`/v1/webhook-deliveries?${query}&limit=2${cursor}`, workspace);
      seen.push(...body.items);
      if (!body.nextCursor) return seen;
      cursor = `&cursor=${body.nextCursor}`;
    }
  };

  test("are listed together, each once and newest first, page by page", async () => {
    expect(all).toHaveLength(16);
    expect(all.map(({ id }) => id)).toEqual(
      all
        .map(({ id }) => id)
        .toSorted()
        .reverse(),
    );
    expect(await list(workspace, "limit=100")).toEqual(all);
    expect(await pages("")).toEqual(all);
  });

  test("are filtered alike by connector, outcome and event", async () => {
    const about = ({ id }: TestConnector) =>
      all.filter(({ targets }) => targets.some((t) => t.connectorId === id));
    expect(await pages(byConnector(connector))).toEqual(about(connector));
    expect(about(connector)).toHaveLength(12);
    expect(await pages(byConnector(other))).toEqual(about(other));
    expect(about(other)).toHaveLength(8);
    const pings = all.filter(({ event }) => event === "ping");
    expect(await pages("event=ping")).toEqual(pings);
    expect(await pages("outcome=ignored")).toEqual(pings);
    expect(await pages(`event=ping&${byConnector(other)}`)).toEqual([]);
    expect(await pages(`event=push&${byConnector(connector)}`)).toEqual(
      about(connector).filter(({ event }) => event === "push"),
    );
  });

  test("are read one by one as in the list, and only by their organization", async () => {
    for (const seen of all) {
      expect((await call(`/v1/webhook-deliveries/${seen.id}`, workspace)).body.delivery).toMatchObject(seen);
      expect((await call(`/v1/webhook-deliveries/${seen.id}`, globex)).status).toBe(404);
    }
    expect(await list(globex, byConnector(connector))).toEqual([]);
  });
});

describe("the sync of a delivery", () => {
  test.each([
    ["current", async () => 0],
    ["old", rewriteInOldFormat],
  ])("is the newest one after a replay, in the %s format", async (_, change) => {
    const connector = await connect(acme);
    await push(connector);
    const [{ id }] = (await list(acme, byConnector(connector))) as [ListedDelivery];
    await change(id);
    await fail(connector);
    const replay = () => call(`/v1/webhook-deliveries/${id}/replay`, acme, "POST");
    const { body } = await replay();
    const [, queued] = await syncs(connector);
    const targets = [{ connectorId: connector.id, syncId: queued }];
    expect(body).toMatchObject({ queued: true, delivery: { id, targets } });
    expect((await replay()).body).toMatchObject({ queued: false, delivery: { id, targets } });
    expect(await list(acme, byConnector(connector))).toMatchObject([{ id, targets }]);
  });

  test("is named by the one delivery that queued it, of many with one head at the same moment", async () => {
    const connector = await connect(acme);
    const body = pushBody(connector);
    await Promise.all(Array.from({ length: 20 }, () => push(connector, body)));
    const named = (await list(acme, byConnector(connector))).map(({ targets }) => targets[0]!.syncId);
    expect(named).toHaveLength(20);
    expect(named.filter((id) => id !== null)).toEqual(await syncs(connector));
  });

  test("is not an earlier queued sync of the same head", async () => {
    const connector = await connect(acme);
    const [first, second] = [commit(), commit()];
    for (const head of [first, second, first]) await push(connector, pushBody(connector, head));
    const [one, two] = await syncs(connector);
    const named = (await list(acme, byConnector(connector))).map(({ targets }) => targets[0]!.syncId);
    expect(named).toEqual([null, two, one]);
  });

  test("is still named after the sync itself was deleted", async () => {
    const connector = await connect(acme);
    await push(connector);
    const before = await list(acme, byConnector(connector));
    await server.platform.db.run(sql`
      update webhook_deliveries set received_at = now() - interval '31 days' where id = ${before[0]!.id}`);
    await server.platform.db.run(sql`delete from connector_syncs where connector_id = ${connector.id}`);
    const [after] = await list(acme, byConnector(connector));
    expect(after!.targets).toEqual(before[0]!.targets);
    expect(after!.targets[0]!.syncId).not.toBeNull();
  });
});

test("a push reads the connectors of its repository only, also before the database has statistics", async () => {
  const connector = await connect(acme);
  for (let n = 0; n < 20; n++) await connect(globex);
  const statements = await recordStatements(server.engine, () => push(connector));
  const record = statements.find(({ text }) => text.includes("insert into webhook_delivery_keys"))!;
  const plan = await explainStatement(server.engine, record.text, record.values);
  const read = flattenPlan(plan).filter((node) => node["Relation Name"] === "connectors");
  expect(read.map(countRowsOfNode)).toEqual([1]);
});
