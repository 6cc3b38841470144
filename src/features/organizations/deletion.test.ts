/** The deletion of an organization with many rows in the tables that grow with time. */
import { describe, expect, test } from "vitest";
import { createConnector } from "../../../test/connectors.ts";
import { createWorkspace, useServer, type Workspace } from "../../../test/harness.ts";
import { createGrownOrganization } from "../../../test/leftovers.ts";
import { removeLeftovers } from "../../app.ts";
import type { OrgId } from "../../platform/context.ts";
import { raw, sql } from "../../platform/db/index.ts";
import { newId } from "../../platform/ids.ts";
import { verifyChains } from "../audit/index.ts";
import { deleteOrganizationRows } from "./index.ts";

const server = useServer();

/** Tables that the deletion leaves to the job, with the condition for the rows of an organization. */
const conditions = {
  audit_events: "scope",
  automation_figures: "org_id",
  automation_usage_days: "org_id",
  automation_usage_repeated_runs: "org_id",
  connector_syncs: "org_id",
  llm_spend: "org_id",
  oauth_connection_events: "org_id",
  oauth_event_leftovers: "org_id",
  organization_leftovers: "org_id",
  telemetry_names: "org_id",
  telemetry_points: "org_id",
  webhook_deliveries: "org_id",
  webhook_delivery_targets: "org_id",
};

async function countLeft(orgId: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const [table, column] of Object.entries(conditions)) {
    const { n } = (await server.platform.db.row<{ n: number }>(
      sql`select count(*)::int as n from ${raw(table)} where ${raw(column)} = ${orgId}`,
    ))!;
    if (n > 0) counts[table] = n;
  }
  return counts;
}

const countKeys = async ({ connectorId }: { connectorId: string }) =>
  (await server.platform.db.row<{ n: number }>(
    sql`select count(*)::int as n from webhook_delivery_keys where scope = ${connectorId}`,
  ))!.n;

async function remove({ owner }: Workspace): Promise<{ slug: string }> {
  const { slug } = (await server.call("/v1/organization", { headers: owner.auth })).body.organization;
  const options = { method: "DELETE", body: { confirm: slug }, headers: owner.auth };
  expect((await server.call("/v1/organization", options)).status).toBe(204);
  return { slug };
}

const runJob = () => removeLeftovers(server.platform, Date.now() + 60_000);
const letTimePass = () =>
  server.platform.db.run(
    sql`update organization_leftovers set deleted_at = deleted_at - interval '11 minutes'`,
  );
const listFaults = async () => {
  const faults: string[] = [];
  for await (const verdict of verifyChains(server.platform.db)) faults.push(...verdict.faults);
  return faults;
};

