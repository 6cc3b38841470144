import { expect, test } from "vitest";
import { createWorkspace, useServer } from "../../../../test/harness.ts";
import { recordStatements } from "../../../../test/plans.ts";
import { dayMs } from "../../../platform/days.ts";
import { sql } from "../../../platform/db/index.ts";
import { newIdAt } from "../../../platform/ids.ts";
import { pruneTelemetry } from "../index.ts";

const server = useServer();

async function insertOldEvents(orgId: string, count: number): Promise<void> {
  const old = Date.now() - 100 * dayMs;
  const ids = Array.from({ length: count }, () => newIdAt("tev", old));
  await server.platform.db.run(sql`
    insert into telemetry_events (org_id, id, signal, event_id, digest, at, type, source, mapping_version, pricing,
      counts_usage, failed)
    select ${orgId}, id, 'event', id, '', to_timestamp(${old}::bigint / 1000.0), 'step', 'other', 1, 'none', true, false
    from unnest(${ids}::text[]) id`);
}

const countEvents = async (orgId: string) =>
  (await server.platform.db.rows(sql`select from telemetry_events where org_id = ${orgId}`)).length;

test("an organization with much to delete does not delay the others", async () => {
  const first = await createWorkspace(server, "First");
  const second = await createWorkspace(server, "Second");
  const [large, small] = [first.orgId, second.orgId].sort() as [string, string];
  await insertOldEvents(large, 7_000);
  await insertOldEvents(small, 1);
  // Each round has time for one step only.
  for (let round = 0; round < 20 && (await countEvents(small)) > 0; round++)
    await pruneTelemetry(server.platform, 0);
  expect(await countEvents(small)).toBe(0);
  expect(await countEvents(large)).toBeGreaterThan(0);
  await pruneTelemetry(server.platform, Date.now() + 60_000);
  expect(await countEvents(large)).toBe(0);
});

test("the points of an organization are read once a day, and again after its settings change", async () => {
  const { owner, orgId } = await createWorkspace(server);
  await server.platform.db.run(sql`
    insert into telemetry_points (org_id, series, started_nanos, nanos, value)
    values (${orgId}, '\\xaa', 1, ${String(BigInt(Date.now()) * 1_000_000n)}::bigint, 1)`);
  const prune = async () => {
    // Requests with the settings from before a change have ended.
    await server.platform.db.run(
      sql`update telemetry_settings set updated_at = now() - interval '1 hour' where org_id = ${orgId}`,
    );
    const statements = await recordStatements(server.engine, () =>
      pruneTelemetry(server.platform, Date.now() + 60_000),
    );
    return statements.filter(
      ({ text, values }) => text.includes("delete from telemetry_points") && values.includes(orgId),
    ).length;
  };
  expect(await prune()).toBeGreaterThan(0);
  expect(await prune()).toBe(0);
  await server.call("/v1/telemetry/settings", {
    method: "PUT",
    body: { enabled: true, keepsContents: false, retentionDays: 10 },
    headers: owner.auth,
  });
  expect(await prune()).toBeGreaterThan(0);
});
