/** Every figure of the reports is computed again here, from the rows, with other code. */
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { adminEnv, callAdmin, createAdmin, suspend } from "../../../test/admin.ts";
import {
  claim,
  complete,
  createRunner,
  event,
  loseLease,
  queueRun,
  report,
} from "../../../test/automations.ts";
import type { Body } from "../../../test/body.ts";
import {
  bootstrap,
  createWorkspace,
  joinWorkspace,
  type Person,
  useServer,
  type Workspace,
} from "../../../test/harness.ts";
import { beat, createWorker, passTime } from "../../../test/workers.ts";
import type { OrgId } from "../../platform/context.ts";
import { type Db, sql } from "../../platform/db/index.ts";
import { newId } from "../../platform/ids.ts";
import { rollUpDays } from "../automations/index.ts";
import { startDueAutomations } from "../automations/jobs.ts";
import { endOverdueRuns, removeOld } from "../automations/runs/index.ts";
import { measureDatabase } from "./overview/service.ts";

const server = useServer({ env: adminEnv });
let admin: Person;
beforeAll(async () => {
  admin = await createAdmin(server);
});
const ask = async (path: string): Promise<Body> => {
  const { status, body } = await callAdmin(server, admin, path);
  if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
  return body;
};
const rollUp = () => rollUpDays(server.platform, Date.now() + 30_000);
const db = () => server.platform.db;

const hour = 3_600_000;
const day = 24 * hour;
const names = ["succeeded", "failed", "cancelled", "skipped"] as const;

interface Figures {
  [name: string]: number;
}

const createFigures = (): Figures => ({
  ...{ runs: 0, succeeded: 0, failures: 0, cancelled: 0, skipped: 0, costMicros: 0, inputTokens: 0 },
  ...{ outputTokens: 0, reports: 0, unpricedReports: 0, heldReports: 0 },
});

/** The figures of each key, from all rows between two times. */
async function recompute(from: number, to: number, toKey: (orgId: string, time: number) => string) {
  const found = new Map<string, Figures>();
  const at = (orgId: string, time: number) => {
    const key = toKey(orgId, time);
    const figures = found.get(key) ?? createFigures();
    found.set(key, figures);
    return figures;
  };
  const runs = await db().rows<{ orgId: string; status: string; finishedAt: number | null }>(
    sql`select org_id as "orgId", status, finished_at as "finishedAt" from automation_runs`,
  );
  for (const { orgId, status, finishedAt } of runs) {
    if (finishedAt === null || finishedAt < from || finishedAt >= to) continue;
    const figures = at(orgId, finishedAt);
    figures.runs!++;
    figures[status === "failed" ? "failures" : status]!++;
  }
  interface ReportRow {
    orgId: string;
    reportedAt: number;
    input: number;
    output: number;
    cost: number;
    state: string;
    source: string;
  }
  const reports = await db().rows<ReportRow>(sql`
    select org_id as "orgId", reported_at as "reportedAt", input_tokens as input, output_tokens as output,
      cost_micros as cost, state, cost_source as source from automation_usage`);
  for (const { orgId, reportedAt, input, output, cost, state, source } of reports) {
    if (reportedAt < from || reportedAt >= to) continue;
    const figures = at(orgId, reportedAt);
    figures.reports!++;
    if (state === "held") figures.heldReports!++;
    else if (source === "unpriced") figures.unpricedReports!++;
    figures.inputTokens! += input;
    figures.outputTokens! += output;
    figures.costMicros! += cost;
  }
  return found;
}

/** Reads all pages of a usage report. */
async function readUsage(query: string): Promise<{ items: Body[]; totals: Figures }> {
  const items: Body[] = [];
  for (let cursor: string | null = ""; ; ) {
    const page: Body = await ask(
      `usage?${query}&limit=${13 + (query.length % 40)}${cursor && `&cursor=${cursor}`}`,
    );
    items.push(...page.items);
    cursor = page.nextCursor;
    if (cursor === null) return { items, totals: page.totals };
  }
}

