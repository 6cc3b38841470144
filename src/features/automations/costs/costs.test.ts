import { calcPrice } from "@pydantic/genai-prices";
import fc from "fast-check";
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
import { createWorkspace, joinWorkspace, useServer, type Workspace } from "../../../../test/harness.ts";
import { createBudget, createProvider, readBudget, setAccess } from "../../../../test/llm-providers.ts";
import type { OrgId } from "../../../platform/context.ts";
import { sql } from "../../../platform/db/index.ts";
import { sumStep } from "../figures/service.ts";
import { recomputation } from "./index.ts";

const server = useServer();
let acme: Workspace;
let auth: { authorization: string };
beforeAll(async () => {
  acme = await createWorkspace(server);
  auth = acme.owner.auth;
});

const model = (modelId: string, providerId = "anthropic") => ({ model: { providerId, modelId } });
const start = async (body: Record<string, unknown>, headers = auth) => {
  const run = await queueRun(server, headers, body);
  await claim(server, headers, run.id);
  return run.id as string;
};
const finish = (id: string, usage: object, headers = auth) =>
  complete(server, headers, id, { attempt: 1, status: "succeeded", usage });
const listReports = async (id: string, headers = auth) =>
  (await server.call(`/v1/automation-runs/${id}/usage`, { headers })).body.items;
const putPrice = (body: object, headers = auth) =>
  server.call("/v1/llm-prices", { method: "PUT", body, headers });
/** Does the recomputations that were requested, as a worker would. */
const recompute = () => recomputation.handle(server.platform, {});
const countJobs = async (name: string) =>
  (await server.platform.db.row<{ count: number }>(
    sql`select count(*)::int as count from pgboss.job where name = ${name} and state < 'active'`,
  ))!.count;

const sonnet = model("claude-sonnet-5");
const usage = {
  ...{ inputTokens: 120_000, outputTokens: 3_000 },
  ...{ cacheReadTokens: 90_000, cacheWriteTokens: 20_000, cacheWrite1hTokens: 5_000 },
};

