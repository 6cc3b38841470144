import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import {
  claim,
  complete,
  createAutomation,
  event,
  queueRun,
  readRun,
  report,
  runNow,
} from "../../../../test/automations.ts";
import {
  createTeam,
  createWorkspace,
  joinWorkspace,
  type Person,
  useServer,
  type Workspace,
} from "../../../../test/harness.ts";
import {
  createBudget,
  createProvider,
  getCredential,
  readBudget,
  setAccess,
} from "../../../../test/llm-providers.ts";
import type { OrgId } from "../../../platform/context.ts";
import { sql } from "../../../platform/db/index.ts";
import { adjustSpend, recordSpend } from "../index.ts";

const server = useServer();
let acme: Workspace;
let auth: Person["auth"];
let member: Person & { memberId: string };
let team: { id: string };
let providerId: string;

beforeAll(async () => {
  acme = await createWorkspace(server);
  auth = acme.owner.auth;
  member = await joinWorkspace(server, acme, "member");
  team = await createTeam(server, acme.owner);
  await server.call(`/v1/teams/${team.id}/members/${member.memberId}`, { method: "PUT", headers: auth });
  providerId = (await createProvider(server, auth)).id;
  await setAccess(server, auth, providerId, { organization: true });
});

const model = () => ({ model: { providerId, modelId: "claude-sonnet-5" } });

/** A run of the member that costs this much. */
async function spend(costMicros: number): Promise<string> {
  const run = await queueRun(server, member.auth, model());
  await claim(server, member.auth, run.id);
  await complete(server, member.auth, run.id, { attempt: 1, status: "succeeded", usage: { costMicros } });
  return run.id;
}

const remove = (id: string) => server.call(`/v1/llm-budgets/${id}`, { method: "DELETE", headers: auth });
const change = (id: string, body: object) =>
  server.call(`/v1/llm-budgets/${id}`, { method: "PATCH", body, headers: auth });
const listCrossings = async (id: string) =>
  (
    await server.platform.db.rows<{ data: { percent: number } }>(
      sql`select data from notification_events where data ->> 'budgetId' = ${id} order by id`,
    )
  ).map(({ data }) => data.percent);

