import { beforeAll, describe, expect, test } from "vitest";
import {
  type Auth,
  claim,
  complete,
  createAutomation,
  event,
  everyDay,
  loseLease,
  queueRun,
  readRun,
  report,
  reportBatch,
  runNow,
} from "../../../../test/automations.ts";
import { createWorkspace, joinWorkspace, useServer, verifyAddress } from "../../../../test/harness.ts";
import { fanOut, mail, mailsTo } from "../../../../test/notifications.ts";
import { sql } from "../../../platform/db/index.ts";
import { startDueAutomations } from "../jobs.ts";
import { stopOrganization } from "../runs/index.ts";

const server = useServer();
let auth: Auth;

const usageEvent = (sequence: number, costMicros: number, more: Record<string, unknown> = {}) =>
  event(sequence, { type: "usage", payload: { inputTokens: 1, outputTokens: 2, costMicros }, ...more });
const usage = async (query = "", headers = auth) =>
  (await server.call(`/v1/automation-usage?${query}`, { headers })).body;
const settle = (body: Record<string, unknown>, headers = auth) =>
  server.call("/v1/automation-settings", { method: "PATCH", body, headers });

describe("usage", () => {
  beforeAll(async () => {
    auth = (await createWorkspace(server)).owner.auth;
  });

  test("each report counts once, even when it is repeated, and a second attempt counts too", async () => {
    const run = await queueRun(server, auth);
    await report(server, auth, run.id, usageEvent(0, 100));
    await report(server, auth, run.id, usageEvent(0, 100));
    await reportBatch(server, auth, run.id, [usageEvent(0, 100), usageEvent(1, 10), event(2)]);
    await reportBatch(server, auth, run.id, [usageEvent(0, 100), usageEvent(1, 10), event(2)]);
    expect((await readRun(server, auth, run.id)).usage).toEqual({
      inputTokens: 2,
      outputTokens: 4,
      costMicros: 110,
      priced: true,
    });
    await loseLease(server, run.id);
    await claim(server, auth, run.id);
    await report(server, auth, run.id, usageEvent(0, 1000, { attempt: 2 }));
    // Late and refused: it counts nothing.
    expect((await report(server, auth, run.id, usageEvent(3, 5000))).status).toBe(409);
    const done = { attempt: 2, status: "succeeded", usage: { costMicros: 10_000 } };
    await complete(server, auth, run.id, done);
    await complete(server, auth, run.id, done);
    expect((await readRun(server, auth, run.id)).usage.costMicros).toBe(11_110);
    expect(await usage(`automationId=${run.automationId}`)).toMatchObject({ totals: { costMicros: 11_110 } });
  });

  test("is listed page by page, also with the longest names of models", async () => {
    const { owner } = await createWorkspace(server);
    const models = ["模", "型"].map((letter) => letter.repeat(200));
    for (const model of models) {
      const run = await queueRun(server, owner.auth);
      await complete(server, owner.auth, run.id, {
        attempt: 1,
        status: "succeeded",
        usage: { costMicros: 1, model },
      });
    }
    const { items, nextCursor } = await usage("groupBy=model&limit=1", owner.auth);
    const rest = await usage(`groupBy=model&limit=1&cursor=${nextCursor}`, owner.auth);
    expect([items[0].key, rest.items[0].key].sort()).toEqual(models.toSorted());
  });

  test("the name of a model has as many characters in an event as in a completion", async () => {
    const { owner } = await createWorkspace(server);
    const model = "🚂".repeat(200);
    const run = await queueRun(server, owner.auth);
    await report(server, owner.auth, run.id, usageEvent(0, 1, { payload: { costMicros: 1, model } }));
    const done = { attempt: 1, status: "succeeded", usage: { costMicros: 1, model } };
    expect((await complete(server, owner.auth, run.id, done)).status).toBe(200);
    expect(await usage("groupBy=model", owner.auth)).toMatchObject({
      items: [{ key: model, costMicros: 2 }],
    });
    const longer = await queueRun(server, owner.auth);
    const payload = { costMicros: 4, model: `${model}🚂` };
    expect((await report(server, owner.auth, longer.id, usageEvent(0, 4, { payload }))).status).toBe(200);
    expect((await usage("groupBy=model", owner.auth)).items).toHaveLength(2);
  });

  test("a refused batch counts nothing", async () => {
    const run = await queueRun(server, auth);
    await reportBatch(server, auth, run.id, [usageEvent(0, 100), usageEvent(5, 100)]);
    expect((await readRun(server, auth, run.id)).usage.costMicros).toBe(0);
  });

  test("a payload that is not usage is stored as an ordinary event", async () => {
    const run = await queueRun(server, auth);
    const payloads = [
      {},
      { costMicros: "5" },
      { costMicros: -5 },
      { inputTokens: 1.5 },
      { costMicros: 2 ** 53 },
    ];
    for (const [n, payload] of payloads.entries()) {
      expect((await report(server, auth, run.id, event(n, { type: "usage", payload }))).status).toBe(200);
    }
    expect((await readRun(server, auth, run.id)).usage.costMicros).toBe(0);
  });

  test("is summed by run, automation, member, model and day, over the runs that the caller may see", async () => {
    const globex = await createWorkspace(server, "Globex");
    const headers = globex.owner.auth;
    const member = await joinWorkspace(server, globex, "member");
    const model = { providerId: "p", modelId: "large" };
    const automation = await createAutomation(server, headers, { model });
    const [first, second] = [
      await runNow(server, headers, automation.id),
      await runNow(server, headers, automation.id),
    ];
    const theirs = await queueRun(server, member.auth);
    await complete(server, headers, first.id, { attempt: 1, status: "succeeded", usage: { costMicros: 1 } });
    await report(
      server,
      headers,
      second.id,
      usageEvent(0, 20, { payload: { costMicros: 20, model: "small" } }),
    );
    await complete(server, member.auth, theirs.id, {
      attempt: 1,
      status: "failed",
      usage: { costMicros: 300 },
    });
    const costs = async (groupBy: string, as = headers) =>
      Object.fromEntries(
        (await usage(`groupBy=${groupBy}`, as)).items.map((one: { key: string; costMicros: number }) => [
          one.key,
          one.costMicros,
        ]),
      );
    expect(await costs("run")).toEqual({ [first.id]: 1, [second.id]: 20, [theirs.id]: 300 });
    expect(await costs("automation")).toEqual({ [automation.id]: 21, [theirs.automationId]: 300 });
    expect(await costs("member")).toEqual({ [first.memberId]: 21, [theirs.memberId]: 300 });
    expect(await costs("model")).toEqual({ large: 1, small: 20, null: 300 });
    expect(await costs("day")).toEqual({ [new Date().toISOString().slice(0, 10)]: 321 });
    expect((await usage("groupBy=day", headers)).items[0].runs).toBe(3);
    expect(await costs("member", member.auth)).toEqual({ [theirs.memberId]: 300 });
    expect((await usage(`memberId=${first.memberId}`, member.auth)).totals.costMicros).toBe(0);
    expect((await usage(`toAt=${first.createdAt}`, headers)).totals.costMicros).toBe(0);
    const page = await usage("groupBy=run&limit=2", headers);
    expect(page.items.map((one: { key: string }) => one.key)).toEqual([theirs.id, second.id]);
    const rest = await usage(`groupBy=run&limit=2&cursor=${page.nextCursor}`, headers);
    expect(rest).toMatchObject({ items: [{ key: first.id }], nextCursor: null });
  });

  test("a hundred usage reports at the same moment have an exact sum", async () => {
    const runs = await Promise.all(Array.from({ length: 10 }, () => queueRun(server, auth)));
    const before = (await server.call("/v1/automation-budget", { headers: auth })).body.budget.spentMicros;
    await Promise.all(
      runs.map(async ({ id }) => {
        for (let n = 0; n < 10; n++) await report(server, auth, id, usageEvent(n, 3));
      }),
    );
    const after = (await server.call("/v1/automation-budget", { headers: auth })).body.budget.spentMicros;
    expect(after - before).toBe(300);
  });
});

