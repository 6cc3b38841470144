/** Events are in partitions of a week, by the creation of their run. Each test begins with the partitions of a migration. */
import { describe, expect, inject, test } from "vitest";
import {
  type Auth,
  complete,
  event,
  queueRun,
  readEvents,
  readRun,
  report,
  reportBatch,
} from "../../../../test/automations.ts";
import { createWorkspace, useServer } from "../../../../test/harness.ts";
import { addPartitions, type Db, listPartitions, migrate, raw, sql } from "../../../platform/db/index.ts";
import { rangeOfRecentRuns, runNumberAt } from "../events/run-numbers.ts";
import { pruneAll } from "./jobs.ts";

const dayMs = 86_400_000;
const weekMs = 7 * dayMs;
const rollback = new Error("Nothing is kept.");

/** The first days of this week and of the next four, which are Mondays. */
function listWeeks(): number[] {
  const monday = Math.floor((Date.now() - 4 * dayMs) / weekMs) * weekMs + 4 * dayMs;
  return [0, 1, 2, 3, 4].map((n) => monday + n * weekMs);
}

/** Sets a time zone whose clocks go forward in some days, and back a hundred days later. */
async function setChangingClocks(tx: Db, days = 10): Promise<void> {
  const today = Math.ceil((Date.now() - Date.UTC(new Date().getUTCFullYear(), 0)) / dayMs);
  const toRule = (day: number) => `J${((day + 2 * 365 - 1) % 365) + 1}/12`;
  const zone = `AAA0BBB,${toRule(today + days)},${toRule(today + days + 100)}`;
  await tx.run(sql`select set_config('timezone', ${zone}, true)`);
}

/** The text of a bound, as the catalogue has it. */
const bound = (table: string, time: number) =>
  sql`trim(partition_bound(${table}, to_timestamp(${time}::bigint / 1000.0)), '''')`;

const createKit = () => {
  const server = useServer();
  const table = "automation_events";
  const listNames = async () => (await listPartitions(server.platform.db, table)).map(({ name }) => name);
  return {
    server,
    table,
    listNames,
    prune: () => pruneAll(server.platform, Date.now() + 30_000),
    /** The partition that holds the runs from before the migration. */
    findFirst: async () => (await listNames())[0]!,
    findPartitionOf: async (id: string) =>
      (await server.platform.db.row<{ name: string }>(sql`
        select distinct e.tableoid::regclass::text as name from automation_events e
        join automation_runs r on r.no = e.run_no where r.id = ${id}`))!.name,
    countEvents: async (id: string) =>
      (await server.platform.db.row<{ n: number }>(sql`
        select coalesce(sum(e.last_sequence - e.previous_sequence), 0)::int as n
        from automation_events e join automation_runs r on r.no = e.run_no where r.id = ${id}`))!.n,
    /** A run that was created ten days ago, with two events, and that ended some days ago. */
    async createOldRun(auth: Auth, days: number) {
      const { id } = await queueRun(server, auth);
      const at = sql`now() - interval '10 days'`;
      await server.platform.db.run(sql`
        update automation_runs set created_at = ${at}, no = run_number_at(${at}) + no % 1000 where id = ${id}`);
      expect((await reportBatch(server, auth, id, [event(0), event(1)])).status).toBe(200);
      await complete(server, auth, id, { attempt: 1, status: "succeeded" });
      await server.platform.db.run(
        sql`update automation_runs set finished_at = now() - make_interval(days => ${days}) where id = ${id}`,
      );
      return id as string;
    },
  };
};