describe("a budget", () => {
  test.each([
    ["organization", (): string | undefined => undefined],
    ["team", () => team.id],
    ["member", () => member.memberId],
    ["provider", () => providerId],
  ] as const)(
    "of the %s refuses credentials and runs once it is spent, and warns once",
    async (kind, findId) => {
      const subject = { kind, id: findId() };
      await spend(10);
      const before = (
        await createBudget(server, auth, { subject, limitMicros: 1, mode: "alert", period: "day" })
      ).spentMicros;
      const budget = await createBudget(server, auth, {
        ...{ subject, period: "week", limitMicros: before + 100, warningPercent: 1 },
      });
      expect(budget).toMatchObject({ subject: { kind }, spentMicros: before, mode: "budget" });
      // An alert that is exceeded refuses nothing.
      expect((await getCredential(server, member.auth, providerId)).status).toBe(200);
      await spend(40);
      await spend(40);
      expect(await readBudget(server, auth, budget.id)).toMatchObject({
        spentMicros: before + 80,
        state: "warned",
      });
      expect(await listCrossings(budget.id)).toEqual([1]);
      const queued = await queueRun(server, member.auth, model());
      await spend(40);
      expect(await readBudget(server, auth, budget.id)).toMatchObject({ state: "exceeded" });
      expect(await listCrossings(budget.id)).toEqual([1, 100]);

      const refused = await getCredential(server, member.auth, providerId);
      expect(refused).toMatchObject({ status: 402, body: { error: "budget_exceeded", budget: budget.id } });
      expect(await claim(server, member.auth, queued.id)).toBeNull();
      expect((await readRun(server, member.auth, queued.id)).run).toMatchObject({
        ...{ status: "skipped", reason: "budget_exceeded" },
      });
      const automation = await createAutomation(server, member.auth, model());
      const started = await server.call(`/v1/automations/${automation.id}/run`, {
        method: "POST",
        headers: member.auth,
      });
      expect(started).toMatchObject({ status: 409, body: { error: "budget_exceeded" } });

      await change(budget.id, { limitMicros: before + 1_000 });
      expect((await getCredential(server, member.auth, providerId)).status).toBe(200);
      await runNow(server, member.auth, automation.id);
      const audit = await server.call(`/v1/audit-events?targetType=llm_budget&targetId=${budget.id}`, {
        headers: auth,
      });
      expect(audit.body.items.map(({ action }: { action: string }) => action)).toEqual([
        ...["llm_budget.changed", "llm_budget.exceeded", "llm_budget.warned", "llm_budget.created"],
      ]);
      for (const { id } of (await server.call("/v1/llm-budgets?limit=100", { headers: auth })).body.items)
        await remove(id);
    },
  );

  test("does not concern others than its subject", async () => {
    const other = await joinWorkspace(server, acme, "member");
    const budget = await createBudget(server, auth, {
      ...{ subject: { kind: "member", id: member.memberId }, limitMicros: 0 },
    });
    expect((await getCredential(server, member.auth, providerId)).status).toBe(402);
    expect((await getCredential(server, other.auth, providerId)).status).toBe(200);
    const own = await server.call("/v1/llm-budgets", { headers: member.auth });
    expect(own.body.items).toMatchObject([{ id: budget.id, subject: { kind: "member" } }]);
    expect((await server.call("/v1/llm-budgets", { headers: other.auth })).body.items).toEqual([]);
    expect((await server.call(`/v1/llm-budgets/${budget.id}`, { headers: other.auth })).status).toBe(404);
    expect((await change(budget.id, {})).status).toBe(200);
    await remove(budget.id);
  });

  test("begins again with its period", async () => {
    const subject = { kind: "provider", id: providerId };
    await spend(5);
    const budget = await createBudget(server, auth, { subject, period: "day", limitMicros: 1 });
    expect((await getCredential(server, member.auth, providerId)).status).toBe(402);
    const { resetsAt, periodStartAt } = await readBudget(server, auth, budget.id);
    expect(resetsAt - periodStartAt).toBe(86_400_000);
    // As if what was spent had been spent yesterday.
    await server.platform.db.run(sql`update llm_spend set day = day - 1 where subject_id = ${providerId}`);
    expect(await readBudget(server, auth, budget.id)).toMatchObject({ spentMicros: 0, state: "within" });
    expect((await getCredential(server, member.auth, providerId)).status).toBe(200);
    await remove(budget.id);
  });

  test("counts exactly and warns once when many runs report at the same moment", async () => {
    const subject = { kind: "provider", id: (await createProvider(server, auth)).id };
    await setAccess(server, auth, subject.id, { organization: true });
    const automation = await createAutomation(server, member.auth, {
      model: { providerId: subject.id, modelId: "claude-sonnet-5" },
    });
    const budget = await createBudget(server, auth, { subject, limitMicros: 10_000, warningPercent: 1 });
    const ids: string[] = [];
    for (let i = 0; i < 12; i++) {
      const { id } = await runNow(server, member.auth, automation.id);
      await claim(server, member.auth, id);
      ids.push(id);
    }
    const done = { attempt: 1, status: "succeeded", usage: { costMicros: 150 } };
    // Each report is sent twice, as a runner does that got no reply.
    await Promise.all([...ids, ...ids].map((id) => complete(server, member.auth, id, done)));
    expect(await readBudget(server, auth, budget.id)).toMatchObject({ spentMicros: 1_800, state: "warned" });
    expect(await listCrossings(budget.id)).toEqual([1]);
  });

  test("of a provider counts the runs whose automation names it, whatever provider their reports name", async () => {
    const own = await createProvider(server, auth);
    const other = await createProvider(server, auth);
    await setAccess(server, auth, own.id, { organization: true });
    const [ownBudget, otherBudget] = await Promise.all(
      [own, other].map(({ id }) =>
        createBudget(server, auth, { subject: { kind: "provider", id }, limitMicros: 1_000 }),
      ),
    );
    const run = await queueRun(server, member.auth, {
      model: { providerId: own.id, modelId: "claude-sonnet-5" },
    });
    await claim(server, member.auth, run.id);
    for (const [i, provider] of ["anthropic", other.id, own.id].entries()) {
      const payload = { inputTokens: 1, costMicros: 100, provider };
      await report(server, member.auth, run.id, event(i, { type: "usage", payload }));
    }
    const usage = { costMicros: 100, provider: other.id };
    await complete(server, member.auth, run.id, { attempt: 1, status: "succeeded", usage });
    expect((await readBudget(server, auth, ownBudget.id)).spentMicros).toBe(400);
    expect((await readBudget(server, auth, otherBudget.id)).spentMicros).toBe(0);
  });

  test("that is spent also stops a queued run that a first report starts, and counts its cost", async () => {
    const { id: subjectId } = await createProvider(server, auth);
    await setAccess(server, auth, subjectId, { organization: true });
    const subject = { kind: "provider", id: subjectId };
    const budget = await createBudget(server, auth, { subject, limitMicros: 100 });
    const automation = await createAutomation(server, member.auth, {
      model: { providerId: subjectId, modelId: "claude-sonnet-5" },
    });
    const [first, second] = [
      await runNow(server, member.auth, automation.id),
      await runNow(server, member.auth, automation.id),
    ];
    const done = { attempt: 1, status: "succeeded", usage: { costMicros: 100 } };
    expect((await complete(server, member.auth, first.id, done)).status).toBe(200);
    expect((await report(server, member.auth, second.id, event(0))).status).toBe(200);
    const beat = await server.call(`/v1/automation-runs/${second.id}/heartbeat`, {
      ...{ body: { attempt: 1 }, headers: member.auth },
    });
    expect(beat.body).toMatchObject({ cancelRequested: true });
    const { credential } = await claim(server, member.auth, second.id);
    const program = { authorization: `Bearer ${credential}` };
    expect((await getCredential(server, program, subjectId)).status).toBe(401);
    await complete(server, member.auth, second.id, { ...done, status: "cancelled" });
    expect((await readRun(server, member.auth, second.id)).run).toMatchObject({
      ...{ status: "cancelled", reason: "budget_exceeded" },
    });
    expect((await readBudget(server, auth, budget.id)).spentMicros).toBe(200);
  });

  test("counts costs that other features record, and their corrections", async () => {
    const subject = { kind: "team", id: team.id };
    const budget = await createBudget(server, auth, { subject, period: "month", limitMicros: 1_000_000 });
    const { db } = server.platform;
    const orgId = acme.orgId as OrgId;
    const cost = { memberId: member.memberId, providerId: "not one of ours", at: Date.now() };
    const [first, second] = await db.transaction((tx) =>
      recordSpend(tx, orgId, [
        { ...cost, costMicros: 700 },
        { ...cost, costMicros: 50 },
      ]),
    );
    expect(first!.subjectIds).toEqual(expect.arrayContaining([orgId, team.id, member.memberId]));
    const before = budget.spentMicros;
    expect((await readBudget(server, auth, budget.id)).spentMicros).toBe(before + 750);
    await db.transaction((tx) => adjustSpend(tx, orgId, [{ ...second!, micros: -20 }]));
    expect((await readBudget(server, auth, budget.id)).spentMicros).toBe(before + 730);
    await remove(budget.id);
  });

  test("exists once for a subject and period, and only for subjects of the organization", async () => {
    const create = (body: object) =>
      server.call("/v1/llm-budgets", { body: { period: "month", limitMicros: 1, ...body }, headers: auth });
    const { memberId } = await joinWorkspace(server, await createWorkspace(server, "Other"), "member");
    for (const subject of [
      { kind: "member", id: memberId },
      { kind: "team" },
      { kind: "organization", id: "org_1" },
    ])
      expect((await create({ subject })).body.details[0].path).toEqual(["subject", "id"]);
    const subject = { kind: "team", id: team.id };
    const { body } = await create({ subject });
    expect((await create({ subject })).body.error).toBe("llm_budget_exists");
    expect((await create({ subject, period: "day" })).status).toBe(201);
    expect(body.budget.subject).toMatchObject({ name: expect.stringContaining("Team") });
  });
});