describe("budgets", () => {
  test("a run over its budget is asked to stop", async () => {
    const { auth } = (await createWorkspace(server, "Initech")).owner;
    await settle({ runBudgetMicros: 100 }, auth);
    const run = await queueRun(server, auth);
    await report(server, auth, run.id, usageEvent(0, 99));
    const beat = () =>
      server.call(`/v1/automation-runs/${run.id}/heartbeat`, { body: { attempt: 1 }, headers: auth });
    expect((await beat()).body.cancelRequested).toBe(false);
    await report(server, auth, run.id, usageEvent(1, 1));
    expect((await beat()).body.cancelRequested).toBe(true);
    const done = await complete(server, auth, run.id, { attempt: 1, status: "cancelled" });
    expect(done.body.run).toMatchObject({ status: "cancelled", reason: "run_budget_exceeded" });
  });

  test("a completion over the budget does not ask the ended run to stop, and its repeat has the same reply", async () => {
    const { auth } = (await createWorkspace(server, "Umbrella")).owner;
    await settle({ runBudgetMicros: 100 }, auth);
    const run = await queueRun(server, auth);
    const done = { attempt: 1, status: "succeeded", usage: { costMicros: 500 } };
    const first = await complete(server, auth, run.id, done);
    expect(first).toMatchObject({ status: 200, body: { run: { cancelRequestedAt: null } } });
    expect((await complete(server, auth, run.id, done)).body).toEqual(first.body);
  });

  test("a monthly budget warns once, then stops active runs and skips queued and new ones", async () => {
    const workspace = await createWorkspace(server, "Hooli");
    const { auth } = workspace.owner;
    await settle({ monthlyBudgetMicros: 1000, budgetWarningPercent: 50 }, auth);
    const budget = async () => (await server.call("/v1/automation-budget", { headers: auth })).body.budget;
    await verifyAddress(server, workspace.owner);
    const mails = async () => {
      await fanOut(server);
      await mail(server, { later: false });
      return (await mailsTo(server, workspace.owner.email)).map(({ subject }) => subject);
    };
    const scheduled = await createAutomation(server, auth, { schedule: everyDay });
    const [spender, running, waiting] = [
      await queueRun(server, auth),
      await queueRun(server, auth),
      await queueRun(server, auth),
    ];
    await claim(server, auth, running.id);
    expect((await budget()).state).toBe("within");
    await report(server, auth, spender.id, usageEvent(0, 600));
    await report(server, auth, spender.id, usageEvent(1, 1));
    expect(await budget()).toMatchObject({ state: "warned", spentMicros: 601, monthlyBudgetMicros: 1000 });
    expect(await mails()).toEqual(["Hooli: 50 % of this month's budget is spent"]);

    await report(server, auth, spender.id, usageEvent(2, 400));
    expect((await budget()).state).toBe("exceeded");
    expect(await mails()).toHaveLength(2);
    await stopOrganization.handle(server.platform, { orgId: workspace.orgId });
    expect((await readRun(server, auth, spender.id)).run.cancelRequestedAt).toBeTypeOf("number");
    expect((await readRun(server, auth, running.id)).run.cancelRequestedAt).toBeTypeOf("number");
    expect((await readRun(server, auth, waiting.id)).run).toMatchObject({
      status: "skipped",
      reason: "monthly_budget_exceeded",
    });
    const refused = await server.call(`/v1/automations/${scheduled.id}/run`, {
      method: "POST",
      headers: auth,
    });
    expect(refused).toMatchObject({ status: 409, body: { error: "monthly_budget_exceeded" } });
    await server.platform.db.run(sql`update automations set next_run_at = now() where id = ${scheduled.id}`);
    await startDueAutomations(server.platform);
    const { body } = await server.call(`/v1/automation-runs?automationId=${scheduled.id}`, { headers: auth });
    expect(body.items).toMatchObject([{ status: "skipped", reason: "monthly_budget_exceeded" }]);

    await settle({ monthlyBudgetMicros: 5000 }, auth);
    expect((await budget()).state).toBe("within");
    await runNow(server, auth, scheduled.id);
    // A changed budget is news again.
    const another = await queueRun(server, auth);
    await report(server, auth, another.id, usageEvent(0, 2000));
    expect(await mails()).toHaveLength(3);
  });

  test("only members who manage automations may change the settings; everybody may read them", async () => {
    const workspace = await createWorkspace(server, "Umbrella");
    const member = await joinWorkspace(server, workspace, "member");
    expect((await settle({ runBudgetMicros: 1 }, member.auth)).status).toBe(403);
    const changed = await settle({ runBudgetMicros: 1 }, workspace.owner.auth);
    const seen = await server.call("/v1/automation-settings", { headers: member.auth });
    expect(seen.body).toEqual(changed.body);
    expect(seen.body.settings).toMatchObject({ runBudgetMicros: 1, eventRetentionDays: 90 });
    expect((await settle({ eventRetentionDays: 0 }, workspace.owner.auth)).status).toBe(400);
    expect(
      (await settle({ runBudgetMicros: null }, workspace.owner.auth)).body.settings.runBudgetMicros,
    ).toBeNull();
  });
});

