/** A usage event is on the hot path. Each statement costs a round trip while the run is locked. */
import { beforeAll, describe, expect, test } from "vitest";
import { claim, event, queueRun, report, reportBatch } from "../../../../test/automations.ts";
import { createWorkspace, useServer, type Workspace } from "../../../../test/harness.ts";
import { createBudget, createProvider, readBudget, setAccess } from "../../../../test/llm-providers.ts";
import { recordStatements } from "../../../../test/plans.ts";

const server = useServer();
let workspace: Workspace;
let auth: Workspace["owner"]["auth"];
let runId: string;
let sequence = 0;

beforeAll(async () => {
  workspace = await createWorkspace(server);
  auth = workspace.owner.auth;
  const { id: providerId } = await createProvider(server, auth);
  await setAccess(server, auth, providerId, { organization: true });
  const run = await queueRun(server, auth, { model: { providerId, modelId: "claude-sonnet-5" } });
  runId = run.id;
  await claim(server, auth, runId);
  await report(server, auth, runId, nextEvent());
});

const nextEvent = (payload: Record<string, unknown> = { inputTokens: 100 }) =>
  event(sequence++, { type: "usage", payload });

/** Without what authentication and the meter of the quotas send from time to time. */
const countStatements = async (work: () => Promise<{ status: number }>) =>
  (
    await recordStatements(server.engine, async () => {
      expect((await work()).status).toBe(200);
    })
  ).filter(({ text }) => /\b(automation_(runs|events|usage)|llm_\w+)\b/.test(text)).length;

const reportOne = (payload?: Record<string, unknown>) =>
  countStatements(() => report(server, auth, runId, nextEvent(payload)));
const reportMany = (count: number) =>
  countStatements(() =>
    reportBatch(
      server,
      auth,
      runId,
      Array.from({ length: count }, () => nextEvent()),
    ),
  );

describe("usage events", () => {
  // Three lock the run and store the events. One reads what counting needs, and one counts.
  test("need five statements, with and without a cost, however many there are in a request", async () => {
    expect(await reportOne()).toBe(5);
    expect(await reportOne({ inputTokens: 1, costMicros: 5 })).toBe(5);
    expect(await reportMany(8)).toBe(5);
    expect(await reportMany(50)).toBe(5);
  });

  test("need one more when there is a budget to check", async () => {
    const budget = await createBudget(server, auth, { limitMicros: 1_000_000_000, period: "month" });
    const before = (await readBudget(server, auth, budget.id)).spentMicros;
    expect(await reportOne()).toBe(6);
    expect(await reportMany(8)).toBe(6);
    expect((await readBudget(server, auth, budget.id)).spentMicros).toBe(before + 9 * 200);
  });
});