describe("the monthly budget of the organization", () => {
  test("is the same in the settings of automations and in the list of budgets", async () => {
    const { owner } = await createWorkspace(server, "One concept");
    const settings = (body?: object) =>
      server.call("/v1/automation-settings", {
        ...(body ? { method: "PATCH", body } : {}),
        headers: owner.auth,
      });
    const list = async () => (await server.call("/v1/llm-budgets", { headers: owner.auth })).body.items;
    await settings({ monthlyBudgetMicros: 5_000_000, budgetWarningPercent: 60 });
    const [budget] = await list();
    expect(budget).toMatchObject({
      subject: { kind: "organization" },
      period: "month",
      limitMicros: 5_000_000,
    });
    await server.call(`/v1/llm-budgets/${budget.id}`, {
      method: "PATCH",
      body: { limitMicros: 7_000_000 },
      headers: owner.auth,
    });
    expect((await settings()).body.settings).toMatchObject({
      ...{ monthlyBudgetMicros: 7_000_000, budgetWarningPercent: 60 },
    });
    // Other settings do not touch it.
    await settings({ eventRetentionDays: 30 });
    expect(await list()).toMatchObject([{ id: budget.id, limitMicros: 7_000_000 }]);
    await settings({ monthlyBudgetMicros: null });
    expect(await list()).toEqual([]);
    expect((await settings()).body.settings.budgetWarningPercent).toBe(60);
  });

  test("keeps a limit that is being changed while its warning level is changed in the settings", async () => {
    const { owner, orgId } = await createWorkspace(server, "Both");
    const set = (body: object) =>
      server.call("/v1/automation-settings", { method: "PATCH", body, headers: owner.auth });
    await set({ monthlyBudgetMicros: 5_000_000 });
    const [changed, mayCommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const changing = server.platform.db.transaction(async (tx) => {
      await tx.run(sql`update llm_budgets set limit_micros = 1000 where org_id = ${orgId}`);
      changed.resolve();
      await mayCommit.promise;
    });
    await changed.promise;
    const setting = set({ budgetWarningPercent: 50 });
    await Promise.race([setting, sleep(300)]);
    mayCommit.resolve();
    await changing;
    expect((await setting).body.settings).toMatchObject({
      ...{ monthlyBudgetMicros: 1_000, budgetWarningPercent: 50 },
    });
  });

  test("is set by requests at the same moment, through both routes, without a fault", async () => {
    for (let round = 0; round < 6; round++) {
      const { owner } = await createWorkspace(server, `Race ${round}`);
      const headers = owner.auth;
      const set = (body: object) =>
        server.call("/v1/automation-settings", { method: "PATCH", body, headers });
      const body = { subject: { kind: "organization" }, period: "month", limitMicros: 111 };
      const replies = await Promise.all([
        server.call("/v1/llm-budgets", { body, headers }),
        set({ monthlyBudgetMicros: 222 }),
        set({ monthlyBudgetMicros: 333 }),
        set({ runRetentionDays: 77 }),
      ]);
      expect(replies.map(({ status }) => status)).toEqual([expect.any(Number), 200, 200, 200]);
      expect([201, 409]).toContain(replies[0]!.status);
      const { settings } = (await server.call("/v1/automation-settings", { headers })).body;
      // The last change wins, and a change of another field does not undo it.
      expect([222, 333]).toContain(settings.monthlyBudgetMicros);
      expect(settings.runRetentionDays).toBe(77);
    }
  });
});
