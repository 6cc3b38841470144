import { expect, test } from "vitest";
import { createDatabase, createWorkspace, startServer, type Workspace } from "../../../../test/harness.ts";
import { insertConnector } from "../../../../test/webhooks.ts";
import { sql } from "../../../platform/db/index.ts";
import { newId } from "../../../platform/ids.ts";
import { claimNext } from "./work/claim.ts";

test("syncs of one organization do not delay another organization's, in any process", {
  timeout: 120_000,
}, async () => {
  const database = await createDatabase();
  const servers = [await startServer(database)];
  if (database.kind === "postgres") servers.push(await startServer(database));
  const { platform } = servers[0]!;
  const greedy = await createWorkspace(servers[0]!, "Greedy");
  const other = await createWorkspace(servers[0]!, "Other");
  const queue = async ({ orgId }: Workspace, minutesAgo: number) => {
    const connector = await insertConnector(platform, orgId);
    await platform.db.run(sql`
      insert into connector_syncs (id, org_id, connector_id, status, cause, due_at)
      values (${newId("syn")}, ${orgId}, ${connector.id}, 'queued', 'manual', now() - make_interval(mins => ${minutesAgo}::int))`);
  };
  for (let i = 0; i < 60; i++) await queue(greedy, 10);
  for (let i = 0; i < 2; i++) await queue(other, 1);
  const claimed: string[] = [];
  for (let i = 0; i < 5; i++) {
    const next = await claimNext(servers[i % servers.length]!.platform);
    claimed.push(next!.claim.target.orgId);
  }
  // The organization with the fewest running syncs across all processes is next.
  expect(claimed).toEqual([greedy.orgId, other.orgId, greedy.orgId, other.orgId, greedy.orgId]);
  for (const server of servers) await server.close();
  await database.drop();
});

test("an organization that already uses its whole share is skipped", { timeout: 120_000 }, async () => {
  const database = await createDatabase();
  const server = await startServer(database);
  const { platform } = server;
  const greedy = await createWorkspace(server, "Greedy");
  for (let i = 0; i < 4; i++) {
    const connector = await insertConnector(platform, greedy.orgId);
    await platform.db.run(sql`
      insert into connector_syncs (id, org_id, connector_id, status, cause, due_at)
      values (${newId("syn")}, ${greedy.orgId}, ${connector.id}, 'queued', 'manual', now())`);
  }
  const places = platform.queues("test", { capacity: 4, maxWaitMs: 0, maxWaiting: 0, maxWaitingPerKey: 0 });
  const enter = (orgId: string) => places.tryEnter(orgId);
  expect(await claimNext(platform, enter)).toBeDefined();
  const second = await claimNext(platform, enter);
  expect(await claimNext(platform, enter)).toBeUndefined();
  second!.release();
  expect(await claimNext(platform, enter)).toBeDefined();
  await server.close();
  await database.drop();
});