const startOfDay = (time: number) => time - (time % day);
const formatDay = (time: number) => new Date(time).toISOString().slice(0, 10);
const starts = {
  day: (time: number) => formatDay(time),
  // 1970 began on a Thursday, so the first Monday was the fifth of January.
  week: (time: number) => formatDay(time - ((startOfDay(time) - 4 * day) % (7 * day)) - (time % day)),
  month: (time: number) => `${formatDay(time).slice(0, 7)}-01`,
};

/** Compares every report of the last `days` days with the rows. */
async function compare(days: number): Promise<void> {
  const to = startOfDay(Date.now()) + day;
  const from = to - days * day;
  const range = `from=${from}&to=${to - 1}`;
  const total = (await recompute(from, to, () => "all")).get("all") ?? createFigures();
  for (const interval of ["day", "week", "month"] as const) {
    const expected = await recompute(from, to, (_, time) => starts[interval](time));
    const { items, totals } = await readUsage(`${range}&interval=${interval}`);
    expect(totals).toEqual(total);
    for (const { start, organizationId: _, organizationName: __, ...figures } of items)
      expect(figures, `${interval} ${start}`).toEqual(expected.get(start) ?? createFigures());
    expect(items.map(({ start }) => start)).toEqual(
      items
        .map(({ start }) => start)
        .toSorted()
        .reverse(),
    );
    expect(items.map(({ start }) => start)).toEqual(expect.arrayContaining([...expected.keys()]));
    const groups = await recompute(from, to, (orgId, time) => `${starts[interval](time)} ${orgId}`);
    const grouped = await readUsage(`${range}&interval=${interval}&groupBy=organization`);
    const found = grouped.items.map(({ start, organizationId, organizationName: _, ...figures }) => [
      `${start} ${organizationId}`,
      figures,
    ]);
    expect(found).toEqual([...groups].toSorted(([a], [b]) => (a < b ? 1 : -1)));
  }
  const overview = await ask(`overview?days=${days}`);
  const { queued, running, ...ended } = overview.runs;
  expect(ended).toEqual({
    total: total.runs,
    ...Object.fromEntries(names.map((name) => [name, total[name === "failed" ? "failures" : name]])),
  });
  expect(overview).toMatchObject({ costMicros: total.costMicros, failures: total.failures });
  const live = await db().rows<{ status: string }>(sql`select status from automation_runs`);
  expect({ queued, running }).toEqual({
    queued: live.filter(({ status }) => status === "queued").length,
    running: live.filter(({ status }) => status === "running").length,
  });
  const byOrganization = await recompute(from, to, (orgId) => orgId);
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page: Body = await ask(`organizations?days=${days}&limit=3${cursor && `&cursor=${cursor}`}`);
    for (const { id, runs, failures, costMicros } of page.items)
      expect({ runs, failures, costMicros }).toEqual(
        (({ runs, failures, costMicros }) => ({ runs, failures, costMicros }))(
          byOrganization.get(id) ?? createFigures(),
        ),
      );
    cursor = page.nextCursor;
  }
}

/** An organization that has existed for long, with an automation. */
async function createOldOrganization() {
  const workspace = await createWorkspace(server);
  await db().run(
    sql`update organizations set created_at = now() - interval '61 days' where id = ${workspace.orgId}`,
  );
  return workspace;
}

const toTimestamp = (ms: number) => sql`to_timestamp(${ms}::bigint / 1000.0)`;

interface Input {
  org: number;
  daysAgo: number;
  /** Position in the day, up to its last millisecond. */
  ms: number;
  status: (typeof names)[number];
  report: number;
  cost: number;
  tokens: number;
  held: boolean;
}

const input: fc.Arbitrary<Input> = fc.record({
  org: fc.nat(1),
  daysAgo: fc.oneof(fc.nat(3), fc.nat(60)),
  ms: fc.oneof(fc.constantFrom(0, 1, day - 1), fc.nat(day - 1)),
  status: fc.constantFrom(...names),
  report: fc.nat(3),
  cost: fc.oneof(fc.constant(0), fc.nat(1_000_000)),
  tokens: fc.nat(10_000),
  held: fc.boolean(),
});