describe("an implausible report", () => {
  const budget = async (headers: Auth) =>
    (await server.call("/v1/automation-budget", { headers })).body.budget;
  const correct = (headers: Auth, id: string, body: Record<string, unknown>) =>
    server.call(`/v1/automation-runs/${id}/usage-corrections`, {
      body: {
        attempt: 1,
        inputTokens: 0,
        outputTokens: 0,
        costMicros: 0,
        reason: "It was a typing error.",
        ...body,
      },
      headers,
    });

  test("is stored and held, and does not exhaust a month's budget", async () => {
    const { auth } = (await createWorkspace(server, "Soylent")).owner;
    await settle({ monthlyBudgetMicros: 10_000 }, auth);
    const run = await queueRun(server, auth);
    // The cost of a whole monthly budget, the largest number, and an implausible number of tokens.
    expect((await report(server, auth, run.id, usageEvent(0, 10_000))).status).toBe(200);
    expect((await report(server, auth, run.id, usageEvent(1, Number.MAX_SAFE_INTEGER))).status).toBe(200);
    const tokens = { inputTokens: 2e9, outputTokens: 0, costMicros: 1 };
    expect((await report(server, auth, run.id, event(2, { type: "usage", payload: tokens }))).status).toBe(
      200,
    );
    expect(await budget(auth)).toMatchObject({ spentMicros: 0, state: "within", heldReports: 3 });
    expect((await readRun(server, auth, run.id)).run.cancelRequestedAt).toBeNull();
    // The same report again is not held a second time.
    expect((await report(server, auth, run.id, usageEvent(0, 10_000))).status).toBe(200);
    const done = { attempt: 1, status: "succeeded", usage: { costMicros: 50_000 } };
    expect((await complete(server, auth, run.id, done)).status).toBe(200);
    expect(await budget(auth)).toMatchObject({ spentMicros: 0, heldReports: 4 });

    const first = (await server.call("/v1/automation-usage/held?limit=2", { headers: auth })).body;
    const rest = (
      await server.call(`/v1/automation-usage/held?limit=2&cursor=${first.nextCursor}`, { headers: auth })
    ).body;
    expect([...first.items, ...rest.items]).toMatchObject([
      { runId: run.id, sequence: 2, reported: tokens },
      { sequence: 1, reported: { costMicros: Number.MAX_SAFE_INTEGER } },
      { sequence: 0, reported: { inputTokens: 1, outputTokens: 2, costMicros: 10_000 } },
      { sequence: null, reported: { costMicros: 50_000 } },
    ]);
    expect(rest.nextCursor).toBeNull();
  });

  test("counts with the figures that a person confirms or corrects, and the audit log records it", async () => {
    const workspace = await createWorkspace(server, "Tyrell");
    const { auth } = workspace.owner;
    await settle({ reportCostLimitMicros: 1_000 }, auth);
    const run = await queueRun(server, auth);
    await report(server, auth, run.id, usageEvent(0, 1_000));
    await report(server, auth, run.id, usageEvent(1, 1_001));
    expect(await budget(auth)).toMatchObject({ spentMicros: 1_000, heldReports: 1 });
    const confirmed = await correct(auth, run.id, {
      sequence: 1,
      inputTokens: 1,
      outputTokens: 2,
      costMicros: 1_001,
    });
    expect(confirmed).toMatchObject({
      status: 201,
      body: { report: { runId: run.id, sequence: 1, costMicros: 1_001, reported: { costMicros: 1_001 } } },
    });
    expect(await budget(auth)).toMatchObject({ spentMicros: 2_001, heldReports: 0 });
    // A report that already counts can be corrected too, down and up again.
    await correct(auth, run.id, { sequence: 0, costMicros: 1 });
    expect((await budget(auth)).spentMicros).toBe(1_002);
    await correct(auth, run.id, { sequence: 0, costMicros: 11 });
    expect((await budget(auth)).spentMicros).toBe(1_012);
    expect((await readRun(server, auth, run.id)).usage.costMicros).toBe(1_012);
    const { items } = (await server.call("/v1/audit-events?limit=1", { headers: auth })).body;
    expect(items[0]).toMatchObject({
      action: "automation_usage.corrected",
      target: { type: "automation_run", id: run.id },
      before: { costMicros: 1 },
      after: { costMicros: 11, reason: "It was a typing error." },
    });

    expect(await correct(auth, run.id, { sequence: 9 })).toMatchObject({
      status: 404,
      body: { error: "usage_report_not_found" },
    });
    const stranger = (await createWorkspace(server, "Weyland")).owner;
    expect((await correct(stranger.auth, run.id, { sequence: 0 })).status).toBe(404);
    const member = await joinWorkspace(server, workspace, "member");
    expect((await correct(member.auth, run.id, { sequence: 0 })).status).toBe(403);
  });

  test("notifies people and stops runs when its correction exceeds the monthly budget", async () => {
    const workspace = await createWorkspace(server, "Cyberdyne");
    const { auth } = workspace.owner;
    await settle({ monthlyBudgetMicros: 1_000, budgetWarningPercent: 50 }, auth);
    const [held, running] = [await queueRun(server, auth), await queueRun(server, auth)];
    await claim(server, auth, running.id);
    await report(server, auth, held.id, usageEvent(0, 5_000));
    await complete(server, auth, held.id, { attempt: 1, status: "succeeded" });
    const listCrossings = async () =>
      (
        await server.platform.db.rows<{ percent: string }>(sql`
          select data ->> 'percent' as percent from notification_events
          where org_id = ${workspace.orgId} and type = 'budget.reached' order by id`)
      ).map(({ percent }) => percent);
    expect((await correct(auth, held.id, { sequence: 0, costMicros: 600 })).status).toBe(201);
    expect(await listCrossings()).toEqual(["50"]);
    await correct(auth, held.id, { sequence: 0, costMicros: 1_200 });
    await correct(auth, held.id, { sequence: 0, costMicros: 1_300 });
    expect(await listCrossings()).toEqual(["50", "100"]);
    const stops = await server.platform.db.rows<{ orgId: string }>(sql`
      select data ->> 'orgId' as "orgId" from pgboss.job
      where name = 'automations.stop-organization' and data ->> 'orgId' = ${workspace.orgId}`);
    expect(stops.length).toBeGreaterThan(0);
    await stopOrganization.handle(server.platform, { orgId: workspace.orgId });
    expect((await readRun(server, auth, running.id)).run.cancelRequestedAt).toBeTypeOf("number");
  });

  const spend = async (headers: Auth, costMicros: number) => {
    const { id } = await queueRun(server, headers);
    await report(server, headers, id, usageEvent(0, costMicros));
  };

  test.each([
    ["the settings", (headers: Auth) => settle({ monthlyBudgetMicros: 500 }, headers)],
    [
      "its budget",
      async (headers: Auth) => {
        const { items } = (await server.call("/v1/llm-budgets", { headers })).body;
        const change = { method: "PATCH", body: { limitMicros: 500 }, headers };
        expect((await server.call(`/v1/llm-budgets/${items[0].id}`, change)).status).toBe(200);
      },
    ],
  ])("stops the runs when %s set a limit that is spent already", async (_, lower) => {
    const workspace = await createWorkspace(server, "Cyberdyne");
    const { auth } = workspace.owner;
    await settle({ monthlyBudgetMicros: 10_000 }, auth);
    await spend(auth, 600);
    const running = await queueRun(server, auth);
    await claim(server, auth, running.id);
    await lower(auth);
    const stops = await server.platform.db.rows(sql`
      select from pgboss.job
      where name = 'automations.stop-organization' and data ->> 'orgId' = ${workspace.orgId}`);
    expect(stops).toHaveLength(1);
    await stopOrganization.handle(server.platform, { orgId: workspace.orgId });
    expect((await readRun(server, auth, running.id)).run.cancelRequestedAt).toBeTypeOf("number");
  });

  test("stops no run when the stop comes after the budget was raised", async () => {
    const workspace = await createWorkspace(server, "Tyrell");
    const { auth } = workspace.owner;
    await settle({ monthlyBudgetMicros: 1_000 }, auth);
    await spend(auth, 999);
    await spend(auth, 999);
    await settle({ monthlyBudgetMicros: 10_000 }, auth);
    const [running, queued] = [await queueRun(server, auth), await queueRun(server, auth)];
    await claim(server, auth, running.id);
    await stopOrganization.handle(server.platform, { orgId: workspace.orgId });
    expect((await readRun(server, auth, running.id)).run.cancelRequestedAt).toBeNull();
    expect((await readRun(server, auth, queued.id)).run.status).toBe("queued");
  });

  test.each([
    ["a correction", (headers: Auth, id: string) => correct(headers, id, { sequence: 0, costMicros: 950 })],
    ["a report", (headers: Auth) => spend(headers, 900)],
  ])(
    "stops the runs of a month that %s exceeds again after a correction, without a second notification",
    async (_, exceed) => {
      const workspace = await createWorkspace(server, "Oscorp");
      const { auth } = workspace.owner;
      const { db } = server.platform;
      await settle({ monthlyBudgetMicros: 1_000, budgetWarningPercent: 100 }, auth);
      const countStops = async () =>
        (
          await db.rows(sql`
          select from pgboss.job
          where name = 'automations.stop-organization' and data ->> 'orgId' = ${workspace.orgId}`)
        ).length;
      const corrected = await queueRun(server, auth);
      await report(server, auth, corrected.id, usageEvent(0, 900));
      await complete(server, auth, corrected.id, { attempt: 1, status: "succeeded" });
      await spend(auth, 150);
      const before = await countStops();
      await correct(auth, corrected.id, { sequence: 0, costMicros: 0 });
      const running = await queueRun(server, auth);
      await claim(server, auth, running.id);

      await exceed(auth, corrected.id);
      expect(await countStops()).toBe(before + 1);
      const crossings = await db.rows(sql`
        select from notification_events where org_id = ${workspace.orgId} and type = 'budget.reached'`);
      expect(crossings).toHaveLength(1);
    },
  );
});
