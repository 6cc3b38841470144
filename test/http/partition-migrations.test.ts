/** The migrations that divide tables into partitions keep the rows of before. */
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { removeLeftovers } from "../../src/app.ts";
import {
  createDb,
  type Db,
  type Engine,
  listPartitions,
  migrate,
  openPostgres,
  readMigrations,
  sql,
} from "../../src/platform/db/index.ts";
import { newIdAt } from "../../src/platform/ids.ts";
import { openEmptyPglite } from "../cluster.ts";
import { makeDatabase } from "../postgres.ts";

async function openEmptyDatabase(): Promise<{ engine: Engine; drop(): Promise<void> }> {
  if (inject("engine") === "pglite") return { engine: await openEmptyPglite(), drop: async () => {} };
  const { url, drop } = await makeDatabase();
  return { engine: await openPostgres(url, { poolSize: 2, onError: () => {} }), drop };
}

const org = "org_01jz8q2d9xf4vvh0tbq8k3m5na";

describe("events of runs", () => {
  let database: Awaited<ReturnType<typeof openEmptyDatabase>>;
  let db: Db;
  beforeAll(async () => {
    database = await openEmptyDatabase();
    db = createDb(database.engine);
    await migrate(db, readMigrations().slice(0, 45));
    await db.run(sql`
      insert into automation_runs (id, org_id, automation_id, revision, member_id, trigger, status)
      select 'run_' || n, ${org}, 'aut_1', 1, 'mem_1', 'manual', 'running' from generate_series(1, 3) n`);
    await db.run(sql`
      insert into automation_events (run_no, attempt, sequence, type, created_at, payload)
      select no, 1, n, (case when n = 4 then 'terminal' else 'assistant' end)::automation_event_type,
        1700000000000 + n, json_build_object('n', n)
      from automation_runs, generate_series(0, 4) n`);
    // The run of these events was deleted, and a job had not removed them yet.
    await db.run(sql`
      insert into automation_events (run_no, attempt, sequence, type, created_at, payload)
      values (99, 1, 0, 'assistant', 1, '{}')`);
    await db.run(sql`insert into automation_event_leftovers (run_no) values (99)`);
    await migrate(db);
  }, 120_000);
  afterAll(async () => {
    await database.engine.close();
    await database.drop();
  });

  test("are all kept, with their organization, in the first partition", async () => {
    const rows = await db.rows<Record<string, unknown> & { events: string }>(sql`
      select e.previous_sequence as previous, e.last_sequence as last, e.is_terminal as "isTerminal", e.events,
        e.org_id as "orgId", e.tableoid::regclass::text as partition
      from automation_events e join automation_runs r on r.no = e.run_no where r.id = 'run_2' order by 1`);
    const [first] = await listPartitions(db, "automation_events");
    expect(rows.map((row) => ({ ...row, events: JSON.parse(row.events) }))).toEqual(
      [0, 1, 2, 3, 4].map((n) => ({
        previous: n - 1,
        last: n,
        isTerminal: n === 4,
        events: [
          { type: n === 4 ? "terminal" : "assistant", createdAt: 1_700_000_000_000 + n, payload: { n } },
        ],
        orgId: org,
        partition: first!.name,
      })),
    );
    expect(first!.startsAt).toBeNull();
    expect(await db.row(sql`select count(*) as n from automation_events`)).toEqual({ n: 15 });
  });

  test("stay unique, and events of new runs are in the partition of this week", async () => {
    const insert = (id: string) =>
      db.run(sql`
        insert into automation_events (run_no, org_id, attempt, previous_sequence, last_sequence, is_terminal, events)
        select no, org_id, 1, -1, 0, false, '[]' from automation_runs where id = ${id}`);
    await expect(insert("run_1")).rejects.toThrow();
    await db.run(sql`
      insert into automation_runs (id, org_id, automation_id, revision, member_id, trigger, status)
      values ('run_4', ${org}, 'aut_1', 1, 'mem_1', 'manual', 'running')`);
    await insert("run_4");
    await expect(insert("run_4")).rejects.toThrow();
    const { name } = (await db.row<{ name: string }>(sql`
      select e.tableoid::regclass::text as name from automation_events e join automation_runs r on r.no = e.run_no
      where r.id = 'run_4'`))!;
    const week = (await listPartitions(db, "automation_events")).find((one) => one.name === name)!;
    expect(week.startsAt).toBeLessThanOrEqual(Date.now());
    expect(week.endsAt).toBeGreaterThan(Date.now());
  });
});

describe("deliveries of code hosts", () => {
  let database: Awaited<ReturnType<typeof openEmptyDatabase>>;
  let db: Db;
  beforeAll(async () => {
    database = await openEmptyDatabase();
    db = createDb(database.engine);
    await migrate(db, readMigrations().slice(0, 46));
    await db.run(sql`insert into organizations (id, name, slug) values (${org}, 'Acme', 'acme')`);
    await db.run(sql`
      insert into webhook_deliveries (id, scope, delivery_id, org_id, dialect, event, outcome, headers, body, body_digest,
        target_org_id)
      select id, 'con_1', 'd' || n, ${org}, 'github', 'push', 'accepted', '{}', 'body', '', ${org}
      from unnest(${[60, 30, 0].map((days) => newIdAt("whd", Date.now() - days * 86_400_000))}::text[])
        with ordinality t (id, n)`);
    await migrate(db);
  }, 120_000);
  afterAll(async () => {
    await database.engine.close();
    await database.drop();
  });

  test("are all kept with their keys, in the first partition, which later weeks follow", async () => {
    const partitions = await listPartitions(db, "webhook_deliveries");
    expect(partitions.map(({ startsAt }) => startsAt === null)).toEqual([true, false, false, false, false]);
    expect(partitions[0]!.endsAt).toBeGreaterThan(Date.now());
    const rows = await db.rows(sql`
      select d.delivery_id as "deliveryId", d.tableoid::regclass::text as partition, k.delivery_id as key
      from webhook_deliveries d join webhook_delivery_keys k on k.id = d.id order by d.id`);
    const partition = partitions[0]!.name;
    expect(rows).toEqual(["d1", "d2", "d3"].map((key) => ({ deliveryId: key, partition, key })));
  });

  test("go with their organization, and their keys with them", async () => {
    await db.run(sql`delete from organizations where id = ${org}`);
    await removeLeftovers({ db }, Date.now() + 20_000);
    expect(
      await db.rows(sql`select id from webhook_deliveries union all select id from webhook_delivery_keys`),
    ).toEqual([]);
  });
});
