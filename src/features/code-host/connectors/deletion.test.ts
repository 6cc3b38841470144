/** The deletion of a connector with many deliveries and syncs. */
import { beforeAll, describe, expect, test } from "vitest";
import { removeLeftoversOfConnectors } from "../../../../test/connectors.ts";
import { useServer } from "../../../../test/harness.ts";
import { createGrownOrganization, type GrownOrganization } from "../../../../test/leftovers.ts";
import type { OrgId } from "../../../platform/context.ts";
import { raw, sql } from "../../../platform/db/index.ts";
import * as store from "./store.ts";

const server = useServer();
const count = 3_000;
let acme: GrownOrganization;
beforeAll(async () => {
  acme = await createGrownOrganization(server, count);
}, 60_000);

const tables = {
  connector_leftovers: "connector_id",
  connector_syncs: "connector_id",
  webhook_deliveries: "target_connector_id",
  webhook_delivery_keys: "scope",
  webhook_delivery_targets: "connector_id",
};

/** How many rows of a connector each table has. Tables without one are left out. */
async function countRows(connectorId: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const [table, column] of Object.entries(tables)) {
    const { n } = (await server.platform.db.row<{ n: number }>(
      sql`select count(*)::int as n from ${raw(table)} where ${raw(column)} = ${connectorId}`,
    ))!;
    if (n > 0) counts[table] = n;
  }
  return counts;
}

const countLive = async (connectorId: string) =>
  (await server.platform.db.row<{ rows: number }>(sql`
    select count(*)::int as rows from connector_syncs
    where connector_id = ${connectorId} and status in ('queued', 'running')`))!;

const call = (path: string, method = "GET") => server.call(path, { method, headers: acme.owner.auth });
const idsOf = async (path: string): Promise<string[]> =>
  (await call(path)).body.items.map(({ id }: { id: string }) => id);

describe("deleting a connector with many rows", () => {
  test("touches few rows, whatever their number", async () => {
    const { orgId, connectorId } = await createGrownOrganization(server, count);
    const touched = await server.platform.db.transaction(async (tx) => {
      const read = async () =>
        await tx.rows<{ name: string; rows: number }>(sql`
          select relname::text as name, sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) + n_tup_del)::int as rows
          from pg_stat_xact_user_tables where schemaname = 'public' group by relname`);
      const before = new Map((await read()).map(({ name, rows }) => [name, rows]));
      await store.lock(tx, orgId as OrgId, connectorId as store.ConnectorId);
      await store.remove(tx, orgId as OrgId, connectorId as store.ConnectorId);
      return (await read()).map(({ name, rows }) => ({ name, rows: rows - (before.get(name) ?? 0) }));
    });
    expect(touched.filter(({ rows }) => rows > 100)).toEqual([]);
    expect(touched.find(({ name }) => name === "connectors")!.rows).toBeGreaterThan(0);
    expect(await countRows(connectorId)).toMatchObject({ connector_leftovers: 1, connector_syncs: count });
  }, 60_000);

  test("hides its rows at once, and the job removes all of them and nothing else", async () => {
    const { connectorId, otherConnectorId } = acme;
    const [sync] = await idsOf(`/v1/connector-syncs?connectorId=${connectorId}&limit=1`);
    const ofOther = `/v1/webhook-deliveries?connectorId=${otherConnectorId}&limit=100`;
    const kept = { rows: await countRows(otherConnectorId), ids: await idsOf(ofOther) };
    const [delivery] = (await idsOf(`/v1/webhook-deliveries?connectorId=${connectorId}&limit=2`)).filter(
      (id) => !kept.ids.includes(id),
    );
    const pushed = await call(`/v1/webhook-deliveries/${kept.ids[0]}`);
    expect(pushed.body.delivery.targets).toHaveLength(2);

    expect((await call(`/v1/connectors/${connectorId}`, "DELETE")).status).toBe(204);
    expect(await countLive(connectorId)).toEqual({ rows: 0 });
    const expectHidden = async () => {
      expect(await idsOf("/v1/connector-syncs?limit=100")).toHaveLength(1);
      for (const status of ["succeeded", "queued"])
        expect(await idsOf(`/v1/connector-syncs?status=${status}`)).toHaveLength(status === "queued" ? 1 : 0);
      for (const path of ["webhook-deliveries", "connector-syncs"])
        expect(await idsOf(`/v1/${path}?connectorId=${connectorId}`)).toEqual([]);
      // Deliveries to both connectors, which now name the other one only.
      for (const query of ["", "&outcome=accepted", "&event=push"]) {
        const { items } = (await call(`/v1/webhook-deliveries?limit=100${query}`)).body;
        expect(items.map(({ id }: { id: string }) => id)).toEqual(kept.ids);
        const targets = items.flatMap((one: { targets: { connectorId: string }[] }) => one.targets);
        expect(new Set(targets.map((target: { connectorId: string }) => target.connectorId))).toEqual(
          new Set([otherConnectorId]),
        );
      }
      for (const [path, method] of [
        [`webhook-deliveries/${delivery}`, "GET"],
        [`webhook-deliveries/${delivery}/replay`, "POST"],
        [`connector-syncs/${sync}`, "GET"],
        [`connector-syncs/${sync}/retry`, "POST"],
      ] as const) {
        const { status, body } = await call(`/v1/${path}`, method);
        expect({ status, body }).toEqual({
          status: 404,
          body: {
            error: path.startsWith("webhook") ? "webhook_delivery_not_found" : "connector_sync_not_found",
          },
        });
      }
    };
    await expectHidden();
    expect(await countRows(connectorId)).toMatchObject({ webhook_deliveries: count * 0.9 });

    await removeLeftoversOfConnectors(server);
    await expectHidden();
    // A delivery to both stays, with its key.
    const keys = { webhook_delivery_keys: count * 0.1 };
    expect(await countRows(connectorId)).toEqual({ connector_leftovers: 1, ...keys });
    expect(await countRows(otherConnectorId)).toEqual(kept.rows);

    await server.platform.db.run(sql`
      update connector_leftovers set deleted_at = deleted_at - interval '11 minutes' where connector_id = ${connectorId}`);
    await removeLeftoversOfConnectors(server);
    expect(await countRows(connectorId)).toEqual(keys);
    expect(await countRows(otherConnectorId)).toEqual(kept.rows);
  }, 60_000);

  test("of an organization that is deleted next leaves no mark", async () => {
    const { orgId, connectorId } = await createGrownOrganization(server, 100);
    const { db } = server.platform;
    await store.remove(db, orgId as OrgId, connectorId as store.ConnectorId);
    await db.run(sql`delete from organizations where id = ${orgId}`);
    await db.run(
      sql`update connector_leftovers set deleted_at = '2026-01-01' where connector_id = ${connectorId}`,
    );
    await removeLeftoversOfConnectors(server);
    expect(
      await db.rows(sql`
        select connector_id as id from connector_leftovers where org_id = ${orgId}
        union all select id from connector_syncs where connector_id = ${connectorId}
        union all select id from webhook_deliveries where target_connector_id = ${connectorId}`),
    ).toEqual([]);
  });
});