describe("partitions of events", () => {
  const { server, table, listNames, prune, findFirst, findPartitionOf, countEvents } = createKit();

  test("begin at the numbers that runs of a week get", async () => {
    const { auth } = (await createWorkspace(server)).owner;
    const run = await queueRun(server, auth);
    const row = (await server.platform.db.row<{ no: number; first: number }>(sql`
      select no, run_number_at(first_day_of_week(created_at)) as first from automation_runs where id = ${run.id}`))!;
    const { from, end } = rangeOfRecentRuns(run.createdAt);
    expect(row.first - from).toBe(runNumberAt(7 * 86_400_000) - runNumberAt(0));
    expect(row.no).toBeGreaterThanOrEqual(row.first);
    expect(row.no).toBeLessThan(end);
    expect(Math.abs(row.no - runNumberAt(run.createdAt))).toBeLessThan(5 * 2 ** 22);
  });

  test("exist for this week and four weeks ahead, and are added again", async () => {
    const names = await listNames();
    expect(names).toHaveLength(6);
    await server.platform.db.run(sql`drop table ${raw(names.at(-1)!)}`);
    await prune();
    // The first partition has no events, so it is dropped.
    expect(await listNames()).toEqual(names.slice(1));
    expect(await addPartitions(server.platform.db, table)).toEqual([]);
  });

  test.each(["automation_events", "webhook_deliveries"])(
    "of %s begin on Monday in UTC, also when the clocks of the server change",
    async (name) => {
      const work = server.platform.db.transaction(async (tx) => {
        for (const partition of await listPartitions(tx, name))
          await tx.run(sql`drop table ${raw(partition.name)}`);
        await setChangingClocks(tx);
        await addPartitions(tx, name);
        const found = await listPartitions(tx, name);
        expect(found.map(({ startsAt }) => startsAt)).toEqual(listWeeks());
        for (const { name: partition, startsAt, endsAt } of found)
          expect(
            await tx.row(sql`
              select pg_get_expr(c.relpartbound, c.oid) as bounds from pg_class c where c.relname = ${partition}`),
          ).toEqual(
            await tx.row(sql`
              select format('FOR VALUES FROM (%L) TO (%L)', ${bound(name, startsAt!)}, ${bound(name, endsAt)}) as bounds`),
          );
        throw rollback;
      });
      await expect(work).rejects.toBe(rollback);
    },
  );

  // Earlier versions added seven days in the time zone of the server.
  test.each(
    ["automation_events", "webhook_deliveries"].flatMap((name) => [
      { name, clocks: "forward", days: -10 },
      { name, clocks: "back", days: -110 },
    ]),
  )(
    "of $name leave no gap after those of an earlier version, when the clocks went $clocks",
    async ({ name, days }) => {
      const work = server.platform.db.transaction(async (tx) => {
        for (const partition of await listPartitions(tx, name))
          await tx.run(sql`drop table ${raw(partition.name)}`);
        await setChangingClocks(tx, days);
        for (const week of await tx.rows<{ start: string; end: string; name: string }>(sql`
          select partition_bound(${name}, week) as start, partition_bound(${name}, week + interval '7 days') as end,
            ${name} || to_char(week at time zone 'UTC', '_YYYYMMDD') as name
          from generate_series(first_day_of_week(now() - interval '28 days'), now(), interval '7 days') week`))
          await tx.run(
            sql`${raw(`create table ${week.name} partition of ${name} for values from (${week.start}) to (${week.end})`)}`,
          );
        const earlier = await listPartitions(tx, name);
        const last = earlier.at(-1)!;
        expect(listWeeks()).not.toContain(last.endsAt);
        await addPartitions(tx, name);
        const found = await listPartitions(tx, name);
        expect(found.slice(0, earlier.length)).toEqual(earlier);
        expect(found.slice(1).map(({ startsAt }) => startsAt)).toEqual(
          found.slice(0, -1).map(({ endsAt }) => endsAt),
        );
        expect(found.at(-1)!.endsAt).toBe(listWeeks().at(-1)! + weekMs);
        for (const { name: partition, startsAt, endsAt } of found)
          expect(
            await tx.row(sql`
              select pg_get_expr(c.relpartbound, c.oid) as bounds from pg_class c where c.relname = ${partition}`),
          ).toEqual(
            await tx.row(sql`
              select format('FOR VALUES FROM (%L) TO (%L)', ${bound(name, startsAt!)}, ${bound(name, endsAt)}) as bounds`),
          );
        throw rollback;
      });
      await expect(work).rejects.toBe(rollback);
    },
  );

  test.skipIf(inject("engine") === "pglite")("of a new database do so too", async () => {
    const work = server.platform.db.transaction(async (tx) => {
      await tx.run(sql`create schema another`);
      await tx.run(sql`set local search_path = another`);
      await setChangingClocks(tx);
      await migrate(tx);
      const found = await listPartitions(tx, table);
      expect(found.slice(1).map(({ startsAt }) => startsAt)).toEqual(listWeeks());
      throw rollback;
    });
    await expect(work).rejects.toBe(rollback);
  });

  test("refuse no event when the partition of the week is missing", async () => {
    const { auth } = (await createWorkspace(server)).owner;
    const { id } = await queueRun(server, auth);
    const current = (await listNames()).at(-5)!;
    await server.platform.db.run(sql`drop table ${raw(current)}`);
    for (const sequence of [0, 1]) expect((await report(server, auth, id, event(sequence))).status).toBe(200);
    expect(await findPartitionOf(id)).toBe("automation_events_default");
    // The week cannot get a partition any more, and nothing fails because of it.
    await prune();
    expect(await listNames()).not.toContain(current);
    expect((await report(server, auth, id, event(2))).status).toBe(200);
    expect(await readEvents(server, auth, id)).toHaveLength(3);
    expect((await report(server, auth, id, event(2, { payload: {} }))).status).toBe(409);
    expect(await countEvents(id)).toBe(3);
    await server.platform.db.run(sql`delete from automation_events`);
    await prune();
    expect(await listNames()).toContain(current);
    expect(await findFirst()).toBe(current);
  });
});

