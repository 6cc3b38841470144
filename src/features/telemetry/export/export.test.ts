import { expect, test } from "vitest";
import { createWorkspace, joinWorkspace, useServer } from "../../../../test/harness.ts";
import { countRowsRead, explainStatement, recordStatements } from "../../../../test/plans.ts";
import { sql } from "../../../platform/db/index.ts";
import { newId } from "../../../platform/ids.ts";

const server = useServer();

test("a member's export reads the events of this member, not those of the whole organization", async () => {
  const workspace = await createWorkspace(server);
  const member = await joinWorkspace(server, workspace, "member");
  const ids = Array.from({ length: 3_000 }, () => newId("tev"));
  await server.platform.db.run(sql`
    insert into telemetry_events (org_id, id, signal, event_id, digest, at, type, source, mapping_version, member_id,
      pricing, counts_usage, failed)
    select ${workspace.orgId}, id, 'event', id, '', now(), 'step', 'other', 1,
      case when n % 1000 = 0 then ${member.memberId} else 'mem_of_somebody_else' end, 'none', true, false
    from unnest(${ids}::text[]) with ordinality t (id, n)`);
  await server.platform.db.run(sql`analyze telemetry_events`);
  let lines: string[] = [];
  const statements = await recordStatements(server.engine, async () => {
    const { body } = await server.call("/v1/telemetry/export", { headers: member.auth });
    lines = String(body).trim().split("\n");
  });
  expect(lines).toHaveLength(4);
  const reads = statements.filter(({ text }) => text.includes("from telemetry_events"));
  expect(reads).toHaveLength(1);
  for (const { text, values } of reads)
    expect(countRowsRead(await explainStatement(server.engine, text, values))).toBeLessThan(10);
});
