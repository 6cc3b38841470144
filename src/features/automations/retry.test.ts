import { beforeAll, describe, expect, test } from "vitest";
import {
  type Auth,
  claim,
  complete,
  createAutomation,
  createRunner,
  queueRun,
  readRun,
  runNow,
} from "../../../test/automations.ts";
import { createWorkspace, joinWorkspace, useServer, type Workspace } from "../../../test/harness.ts";

describe("a retry of a run", () => {
  const server = useServer();
  let acme: Workspace;
  let auth: Auth;
  beforeAll(async () => {
    acme = await createWorkspace(server);
    auth = acme.owner.auth;
  });
  const post = (path: string, headers: Auth = auth) => server.call(path, { method: "POST", headers });
  const retry = (id: string, headers: Auth = auth) => post(`/v1/automation-runs/${id}/retry`, headers);
  const cancel = (id: string) => post(`/v1/automation-runs/${id}/cancel`);
  const patch = (id: string, body: unknown) =>
    server.call(`/v1/automations/${id}`, { method: "PATCH", body, headers: auth });

  test("is a new queued run with the revision that the earlier run used, and names the earlier run", async () => {
    const automation = await createAutomation(server, auth, { instructions: "Version one." });
    const earlier = await runNow(server, auth, automation.id);
    expect(earlier.retryOf).toBeNull();
    await claim(server, auth, earlier.id);
    await complete(server, auth, earlier.id, {
      attempt: 1,
      status: "failed",
      error: { message: "No network." },
    });
    await patch(automation.id, { instructions: "Version two." });

    const reply = await retry(earlier.id);
    expect(reply.status).toBe(202);
    expect(reply.body.run).toMatchObject({
      automationId: automation.id,
      automationRevision: 1,
      trigger: "manual",
      retryOf: earlier.id,
      status: "queued",
      attempt: 0,
      reason: null,
      error: null,
    });
    expect(reply.body.run.id).not.toBe(earlier.id);
    expect((await claim(server, auth, reply.body.run.id)).instructions).toBe("Version one.");
    expect((await readRun(server, auth, earlier.id)).run).toMatchObject({ status: "failed" });
  });

  test.each([
    ["succeeded", async (id: string) => complete(server, auth, id, { attempt: 1, status: "succeeded" })],
    ["cancelled", cancel],
  ])("is possible for a run that is %s", async (status, end) => {
    const run = await queueRun(server, auth);
    await end(run.id);
    expect((await readRun(server, auth, run.id)).run.status).toBe(status);
    expect((await retry(run.id)).body.run).toMatchObject({ status: "queued", retryOf: run.id });
  });

  test("is refused while the run is queued or running, and the error says what to do", async () => {
    const run = await queueRun(server, auth);
    const refused = (status: string) => ({
      status: 409,
      body: {
        error: "run_not_ended",
        message: `The run is still ${status}. Wait for its end, or cancel it first.`,
      },
    });
    expect(await retry(run.id)).toMatchObject(refused("queued"));
    await claim(server, auth, run.id);
    expect(await retry(run.id)).toMatchObject(refused("running"));
  });

  test("is refused for an archived automation, and once the month's budget is spent", async () => {
    const run = await queueRun(server, auth);
    await post(`/v1/automations/${run.automationId}/archive`);
    expect(await retry(run.id)).toMatchObject({ status: 409, body: { error: "automation_archived" } });

    const beta = await createWorkspace(server);
    const other = await queueRun(server, beta.owner.auth);
    const usage = { inputTokens: 1, outputTokens: 1, costMicros: 50 };
    await complete(server, beta.owner.auth, other.id, { attempt: 1, status: "succeeded", usage });
    const budget = { method: "PATCH", body: { monthlyBudgetMicros: 10 }, headers: beta.owner.auth } as const;
    expect((await server.call("/v1/automation-settings", budget)).status).toBe(200);
    expect(await retry(other.id, beta.owner.auth)).toMatchObject({
      status: 409,
      body: { error: "monthly_budget_exceeded" },
    });
  });

  test("needs the same access as running the automation", async () => {
    const member = await joinWorkspace(server, acme, "member");
    const stranger = (await createWorkspace(server)).owner;
    const run = await queueRun(server, auth);
    await cancel(run.id);
    for (const headers of [member.auth, stranger.auth]) {
      expect(await retry(run.id, headers)).toMatchObject({
        status: 404,
        body: { error: "automation_run_not_found" },
      });
    }
    expect((await retry("run_nonsense")).status).toBe(404);
    expect((await retry(run.id, {})).status).toBe(401);
    // The route does not accept runner tokens.
    const runner = await createRunner(server, auth);
    expect((await retry(run.id, runner.auth)).status).toBe(401);

    // The member's own run, but its automation now belongs to another member.
    const own = await queueRun(server, member.auth);
    await post(`/v1/automation-runs/${own.id}/cancel`, member.auth);
    const me = (await server.call("/v1/me", { headers: auth })).body;
    const { memberId } = me.organizations[0];
    expect((await patch(own.automationId, { memberId })).status).toBe(200);
    expect(await retry(own.id, member.auth)).toMatchObject({
      status: 404,
      body: { error: "automation_not_found" },
    });
    expect((await retry(own.id)).body.run).toMatchObject({ memberId, retryOf: own.id });
  });

  test("is one run for one Idempotency-Key, and is in the audit log", async () => {
    const run = await queueRun(server, auth);
    await cancel(run.id);
    const key = { ...auth, "idempotency-key": "retry-once" };
    const [first, second] = [await retry(run.id, key), await retry(run.id, key)];
    expect(second).toMatchObject({ status: 202, body: first.body });
    const { items } = (await server.call("/v1/audit-events?action=automation_run.retried", { headers: auth }))
      .body;
    expect(items[0]).toMatchObject({
      action: "automation_run.retried",
      target: { type: "automation_run", id: first.body.run.id },
      after: { automationId: run.automationId, retryOf: run.id },
    });
    expect(
      items.filter((item: { after: { retryOf: string } }) => item.after.retryOf === run.id),
    ).toHaveLength(1);
  });
});