describe("the cost of a run that reports tokens without a cost", () => {
  test("equals that of an independent price library, cache reads and writes included", async () => {
    const library = calcPrice(
      {
        ...{ input_tokens: 120_000, output_tokens: 3_000 },
        ...{ cache_read_tokens: 90_000, cache_write_tokens: 20_000, cache_write_1h_tokens: 5_000 },
      },
      "claude-sonnet-5",
      { providerId: "anthropic" },
    )!;
    const id = await start(sonnet);
    expect((await finish(id, usage)).status).toBe(200);
    const { usage: sums } = await readRun(server, auth, id);
    expect(sums).toMatchObject({ inputTokens: 120_000, outputTokens: 3_000, priced: true });
    expect(Math.abs(sums.costMicros - library.total_price * 1_000_000)).toBeLessThanOrEqual(1);
    expect(await listReports(id)).toMatchObject([
      {
        ...{ sequence: null, costSource: "computed", costMicros: sums.costMicros, cacheReadTokens: 90_000 },
        price: { source: "catalogue", provider: "anthropic", model: "claude-sonnet-5" },
        ...{ previousCostMicros: null, recomputedAt: null },
      },
    ]);
  });

  test("is computed for usage events too, once, with the model and provider that they name", async () => {
    const id = await start(sonnet);
    const sent = event(0, {
      type: "usage",
      payload: { inputTokens: 1_000_000, outputTokens: 0, model: "gpt-4o", provider: "openai" },
    });
    await report(server, auth, id, sent);
    await report(server, auth, id, sent);
    // The provider of a model is known by its name when the automation's provider does not have it.
    await report(
      server,
      auth,
      id,
      event(1, { type: "usage", payload: { inputTokens: 1_000_000, model: "gpt-4o" } }),
    );
    expect((await listReports(id)).map(({ costMicros }: { costMicros: number }) => costMicros)).toEqual([
      2_500_000, 2_500_000,
    ]);
  });

  test("stays as it was reported when a cost was reported, also a cost of 0", async () => {
    const id = await start(sonnet);
    await finish(id, { ...usage, costMicros: 0 });
    expect(await listReports(id)).toMatchObject([{ costSource: "reported", costMicros: 0, price: null }]);
  });

  test("is not known without a price, which is not 0", async () => {
    const id = await start(model("home-grown-7b", "openai_compatible"));
    await report(
      server,
      auth,
      id,
      event(0, { type: "usage", payload: { inputTokens: 10, outputTokens: 5 } }),
    );
    expect((await readRun(server, auth, id)).usage).toEqual({
      ...{ inputTokens: 10, outputTokens: 5, costMicros: null, priced: false },
    });
    await finish(id, { inputTokens: 1, costMicros: 70 });
    expect((await readRun(server, auth, id)).usage).toMatchObject({ costMicros: 70, priced: false });
    expect((await listReports(id)).at(-1)).toMatchObject({ costSource: "unpriced", costMicros: null });
    const query = `/v1/automation-usage?groupBy=model`;
    const { body } = await server.call(query, { headers: auth });
    const group = body.items.find(({ key }: { key: string }) => key === "home-grown-7b");
    expect(group).toMatchObject({ costMicros: 70, priced: false });
  });

  test("is not that of another provider when the organization's own server runs the model", async () => {
    const id = await start(model("mistral-nemo", "vllm"));
    const tokens = { inputTokens: 1_000_000 };
    await report(server, auth, id, event(0, { type: "usage", payload: tokens }));
    // A report can say that another provider was used.
    const elsewhere = { ...tokens, provider: "mistral" };
    await report(server, auth, id, event(1, { type: "usage", payload: elsewhere }));
    expect(await listReports(id)).toMatchObject([
      { costSource: "unpriced", costMicros: null, price: null },
      { costSource: "computed", costMicros: 150_000 },
    ]);
  });

  test.each([
    [
      "more cache tokens than input tokens",
      { inputTokens: 10, cacheReadTokens: 6, cacheWriteTokens: 5 },
      "inputTokens",
    ],
    ["cache tokens without input tokens", { cacheReadTokens: 11 }, "inputTokens"],
    [
      "more tokens in the cache of an hour than in caches",
      { inputTokens: 10, cacheWriteTokens: 3, cacheWrite1hTokens: 4 },
      "cacheWriteTokens",
    ],
  ])("is refused with %s, in a completion, an event and a batch", async (_, contradictory, field) => {
    const id = await start(sonnet);
    const sent = event(0, { type: "usage", payload: { ...contradictory, costMicros: 5 } });
    expect(await report(server, auth, id, sent)).toMatchObject({
      status: 400,
      body: { error: "invalid_request", details: [{ path: ["payload", field] }] },
    });
    const batch = await server.call(`/v1/automation-runs/${id}/events/batch`, {
      body: { events: [event(0), { ...sent, sequence: 1 }] },
      headers: auth,
    });
    expect(batch).toMatchObject({
      status: 400,
      body: { details: [{ path: ["events", 1, "payload", field] }] },
    });
    expect(await finish(id, contradictory)).toMatchObject({
      status: 400,
      body: { details: [{ path: ["usage", field] }] },
    });
    expect(await listReports(id)).toEqual([]);
    // The rule is only about usage.
    expect((await report(server, auth, id, event(0, { payload: contradictory }))).status).toBe(200);
    expect((await finish(id, { inputTokens: 11, cacheReadTokens: 11 })).status).toBe(200);
  });

  test("belongs to the same report as before the fields for caches existed", async () => {
    const id = await start(sonnet);
    await finish(id, { inputTokens: 5, outputTokens: 5, costMicros: 1 });
    const again = { inputTokens: 5, outputTokens: 5, costMicros: 1, cacheReadTokens: 0, model: null };
    expect((await finish(id, again)).status).toBe(200);
    expect((await finish(id, { ...again, cacheReadTokens: 1 })).body.error).toBe("terminal_result_conflict");
  });
});