describe("the figures of the reports", () => {
  test("are those of the rows, whatever was added up before, corrected later or sent twice", async () => {
    const organizations = [await createOldOrganization(), await createOldOrganization()];
    const insert = async ({ org, daysAgo, ms, status, report, cost, tokens, held }: Input, key: string) => {
      const { orgId, owner } = organizations[org]!;
      const at = toTimestamp(Math.min(startOfDay(Date.now()) - daysAgo * day + ms, Date.now()));
      const runId = `run_${key}`;
      await db().run(sql`
        insert into automation_runs (id, org_id, automation_id, revision, member_id, trigger, status, finished_at)
        values (${runId}, ${orgId}, 'aut_x', 1, ${owner.userId}, 'manual', ${status}, ${at}) on conflict do nothing`);
      // The second report of the same number is a repetition, and counts nothing.
      for (const _ of [1, 2])
        await db().run(sql`
          insert into automation_usage (run_id, attempt, report, org_id, automation_id, member_id, input_tokens,
            output_tokens, cost_micros, reported_at, state, cost_source, reported)
          values (${runId}, 1, ${report}, ${orgId}, 'aut_x', ${owner.userId}, ${held ? 0 : tokens},
            ${held ? 0 : tokens * 2}, ${held ? 0 : cost}, ${at}, ${held ? "held" : "counted"},
            ${cost === 0 ? "unpriced" : "reported"}, '{}')
          on conflict do nothing`);
      return { runId, report };
    };
    let keys = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(input, { minLength: 1, maxLength: 12 }),
        fc.array(fc.record({ correct: fc.nat(20), cost: fc.nat(5_000), rollUp: fc.boolean() }), {
          maxLength: 5,
        }),
        fc.array(input, { maxLength: 4 }),
        fc.integer({ min: 1, max: 70 }),
        async (past, corrections, late, days) => {
          const sent = [];
          for (const one of past) {
            const today = sql`(now() at time zone 'UTC')::date`;
            await db().run(sql`
              update usage_rollups set completed_at = null where day = ${today} - ${one.daysAgo}::int`);
            sent.push(await insert(one, `${++keys}`));
          }
          await rollUp();
          for (const { correct, cost, rollUp: again } of corrections) {
            const { runId, report } = sent[correct % sent.length]!;
            await db().run(sql`
              update automation_usage set cost_micros = ${cost}, state = 'corrected'
              where run_id = ${runId} and report = ${report}`);
            if (again) await rollUp();
          }
          // Whatever comes after a day was added up belongs to today: for a new run or for an old one.
          for (const one of late) {
            await insert({ ...one, daysAgo: 0 }, `${++keys}`);
            await insert({ ...one, daysAgo: 0, report: 9 }, `${(keys % sent.length) + keys - sent.length}`);
          }
          await compare(days);
        },
      ),
      { numRuns: 6 },
    );
    await db().run(sql`update usage_rollups set completed_at = null`);
    await compare(70);
  });

  test("keep the runs of a day whose runs were removed, when one of its reports is corrected", async () => {
    const { orgId, owner } = await createOldOrganization();
    const at = toTimestamp(Date.now() - 50 * day);
    await db().run(sql`
      insert into automation_runs (id, org_id, automation_id, revision, member_id, trigger, status, finished_at)
      select 'run_pruned' || n, ${orgId}, 'aut_x', 1, ${owner.userId}, 'manual', s, ${at}
      from unnest(array['succeeded', 'succeeded', 'failed']) with ordinality as x(s, n)`);
    await db().run(sql`
      insert into automation_usage (run_id, attempt, report, org_id, automation_id, member_id, input_tokens,
        output_tokens, cost_micros, reported_at)
      values ('run_pruned1', 1, -1, ${orgId}, 'aut_x', ${owner.userId}, 1, 1, 500, ${at})`);
    await db().run(sql`update usage_rollups set completed_at = null`);
    await rollUp();
    await removeOld(db(), orgId as OrgId, 40, 100);
    await db().run(sql`
      update automation_usage set cost_micros = 700, state = 'corrected' where run_id = 'run_pruned1'`);
    const read = async () => (await ask(`organizations/${orgId}?days=60`)).organization;
    const figures = { runs: 3, failures: 1, costMicros: 700 };
    expect(await read()).toMatchObject(figures);
    await rollUp();
    expect(await read()).toMatchObject(figures);
  });

  test("are added up again for the organization and day of a correction only", async () => {
    const [one, other] = [await createOldOrganization(), await createOldOrganization()];
    const ago = (days: number) => toTimestamp(Date.now() - days * day);
    const insert = ({ orgId, owner }: Workspace, runId: string, days: number) =>
      db().run(sql`
        insert into automation_usage (run_id, attempt, report, org_id, automation_id, member_id, input_tokens,
          output_tokens, cost_micros, reported_at)
        values (${runId}, 1, -1, ${orgId}, 'aut_x', ${owner.userId}, 1, 1, 500, ${ago(days)})`);
    await insert(one, "run_reopen1", 20);
    await insert(one, "run_reopen2", 21);
    await insert(other, "run_reopen3", 20);
    await db().run(sql`update usage_rollups set completed_at = null`);
    await rollUp();
    // A stored figure that the rows do not have shows that a day was not added up again.
    await db().run(sql`update usage_days set cost_micros = 9000 where org_id = ${other.orgId}`);
    const read = async ({ orgId }: Workspace) =>
      (await ask(`organizations/${orgId}?days=60`)).organization.costMicros;
    await db().run(sql`update automation_usage set cost_micros = 700 where run_id = 'run_reopen1'`);
    for (const _ of [1, 2]) {
      expect([await read(one), await read(other)]).toEqual([1_200, 9_000]);
      await rollUp();
    }
    expect(await db().rows(sql`select from usage_reopened_days where org_id = ${one.orgId}`)).toEqual([]);
    await db().run(sql`update usage_rollups set completed_at = null`);
    await rollUp();
  });

  test("have a correction that commits while its day is added up", async () => {
    const workspace = await createOldOrganization();
    const { orgId, owner } = workspace;
    await db().run(sql`
      insert into automation_usage (run_id, attempt, report, org_id, automation_id, member_id, input_tokens,
        output_tokens, cost_micros, reported_at)
      values ('run_meanwhile', 1, -1, ${orgId}, 'aut_x', ${owner.userId}, 1, 1, 1,
        ${toTimestamp(Date.now() - 30 * day)})`);
    await db().run(sql`update usage_rollups set completed_at = null`);
    await rollUp();
    const correct = (tx: Db, costMicros: number) =>
      tx.run(sql`update automation_usage set cost_micros = ${costMicros} where run_id = 'run_meanwhile'`);
    await correct(db(), 2);
    let added: Promise<unknown> | undefined;
    await db().transaction(async (tx) => {
      await correct(tx, 3);
      // The day is open because of the first correction. The roll-up must not miss the second one.
      if (db().kind === "postgres") {
        added = rollUp();
        await new Promise((done) => setTimeout(done, 200));
      }
    });
    await added;
    const read = async () => (await ask(`organizations/${orgId}?days=60`)).organization.costMicros;
    expect(await read()).toBe(3);
    await rollUp();
    expect(await read()).toBe(3);
  });

  test("include runs that programs reported late, twice and in another order", async () => {
    const { owner } = await createWorkspace(server);
    const usage = (costMicros: number) => ({ inputTokens: 10, outputTokens: 5, costMicros });
    const report1 = event(1, { type: "usage", payload: usage(100) });
    const first = await queueRun(server, owner.auth);
    await claim(server, owner.auth, first.id);
    await report(server, owner.auth, first.id, event(0));
    for (const _ of [1, 2])
      expect((await report(server, owner.auth, first.id, report1)).status).toBeLessThan(300);
    expect((await report(server, owner.auth, first.id, event(5))).status).toBe(409);
    // The lease is lost; what the first attempt still reports is refused and kept apart.
    await loseLease(server, first.id);
    await endOverdueRuns(server.platform);
    await claim(server, owner.auth, first.id);
    const late = event(2, { type: "usage", payload: usage(7_777) });
    expect((await report(server, owner.auth, first.id, late)).status).toBe(409);
    const end = { attempt: 2, status: "succeeded", usage: usage(50) };
    for (const _ of [1, 2]) expect((await complete(server, owner.auth, first.id, end)).status).toBe(200);
    const second = await queueRun(server, owner.auth);
    await claim(server, owner.auth, second.id);
    const failed = {
      attempt: 1,
      status: "failed",
      error: { message: "No.", retryable: false },
      usage: usage(0),
    };
    await complete(server, owner.auth, second.id, failed);
    expect((await complete(server, owner.auth, second.id, { ...failed, status: "succeeded" })).status).toBe(
      409,
    );
    await queueRun(server, owner.auth);
    await startDueAutomations(server.platform);
    await compare(2);
  });
});