describe("deleting an organization with many rows", () => {
  test("touches few rows in the request, whatever its size, and the job removes the rest", async () => {
    const count = 10_000;
    const [acme, globex] = [
      await createGrownOrganization(server, count),
      await createGrownOrganization(server, 100),
    ];
    const kept = await countLeft(globex.orgId);
    const touched = await server.platform.db.transaction(async (tx) => {
      const read = async () =>
        await tx.rows<{ name: string; rows: number }>(sql`
          select relname::text as name, sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) + n_tup_del)::int as rows
          from pg_stat_xact_user_tables where schemaname = 'public' group by relname`);
      const before = new Map((await read()).map(({ name, rows }) => [name, rows]));
      await deleteOrganizationRows(server.platform.bus, tx, acme.orgId as OrgId);
      return (await read()).map(({ name, rows }) => ({ name, rows: rows - (before.get(name) ?? 0) }));
    });
    expect(touched.filter(({ rows }) => rows > 100)).toEqual([]);
    expect(touched.find(({ name }) => name === "organizations")!.rows).toBeGreaterThan(0);

    const left = await countLeft(acme.orgId);
    expect(left).toMatchObject({
      audit_events: expect.any(Number),
      webhook_deliveries: count,
      llm_spend: count,
    });
    expect(await listFaults()).toEqual(
      expect.not.arrayContaining([expect.stringContaining("chain that they")]),
    );

    await letTimePass();
    await runJob();
    expect(await countLeft(acme.orgId)).toEqual({});
    expect(await countKeys(acme)).toBe(0);
    expect(await countLeft(globex.orgId)).toEqual(kept);
    expect(await countKeys(globex)).toBe(100);
  }, 120_000);

  test("continues after a crash, and forgets the organization only when nothing can follow", async () => {
    const acme = await createGrownOrganization(server, 2_000);
    const globex = await createGrownOrganization(server, 2_000);
    const ada = await createWorkspace(server);
    const { slug } = await remove(acme);
    await remove(globex);
    // Another organization has the slug at once.
    const again = await server.call("/v1/organizations", {
      body: { name: "Again", slug },
      headers: ada.owner.auth,
    });
    expect(again.status).toBe(201);

    let steps = 0;
    const crash = new Error("The process ends.");
    const { db } = server.platform;
    const crashing = new Proxy(db, {
      get: (target, name) => {
        const value = Reflect.get(target, name);
        if ((name !== "run" && name !== "transaction") || steps < 8) {
          if (name === "run" || name === "transaction") steps++;
          return typeof value === "function" ? value.bind(target) : value;
        }
        throw crash;
      },
    });
    await expect(removeLeftovers({ db: crashing }, Date.now() + 60_000)).rejects.toBe(crash);
    // Both have had their turns.
    for (const { orgId } of [acme, globex])
      expect(Object.values(await countLeft(orgId)).some((n) => n > 0 && n < 2_000)).toBe(true);

    await runJob();
    for (const { orgId } of [acme, globex])
      expect(await countLeft(orgId)).toEqual({ organization_leftovers: 1 });
    // A statement from before the deletion adds a row.
    await db.run(sql`
      insert into llm_spend (org_id, subject_id, day, cost_micros) values (${acme.orgId}, 'late', '2026-11-01', 1)`);
    await letTimePass();
    await runJob();
    expect(await countLeft(acme.orgId)).toEqual({});
  }, 60_000);

  test("leaves nothing that is taken up as work", async () => {
    const acme = await createWorkspace(server);
    const { id } = await createConnector(server, acme.owner.auth);
    const { db } = server.platform;
    await db.run(sql`delete from connector_syncs where connector_id = ${id}`);
    await db.run(sql`
      insert into connector_syncs (id, org_id, connector_id, cause, status)
      select s || ${newId("syn")}, ${acme.orgId}, ${id}, 'push', s from unnest('{queued,running,succeeded}'::text[]) s`);
    await remove(acme);
    expect(
      await db.rows<{ status: string }>(sql`select status from connector_syncs where org_id = ${acme.orgId}`),
    ).toEqual([{ status: "succeeded" }]);
  });

  test("a mark of an organization that exists removes nothing and hides no fault", async () => {
    const acme = await createGrownOrganization(server, 100);
    const { db } = server.platform;
    const before = await countLeft(acme.orgId);
    await db.run(
      sql`insert into organization_leftovers (org_id, deleted_at) values (${acme.orgId}, '2026-01-01')`,
    );
    await runJob();
    expect(await countLeft(acme.orgId)).toEqual({ ...before, organization_leftovers: 1 });
    await db.run(sql`delete from organization_leftovers where org_id = ${acme.orgId}`);
  });

  test("during a verification of the audit log is no fault", async () => {
    const names = [await createWorkspace(server), await createWorkspace(server)];
    const [first, last] = names.sort((a, b) => (a.orgId < b.orgId ? -1 : 1)) as [Workspace, Workspace];
    const faults: string[] = [];
    for await (const verdict of verifyChains(server.platform.db)) {
      if (verdict.scope === first.orgId) {
        await remove(last);
        await runJob();
      }
      if (verdict.scope === last.orgId) faults.push(...verdict.faults);
    }
    expect(faults).toEqual([]);
  });
});