describe("a corrected price", () => {
  test("changes computed costs since then, keeps both figures, and changes what was spent", async () => {
    const other = await createWorkspace(server, "Prices");
    const { auth: headers } = other.owner;
    const { id: providerId } = await createProvider(server, headers);
    await setAccess(server, headers, providerId, { organization: true });
    const named = model("claude-sonnet-5", providerId);
    const budgets = {
      organization: await createBudget(server, headers, { limitMicros: 10_000_000 }),
      provider: await createBudget(server, headers, {
        ...{ subject: { kind: "provider", id: providerId }, limitMicros: 10_000_000 },
      }),
    };
    const spent = async () => [
      (await readBudget(server, headers, budgets.organization.id)).spentMicros,
      (await readBudget(server, headers, budgets.provider.id)).spentMicros,
    ];
    const id = await start(named, headers);
    await finish(id, { inputTokens: 1_000_000, outputTokens: 0 }, headers);
    const reported = await start(named, headers);
    await finish(reported, { inputTokens: 1_000_000, costMicros: 500 }, headers);
    expect(await spent()).toEqual([2_000_500, 2_000_500]);

    const price = { provider: providerId, model: "Claude-Sonnet-5", validFrom: Date.now() - 86_400_000 };
    const saved = await putPrice({ ...price, rates: { input: 1_500_000, output: 1 } }, headers);
    expect(saved.body).toMatchObject({ price: { model: "claude-sonnet-5" }, recomputing: true });
    await recompute();
    // A second time changes nothing.
    await recompute();
    expect(await listReports(id, headers)).toMatchObject([
      {
        ...{ costMicros: 1_500_000, previousCostMicros: 2_000_000, costSource: "computed" },
        price: { source: "override", id: saved.body.price.id },
        recomputedAt: expect.any(Number),
      },
    ]);
    expect(await listReports(reported, headers)).toMatchObject([{ costMicros: 500, costSource: "reported" }]);
    expect(await spent()).toEqual([1_500_500, 1_500_500]);

    const removed = await server.call(`/v1/llm-prices/${saved.body.price.id}`, { method: "DELETE", headers });
    expect(removed.status).toBe(204);
    await recompute();
    expect(await spent()).toEqual([2_000_500, 2_000_500]);
    const [again] = await listReports(id, headers);
    expect(again).toMatchObject({ costMicros: 2_000_000, previousCostMicros: 1_500_000 });
  });

  test("gives a cost to reports that had none, and queues its job with the price", async () => {
    const id = await start(model("home-grown-70b", "vllm"));
    await finish(id, { inputTokens: 2_000_000 });
    const price = { provider: "vllm", model: "home-grown-70b", validFrom: Date.now() - 3_600_000 };
    await putPrice({ ...price, rates: { input: 250_000, output: 250_000 } });
    expect(await countJobs("automations.recompute-costs")).toBeGreaterThan(0);
    await recompute();
    expect(await listReports(id)).toMatchObject([
      { costMicros: 500_000, previousCostMicros: null, costSource: "computed" },
    ]);
  });

  test("is one recomputation for many corrections, from the earliest of them on", async () => {
    const { owner } = await createWorkspace(server, "Impatient");
    const headers = owner.auth;
    const ids: string[] = [];
    for (const modelId of ["impatient-a", "impatient-b"]) {
      ids.push(await start(model(modelId, "vllm"), headers));
      await finish(ids.at(-1)!, { inputTokens: 1_000_000 }, headers);
    }
    await recompute();
    const queued = await countJobs("automations.recompute-costs");
    const now = Date.now();
    for (let i = 0; i < 30; i++) {
      const price = { provider: "vllm", model: `impatient-${"ab"[i % 2]}` };
      // The first correction has the earliest date.
      const validFrom = now - 3_600_000 + i;
      await putPrice({ ...price, validFrom, rates: { input: 1_000 * (i + 1) } }, headers);
    }
    expect(await countJobs("automations.recompute-costs")).toBeLessThanOrEqual(queued + 1);
    const body = { fromAt: now };
    await server.call("/v1/llm-prices/recompute", { body, headers });
    expect(await countJobs("automations.recompute-costs")).toBeLessThanOrEqual(queued + 1);
    await recompute();
    expect(await listReports(ids[0]!, headers)).toMatchObject([{ costMicros: 29_000 }]);
    expect(await listReports(ids[1]!, headers)).toMatchObject([{ costMicros: 30_000 }]);
  });

  test("is applied to every report once, also when the process dies between two batches", async () => {
    const { owner, orgId } = await createWorkspace(server, "Interrupted");
    const headers = owner.auth;
    const id = await start(model("interrupted-model", "vllm"), headers);
    await finish(id, { inputTokens: 1_000_000 }, headers);
    const { db } = server.platform;
    await db.run(sql`
      insert into automation_usage (run_id, attempt, report, org_id, automation_id, member_id, provider, model,
        input_tokens, output_tokens, cost_micros, cost_source, spend_day, spend_subjects)
      select run_id, 1, n, org_id, automation_id, member_id, provider, model, 1000000, 0, 0, 'unpriced', spend_day,
        spend_subjects
      from automation_usage, generate_series(1, 449) n where run_id = ${id}`);
    const budget = await createBudget(server, headers, { limitMicros: 9_000_000_000 });
    // Half of the reports are in the sums of the overview.
    await db.run(sql`
      update automation_usage set reported_at = reported_at - interval '1 minute' where org_id = ${orgId} and report < 225`);
    await sumStep(db, orgId as OrgId, new Date(Date.now() - 30_000).toISOString());
    const price = { provider: "vllm", model: "interrupted-model", validFrom: Date.now() - 3_600_000 };
    await putPrice({ ...price, rates: { input: 7 } }, headers);
    let batches = 0;
    const dying = {
      ...server.platform,
      db: {
        ...db,
        transaction: ((work) => {
          if (++batches > 1) throw new Error("The process died.");
          return db.transaction(work);
        }) as typeof db.transaction,
      },
    };
    await expect(recomputation.handle(dying, {})).rejects.toThrow("The process died.");
    const count = async () =>
      (await db.row<{ count: number }>(sql`
        select count(*)::int as count from automation_usage where org_id = ${orgId} and cost_micros = 7`))!
        .count;
    expect(await count()).toBe(200);
    await recompute();
    expect(await count()).toBe(450);
    expect((await readBudget(server, headers, budget.id)).spentMicros).toBe(450 * 7);
    const { body: overview } = await server.call("/v1/overview/runs", { headers });
    expect(overview.period).toMatchObject({ costMicros: 450 * 7, unpricedRuns: 0 });
  });

  test("stops the runs of an organization whose monthly budget it exceeds", async () => {
    const { owner, orgId } = await createWorkspace(server, "Corrected");
    const headers = owner.auth;
    await createBudget(server, headers, { limitMicros: 1_000, period: "month" });
    await finish(await start(model("stopping-model", "vllm"), headers), { inputTokens: 1_000_000 }, headers);
    const running = await start({}, headers);
    const price = { provider: "vllm", model: "stopping-model", validFrom: Date.now() - 3_600_000 };
    await putPrice({ ...price, rates: { input: 5_000 } }, headers);
    await recompute();
    const stops = await server.platform.db.rows(sql`
      select from pgboss.job where name = 'automations.stop-organization' and data ->> 'orgId' = ${orgId}`);
    expect(stops).toHaveLength(1);
    expect((await readRun(server, headers, running)).run.status).toBe("running");
  });

  test("keeps the costs of a provider that was removed, and corrects them with those of its kind", async () => {
    const { owner } = await createWorkspace(server, "Removed");
    const headers = owner.auth;
    const provider = { kind: "vllm", baseUrl: "https://llm.example.com/v1" };
    const { id: providerId } = await createProvider(server, headers, provider);
    await setAccess(server, headers, providerId, { organization: true });
    const price = { provider: "vllm", model: "kept-model", validFrom: Date.now() - 3_600_000 };
    await putPrice({ ...price, rates: { input: 700_000 } }, headers);
    const budget = await createBudget(server, headers, { limitMicros: 10_000_000 });
    const spent = async () => (await readBudget(server, headers, budget.id)).spentMicros;
    await finish(await start(model("kept-model", providerId), headers), { inputTokens: 1_000_000 }, headers);
    await server.call(`/v1/llm-providers/${providerId}`, { method: "DELETE", headers });
    await recompute();
    expect(await spent()).toBe(700_000);
    await putPrice({ ...price, rates: { input: 900_000 } }, headers);
    await recompute();
    expect(await spent()).toBe(900_000);
  });

  test("is valid from its time on, and a price of the future changes nothing", async () => {
    const later = { provider: "anthropic", model: "claude-sonnet-5", validFrom: Date.now() + 3_600_000 };
    expect((await putPrice({ ...later, rates: { input: 1 } })).body.recomputing).toBe(false);
    const id = await start(sonnet);
    await finish(id, { inputTokens: 1_000_000 });
    expect(await listReports(id)).toMatchObject([{ costMicros: 2_000_000, price: { source: "catalogue" } }]);
  });

  test("is refused for an unknown provider, and from people without the permission", async () => {
    const price = { model: "m", validFrom: Date.now(), rates: { input: 1 } };
    expect((await putPrice({ ...price, provider: "skynet" })).body.details[0].path).toEqual(["provider"]);
    expect((await putPrice({ ...price, provider: "openai", rates: { cacheRead: 1 } })).status).toBe(400);
    const member = await joinWorkspace(server, acme, "member");
    expect((await putPrice({ ...price, provider: "openai" }, member.auth)).status).toBe(403);
  });
});