describe("the overview", () => {
  test("counts organizations, members, accounts and waiting work as the rows show them", async () => {
    const stopped = await createWorkspace(server);
    await queueRun(server, stopped.owner.auth);
    await suspend(server, admin, stopped.orgId);
    await bootstrap(server);
    const left = await joinWorkspace(server, stopped, "member");
    await db().run(sql`update members set deactivated_at = now() where id = ${left.memberId}`);
    await db().run(sql`
      insert into two_factors (user_id, secret, confirmed_at) values (${left.userId}, 'x', now())`);
    await db().run(sql`
      insert into passkeys (id, user_id, credential_id, public_key, synced, name)
      values (${newId("psk")}, ${left.userId}, 'x', 'x', true, 'x'),
        (${newId("psk")}, ${stopped.owner.userId}, 'y', 'y', true, 'y')`);
    await db().run(sql`
      update sessions set last_used_at = now() - interval '8 days' where user_id = ${left.userId}`);

    const { organizations, members, users, queue } = await ask("overview");
    type Rows = Record<string, string | number | boolean | null>[];
    const rows = async (text: string) => (await db().queryWithDriverTypes(text, [])).rows as Rows;
    const orgs = await rows("select suspended_at, provisional_until from organizations");
    const suspended = orgs.filter((one) => one.suspended_at !== null);
    const provisional = orgs.filter((one) => one.suspended_at === null && one.provisional_until !== null);
    expect(organizations).toEqual({
      total: orgs.length,
      active: orgs.length - suspended.length - provisional.length,
      suspended: suspended.length,
      provisional: provisional.length,
    });
    const everybody = await rows("select deactivated_at from members");
    const active = everybody.filter((one) => one.deactivated_at === null).length;
    expect(members).toEqual({ total: everybody.length, active, deactivated: everybody.length - active });
    const people = (await rows("select id, email_verified, provisional from users")).filter(
      (one) => !one.provisional,
    );
    const ids = async (text: string) => new Set((await rows(text)).map(({ user_id }) => user_id));
    const [apps, passkeys, recent] = [
      await ids("select user_id from two_factors where confirmed_at is not null"),
      await ids("select user_id from passkeys"),
      await ids("select user_id from sessions where last_used_at > now() - interval '7 days'"),
    ];
    expect(users).toEqual({
      total: people.length,
      verified: people.filter((one) => one.email_verified).length,
      withSecondFactor: people.filter(({ id }) => apps.has(id!) || passkeys.has(id!)).length,
      activeLastWeek: people.filter(({ id }) => recent.has(id!)).length,
    });
    const stoppedIds = new Set(
      (await rows("select id from organizations where suspended_at is not null")).map(({ id }) => id),
    );
    const queued = await rows("select org_id, queued_at from automation_runs where status = 'queued'");
    const waiting = queued.filter(({ org_id }) => !stoppedIds.has(org_id!));
    expect(waiting.length).toBeLessThan(queued.length);
    const runs = queue.items.find(({ name }: { name: string }) => name === "runs");
    expect(runs).toMatchObject({ waiting: waiting.length, delayed: 0 });
    expect(queue.depth).toBe(
      queue.items.reduce((sum: number, one: { waiting: number }) => sum + one.waiting, 0),
    );
    expect(queue.ageMs).toBe(Math.max(...queue.items.map((one: { ageMs: number | null }) => one.ageMs ?? 0)));
    const jobs = await rows(
      "select name, count(*)::int as count from pgboss.job where state in ('created', 'retry') group by name",
    );
    for (const { name, count } of jobs) {
      const item = queue.items.find((one: { name: string }) => one.name === name);
      expect(item.waiting + item.delayed, String(name)).toBe(count);
    }
  });

  test("shows the age of the oldest waiting run, and the size and growth of the database", async () => {
    const { owner } = await createWorkspace(server);
    const run = await queueRun(server, owner.auth);
    await db().run(
      sql`update automation_runs set queued_at = now() - interval '3 days' where id = ${run.id}`,
    );
    await db().run(sql`
      insert into database_sizes (day, bytes) select (now() at time zone 'UTC')::date - n, 1000 - n
      from generate_series(1, 40) n`);
    await measureDatabase(server.platform);
    await measureDatabase(server.platform);
    const { queue, database, version } = await ask("overview?days=8");
    expect(queue.ageMs).toBeGreaterThan(3 * day - hour);
    expect(queue.ageMs).toBeLessThan(3 * day + hour);
    expect(database.history).toHaveLength(8);
    expect(database.history[0]).toEqual({ day: formatDay(Date.now() - 7 * day), bytes: 993 });
    expect(database.bytes).toBeGreaterThan(1_000_000);
    expect(database.growthBytes).toBe(database.bytes - 993);
    const today = database.history.at(-1);
    expect(today.day).toBe(formatDay(Date.now()));
    expect(today.bytes).toBeGreaterThan(1_000_000);
    const migrations = await db().row<{ newest: number }>(
      sql`select max(version) as newest from schema_migrations`,
    );
    expect(version).toMatchObject({ node: process.version, migration: migrations!.newest });
  });

  test("shows the states of workers and the runners that are in contact", async () => {
    const { owner } = await createWorkspace(server);
    const before = (await ask("overview")).workers;
    const [idle, busy, lost] = [1, 2, 3].map(() => createWorker(server, owner.auth));
    await createWorker(server, owner.auth);
    await beat(server, await idle!, 1);
    await beat(server, await busy!, 1, { status: "busy" });
    await beat(server, await lost!, 1);
    await passTime(server, (await lost!).id, 7 * 24 * 3600);
    for (const _ of [1, 2]) await createRunner(server, owner.auth);
    await db().run(sql`
      update automation_runners set last_seen_at = now() - interval '6 minutes'
      where id = (select max(id) from automation_runners)`);
    const { workers } = await ask("overview");
    const rows = await db().rows<{ id: string }>(sql`select id from workers`);
    expect(workers.total).toBe(rows.length);
    const runners = await db().rows<{ seen: boolean }>(
      sql`select last_seen_at > now() - interval '5 minutes' as seen from automation_runners`,
    );
    expect(workers).toMatchObject({
      runners: runners.length,
      runnersSeen: runners.filter(({ seen }) => seen).length,
    });
    const more = Object.fromEntries(
      Object.entries<number>(workers.states).map(([state, count]) => [state, count - before.states[state]]),
    );
    expect(more).toMatchObject({ never_connected: 1, idle: 1, busy: 1, lost: 1, online: 0, stale: 0 });
  });

  test("an organization shows the storage that was measured", async () => {
    const { orgId } = await createWorkspace(server);
    await db().run(sql`
      insert into organization_usage (org_id, quota, used) values
        (${orgId}, 'template_storage', 1200), (${orgId}, 'webhook_storage', 34)
      on conflict (org_id, quota) do update set used = excluded.used`);
    // The server measures storage in the background, so both sides may change between two reads.
    await expect
      .poll(async () => {
        const rows = await db().rows<{ used: number }>(
          sql`select used from organization_usage where org_id = ${orgId}`,
        );
        const { organization } = await ask(`organizations/${orgId}`);
        return organization.storageBytes - rows.reduce((sum, { used }) => sum + used, 0);
      })
      .toBe(0);
  });
});

test("a report refuses a time that is too long, or that ends before it begins", async () => {
  const now = Date.now();
  for (const query of [
    `from=${now}&to=${now - 2 * day}`,
    `from=${now - 401 * day}`,
    "interval=year",
    "from=x",
  ])
    expect((await callAdmin(server, admin, `usage?${query}`)).status).toBe(400);
  const { from, to, items } = await ask("usage?limit=100");
  expect([from, to]).toEqual([formatDay(now - 29 * day), formatDay(now)]);
  expect(items).toHaveLength(30);
});