describe("the retention of events", () => {
  const { server, listNames, prune, findFirst, findPartitionOf, countEvents, createOldRun } = createKit();

  test("hides events at once, and drops a partition when none of its events is kept", async () => {
    const [acme, globex] = [await createWorkspace(server), await createWorkspace(server)];
    const first = await findFirst();
    const [old, young] = [await createOldRun(acme.owner.auth, 91), await createOldRun(globex.owner.auth, 89)];
    const { id: recent } = await queueRun(server, acme.owner.auth);
    await report(server, acme.owner.auth, recent, event(0));
    expect([await findPartitionOf(old), await findPartitionOf(young)]).toEqual([first, first]);
    expect(await findPartitionOf(recent)).not.toBe(first);

    await prune();
    expect((await readRun(server, acme.owner.auth, old)).run.eventsPrunedAt).toBeTypeOf("number");
    expect(await readEvents(server, acme.owner.auth, old)).toEqual([]);
    expect(await readEvents(server, globex.owner.auth, young)).toHaveLength(2);
    // The rows wait for the drop, which the other organization still prevents.
    expect(await countEvents(old)).toBe(2);
    expect(await listNames()).toContain(first);

    await server.platform.db.run(
      sql`update automation_runs set finished_at = now() - interval '91 days' where id = ${young}`,
    );
    await prune();
    expect(await listNames()).not.toContain(first);
    expect([await countEvents(old), await countEvents(young), await countEvents(recent)]).toEqual([0, 0, 1]);
    expect(await server.platform.db.rows(sql`select 1 from automation_event_leftovers`)).toEqual([]);
    expect(await readEvents(server, acme.owner.auth, recent)).toHaveLength(1);
  });
});

describe("an organization that keeps events longer than others", () => {
  const { server, listNames, prune, findFirst, countEvents, createOldRun } = createKit();

  test("keeps its partition, from which the events of the others are deleted", async () => {
    const [acme, globex] = [await createWorkspace(server), await createWorkspace(server)];
    const first = await findFirst();
    const [waiting, kept] = [
      await createOldRun(acme.owner.auth, 91),
      await createOldRun(globex.owner.auth, 91),
    ];
    await server.call("/v1/automation-settings", {
      method: "PATCH",
      body: { eventRetentionDays: 365 },
      headers: globex.owner.auth,
    });
    await prune();
    expect(await listNames()).toContain(first);
    expect([await countEvents(waiting), await countEvents(kept)]).toEqual([0, 2]);
    expect(await readEvents(server, globex.owner.auth, kept)).toHaveLength(2);
  });

  test("does not delay events that waited for a drop by more than eight days", async () => {
    const [acme, globex] = [await createWorkspace(server), await createWorkspace(server)];
    // Globex is the longest, so its events wait. Then Acme keeps them longer.
    const waiting = await createOldRun(globex.owner.auth, 366);
    const kept = await createOldRun(acme.owner.auth, 1);
    const setRetention = (auth: Auth, eventRetentionDays: number) =>
      server.call("/v1/automation-settings", {
        method: "PATCH",
        body: { eventRetentionDays },
        headers: auth,
      });
    await setRetention(globex.owner.auth, 365);
    await prune();
    expect(await countEvents(waiting)).toBe(2);
    await setRetention(acme.owner.auth, 3650);
    await server.platform.db.run(
      sql`update automation_event_leftovers set due_at = due_at - interval '8 days'`,
    );
    await prune();
    expect([await countEvents(waiting), await countEvents(kept)]).toEqual([0, 2]);
  });
});