describe("what is spent", () => {
  test("is exact after repeated reports, corrections and recomputations in any order", async () => {
    const { owner, orgId } = await createWorkspace(server, "Exact");
    const headers = owner.auth;
    const budget = await createBudget(server, headers, { limitMicros: 9_000_000_000_000 });
    const automation = await createAutomation(server, headers, model("exact-model", "vllm"));
    const operation = fc.oneof(
      fc.record({
        do: fc.constant("report" as const),
        tokens: fc.nat(5_000),
        cost: fc.option(fc.nat(5_000)),
      }),
      fc.record({ do: fc.constant("correct" as const), at: fc.nat(9), cost: fc.nat(5_000) }),
      fc.record({ do: fc.constant("price" as const), rate: fc.integer({ min: 1, max: 5 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 8 }), async (operations) => {
        const run = await runNow(server, headers, automation.id);
        await claim(server, headers, run.id);
        let sequence = 0;
        for (const one of operations) {
          if (one.do === "report") {
            const payload = {
              inputTokens: one.tokens,
              ...(one.cost === null ? {} : { costMicros: one.cost }),
            };
            const sent = event(sequence++, { type: "usage", payload });
            await report(server, headers, run.id, sent);
            await report(server, headers, run.id, sent);
          } else if (one.do === "correct") {
            const figures = {
              attempt: 1,
              sequence: one.at,
              inputTokens: 1,
              outputTokens: 1,
              costMicros: one.cost,
            };
            await server.call(`/v1/automation-runs/${run.id}/usage-corrections`, {
              body: { ...figures, reason: "A test." },
              headers,
            });
          } else {
            const price = { provider: "vllm", model: "exact-model", validFrom: 1_000_000_000_000 };
            await putPrice({ ...price, rates: { input: one.rate * 1_000_000 } }, headers);
            await recompute();
          }
        }
        await complete(server, headers, run.id, { attempt: 1, status: "succeeded" });
        const { sum } = (await server.platform.db.row<{ sum: number }>(
          sql`select coalesce(sum(cost_micros), 0)::bigint as sum from automation_usage where org_id = ${orgId}`,
        ))!;
        expect((await readBudget(server, headers, budget.id)).spentMicros).toBe(sum);
      }),
      { numRuns: 12 },
    );
  });
});
