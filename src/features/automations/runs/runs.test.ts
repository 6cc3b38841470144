import { beforeAll, describe, expect, test } from "vitest";
import {
  type Auth,
  claim,
  complete,
  createAutomation,
  createRunner,
  event,
  loseLease,
  queueRun,
  readRun,
  report,
  runNow,
} from "../../../../test/automations.ts";
import { createWorkspace, joinWorkspace, useServer, type Workspace } from "../../../../test/harness.ts";
import { sql } from "../../../platform/db/index.ts";
import { endOverdueRuns, skipUnclaimed } from "./jobs.ts";

describe("a run", () => {
  const server = useServer();
  let acme: Workspace;
  let auth: Auth;
  beforeAll(async () => {
    acme = await createWorkspace(server);
    auth = acme.owner.auth;
  });
  const heartbeat = (headers: Auth, id: string, attempt: number) =>
    server.call(`/v1/automation-runs/${id}/heartbeat`, { body: { attempt }, headers });
  const cancel = (headers: Auth, id: string) =>
    server.call(`/v1/automation-runs/${id}/cancel`, { method: "POST", headers });

  test("starts queued, without an attempt", async () => {
    const run = await queueRun(server, auth);
    expect(run).toMatchObject({ status: "queued", attempt: 0, trigger: "manual", reason: null });
    expect(run.id).toMatch(/^run_/);
  });

  test("is claimed once when many callers claim it at the same moment", async () => {
    const run = await queueRun(server, auth, {
      maxRuntimeSeconds: 120,
      model: { providerId: "p", modelId: "m" },
    });
    const runners = await Promise.all(Array.from({ length: 6 }, () => createRunner(server, auth)));
    const claims = await Promise.all(runners.map((runner) => claim(server, runner.auth, run.id)));
    const won = claims.filter((assignment) => assignment !== null);
    expect(won).toHaveLength(1);
    expect(won[0]).toEqual({
      runId: run.id,
      automationId: run.automationId,
      automationName: "Triage",
      instructions: "Look at new issues.",
      model: { providerId: "p", modelId: "m" },
      attempt: 1,
      timeoutMs: 120_000,
      leaseExpiresAt: expect.any(Number),
      credential: expect.stringMatching(/^sbt_/),
      acceptsTelemetry: true,
      templates: [],
      connections: [],
    });
  });

  test("can be claimed again by the runner that holds it, also with a new token of the same name", async () => {
    const run = await queueRun(server, auth);
    const runner = await createRunner(server, auth, { runnerId: "the-same-machine" });
    const first = await claim(server, runner.auth, run.id);
    const renewed = await createRunner(server, auth, { runnerId: "the-same-machine" });
    const again = await claim(server, renewed.auth, run.id);
    expect(again).toMatchObject({ runId: run.id, attempt: first.attempt });
    expect((await report(server, renewed.auth, run.id, event(0))).status).toBe(200);
    const other = await createRunner(server, auth, { runnerId: "another-machine" });
    expect(await claim(server, other.auth, run.id)).toBeNull();
    expect((await report(server, other.auth, run.id, event(1))).body.error).toBe("runner_lease_lost");
  });

  test("a heartbeat renews the lease and reports a cancellation", async () => {
    const run = await queueRun(server, auth);
    await claim(server, auth, run.id);
    await server.platform.db.run(
      sql`update automation_runs set lease_expires_at = now() + interval '1 second' where id = ${run.id}`,
    );
    const beat = await heartbeat(auth, run.id, 1);
    expect(beat).toMatchObject({
      status: 200,
      body: { attempt: 1, leaseValid: true, cancelRequested: false },
    });
    expect(beat.body.leaseExpiresAt).toBeGreaterThan(Date.now() + 50_000);
    expect((await cancel(auth, run.id)).body.run).toMatchObject({ status: "running" });
    expect((await heartbeat(auth, run.id, 1)).body.cancelRequested).toBe(true);
    expect((await heartbeat(auth, run.id, 2)).body.error).toBe("runner_lease_lost");
    const done = await complete(server, auth, run.id, { attempt: 1, status: "cancelled" });
    expect(done.body.run).toMatchObject({ status: "cancelled", reason: "requested" });
    expect((await heartbeat(auth, run.id, 1)).body.error).toBe("run_already_completed");
  });

  test("the completion of a run that was cancelled before it was claimed is refused with that reason", async () => {
    const run = await queueRun(server, auth);
    await cancel(auth, run.id);
    const { status, body } = await complete(server, auth, run.id, { attempt: 1, status: "succeeded" });
    expect({ status, error: body.error }).toEqual({ status: 409, error: "terminal_result_conflict" });
    expect(body.message).toContain("ended (cancelled) before this attempt began");
  });

  test("a queued run is cancelled at once, cancelling it again changes nothing, and a finished run cannot be cancelled", async () => {
    const run = await queueRun(server, auth);
    expect((await cancel(auth, run.id)).body.run).toMatchObject({ status: "cancelled", reason: "requested" });
    expect((await cancel(auth, run.id)).status).toBe(200);
    expect(await claim(server, auth, run.id)).toBeNull();
    expect((await report(server, auth, run.id, event(0))).body.error).toBe("run_already_completed");
    expect((await complete(server, auth, run.id, { attempt: 1, status: "failed" })).body.error).toBe(
      "terminal_result_conflict",
    );
    const ended = await queueRun(server, auth);
    await complete(server, auth, ended.id, { attempt: 1, status: "succeeded" });
    expect(await cancel(auth, ended.id)).toMatchObject({
      status: 409,
      body: { error: "run_already_completed" },
    });
  });

  test("after one lost lease the run is queued again, and after two it has failed as interrupted", async () => {
    const run = await queueRun(server, auth);
    await claim(server, auth, run.id);
    await loseLease(server, run.id);
    await endOverdueRuns(server.platform);
    expect((await readRun(server, auth, run.id)).run).toMatchObject({
      status: "queued",
      reason: "lease_lost",
      attempt: 1,
    });
    expect((await claim(server, auth, run.id)).attempt).toBe(2);
    await loseLease(server, run.id);
    await endOverdueRuns(server.platform);
    const { run: ended, attempts } = await readRun(server, auth, run.id);
    expect(ended).toMatchObject({ status: "failed", reason: "interrupted", attempt: 2 });
    expect(attempts).toMatchObject([{ outcome: "lease_lost" }, { outcome: "lease_lost" }]);
    expect((await report(server, auth, run.id, event(0, { attempt: 2 }))).body.error).toBe(
      "runner_lease_lost",
    );
    expect((await complete(server, auth, run.id, { attempt: 2, status: "succeeded" })).body.error).toBe(
      "runner_lease_lost",
    );
  });

  test("a run with an expired lease can be taken over by a claim or by a first report, before any job runs", async () => {
    const [byClaim, byReport] = [await queueRun(server, auth), await queueRun(server, auth)];
    const other = await createRunner(server, auth);
    for (const { id } of [byClaim, byReport]) {
      await claim(server, auth, id);
      await loseLease(server, id);
    }
    expect((await claim(server, other.auth, byClaim.id)).attempt).toBe(2);
    expect((await report(server, other.auth, byReport.id, event(0, { attempt: 2 }))).status).toBe(200);
    expect((await report(server, auth, byReport.id, event(0))).body.error).toBe("runner_lease_lost");
  });

  test("a run whose runner is lost after a cancellation is cancelled, and not tried again", async () => {
    const run = await queueRun(server, auth);
    await claim(server, auth, run.id);
    await cancel(auth, run.id);
    await loseLease(server, run.id);
    await endOverdueRuns(server.platform);
    expect((await readRun(server, auth, run.id)).run).toMatchObject({
      status: "cancelled",
      reason: "requested",
    });
  });

  test("a run past its time limit is asked to stop, and a minute later it has failed as timed out", async () => {
    const run = await queueRun(server, auth, { maxRuntimeSeconds: 1 });
    await claim(server, auth, run.id);
    const past = (seconds: number) =>
      server.platform.db.run(
        sql`update automation_runs set deadline_at = now() - make_interval(secs => ${seconds}) where id = ${run.id}`,
      );
    await past(1);
    await endOverdueRuns(server.platform);
    expect((await heartbeat(auth, run.id, 1)).body.cancelRequested).toBe(true);
    await past(61);
    await endOverdueRuns(server.platform);
    expect((await readRun(server, auth, run.id)).run).toMatchObject({
      status: "failed",
      reason: "timed_out",
    });
    expect((await complete(server, auth, run.id, { attempt: 1, status: "failed" })).body.error).toBe(
      "runner_lease_lost",
    );
  });

  test("a run that no runner claims in time is skipped, with the reason", async () => {
    const run = await queueRun(server, auth);
    await server.platform.db.run(
      sql`update automation_runs set queued_at = now() - interval '25 hours' where id = ${run.id}`,
    );
    await skipUnclaimed.handle(server.platform, {});
    expect((await readRun(server, auth, run.id)).run).toMatchObject({
      status: "skipped",
      reason: "no_runner",
    });
  });

  test("lists can be filtered by automation, status, member and time", async () => {
    const globex = await createWorkspace(server, "Globex");
    const headers = globex.owner.auth;
    const member = await joinWorkspace(server, globex, "member");
    const automation = await createAutomation(server, headers);
    const first = await runNow(server, headers, automation.id);
    const second = await runNow(server, headers, automation.id);
    const theirs = await queueRun(server, member.auth);
    await complete(server, headers, first.id, { attempt: 1, status: "succeeded" });
    const ids = async (query: string, as = headers) =>
      (await server.call(`/v1/automation-runs?${query}`, { headers: as })).body.items.map(
        (run: { id: string }) => run.id,
      );
    expect(await ids("")).toEqual([theirs.id, second.id, first.id]);
    expect(await ids("", member.auth)).toEqual([theirs.id]);
    expect(await ids(`automationId=${automation.id}`)).toEqual([second.id, first.id]);
    expect(await ids("status=succeeded")).toEqual([first.id]);
    expect(await ids("status=succeeded,queued")).toEqual([theirs.id, second.id, first.id]);
    expect(await ids(`memberId=${member.memberId}`)).toEqual([theirs.id]);
    expect(await ids(`toAt=${first.createdAt}`)).toEqual([]);
    expect(await ids(`fromAt=${first.createdAt}`)).toHaveLength(3);
    expect((await server.call("/v1/automation-runs?status=running,odd", { headers })).status).toBe(400);
    const page = await server.call("/v1/automation-runs?limit=2", { headers });
    expect(await ids(`limit=2&cursor=${page.body.nextCursor}`)).toEqual([first.id]);
  });
});

describe("completing a run", () => {
  /** The fields that a run has when it is read, but not in the reply to its completion. */
  const names = { automationName: "Triage", memberName: "Owner", runnerName: null };
  const server = useServer();
  let acme: Workspace;
  let auth: Auth;
  beforeAll(async () => {
    acme = await createWorkspace(server);
    auth = acme.owner.auth;
  });

  const whole = {
    attempt: 1,
    status: "failed",
    sessionId: "session-1",
    workspaceId: "workspace-1",
    resultSummary: "It did not work.",
    usage: { inputTokens: 10, outputTokens: 20, costMicros: 30 },
    error: { message: "No network.", retryable: true },
  };

  test("stores everything that is reported, and counts the usage", async () => {
    const run = await queueRun(server, auth);
    const reply = await complete(server, auth, run.id, whole);
    expect(reply.status).toBe(200);
    const { attempt: _, usage, ...rest } = whole;
    expect(reply.body.run).toMatchObject({ id: run.id, attempt: 1, reason: "reported", ...rest });
    const seen = await readRun(server, auth, run.id);
    expect(seen).toMatchObject({ usage, automation: { id: run.automationId, name: "Triage", revision: 1 } });
    expect(seen.run).toEqual({ ...reply.body.run, ...names });
  });

  test("a repeated report returns the stored run and counts nothing; a different report is a conflict", async () => {
    const run = await queueRun(server, auth);
    const first = await complete(server, auth, run.id, whole);
    const reordered = { ...Object.fromEntries(Object.entries(whole).reverse()), extra: 1 };
    expect((await complete(server, auth, run.id, reordered)).body).toEqual(first.body);
    for (const other of [
      { status: "succeeded" },
      { resultSummary: "Other." },
      { usage: { inputTokens: 11, outputTokens: 20, costMicros: 30 } },
      { error: null },
    ]) {
      expect(await complete(server, auth, run.id, { ...whole, ...other })).toMatchObject({
        status: 409,
        body: { error: "terminal_result_conflict", message: expect.any(String) },
      });
    }
    const seen = await readRun(server, auth, run.id);
    expect(seen.run).toEqual({ ...first.body.run, ...names });
    expect(seen.usage).toEqual({ ...whole.usage, priced: true });
  });

  test("leaving a field out is the same as null", async () => {
    const run = await queueRun(server, auth);
    const nulls = { sessionId: null, workspaceId: null, resultSummary: null, usage: null, error: null };
    expect((await complete(server, auth, run.id, { attempt: 1, status: "succeeded", ...nulls })).status).toBe(
      200,
    );
    expect((await complete(server, auth, run.id, { attempt: 1, status: "succeeded" })).status).toBe(200);
  });

  test("outcome is another name of status; two different values or none are refused", async () => {
    const run = await queueRun(server, auth);
    expect((await complete(server, auth, run.id, { attempt: 1 })).body.details[0].path).toEqual(["status"]);
    const both = { attempt: 1, status: "failed", outcome: "succeeded" };
    expect((await complete(server, auth, run.id, both)).status).toBe(400);
    expect((await complete(server, auth, run.id, { attempt: 1, outcome: "succeeded" })).status).toBe(200);
    const named = { attempt: 1, status: "succeeded", outcome: "succeeded" };
    expect((await complete(server, auth, run.id, named)).status).toBe(200);
  });

  test.each([
    ["sessionId", ""],
    ["sessionId", "x".repeat(241)],
    ["workspaceId", ""],
    ["workspaceId", "x".repeat(241)],
    ["resultSummary", "x".repeat(20_001)],
    ["usage", { inputTokens: -1 }],
    ["usage", { costMicros: 2 ** 53 }],
    ["usage", { outputTokens: 1.5 }],
    ["error", { message: 5 }],
    ["error", { retryable: "yes" }],
    ["attempt", 0],
    ["attempt", 2 ** 53],
    ["status", "done"],
  ])("a wrong %s is refused with 400 and its path", async (field, value) => {
    const run = await queueRun(server, auth);
    const reply = await complete(server, auth, run.id, { attempt: 1, status: "succeeded", [field]: value });
    expect(reply).toMatchObject({ status: 400, body: { error: "invalid_request" } });
    expect(reply.body.details[0].path[0]).toBe(field);
  });

  test("values of the maximum length are stored", async () => {
    const run = await queueRun(server, auth);
    const most = {
      attempt: 1,
      status: "succeeded",
      sessionId: "s".repeat(240),
      workspaceId: "w".repeat(240),
      resultSummary: "r".repeat(20_000),
      usage: { inputTokens: Number.MAX_SAFE_INTEGER, outputTokens: 0, costMicros: Number.MAX_SAFE_INTEGER },
    };
    expect((await complete(server, auth, run.id, most)).status).toBe(200);
    // The cost is implausible, so the report is held until an admin confirms it.
    expect((await readRun(server, auth, run.id)).usage.costMicros).toBe(0);
    const held = await server.call("/v1/automation-usage/held", { headers: auth });
    expect(held.body.items).toMatchObject([
      { runId: run.id, reported: { costMicros: Number.MAX_SAFE_INTEGER } },
    ]);
  });

  test("of a long error message the beginning is kept, and the same report is still a repeated one", async () => {
    const run = await queueRun(server, auth);
    const failed = { attempt: 1, status: "failed", error: { message: `a${"😀".repeat(200_000)}` } };
    const first = await complete(server, auth, run.id, failed);
    expect(first.status).toBe(200);
    const { message } = first.body.run.error;
    expect(message).toBe(`a${"😀".repeat(9_999)}\ufffd`);
    expect(await complete(server, auth, run.id, failed)).toMatchObject({ status: 200, body: first.body });
  });

  test("a page of runs ends when it has about 2 MiB of results and errors, and every run is listed once", async () => {
    const { owner } = await createWorkspace(server);
    const { id } = await createAutomation(server, owner.auth);
    const ids: string[] = [];
    const long = "😀".repeat(20_000);
    for (let n = 0; n < 20; n++) {
      const run = await runNow(server, owner.auth, id);
      const failed = { attempt: 1, status: "failed", resultSummary: long, error: { message: long } };
      expect((await complete(server, owner.auth, run.id, failed)).status).toBe(200);
      ids.unshift(run.id);
    }
    const read = async (search: string) =>
      (await server.call(`/v1/automation-runs?${search}`, { headers: owner.auth })).body;
    const first = await read("limit=100");
    expect(first.items).toHaveLength(17);
    const second = await read(`limit=100&cursor=${first.nextCursor}`);
    expect(second.nextCursor).toBeNull();
    expect([...first.items, ...second.items].map((run: { id: string }) => run.id)).toEqual(ids);
  });

  test("an unknown run is not found, a future attempt has no lease", async () => {
    const globex = await createWorkspace(server, "Globex");
    const run = await queueRun(server, auth);
    const done = { attempt: 1, status: "succeeded" };
    const notFound = { status: 404, body: { error: "automation_run_not_found" } };
    expect(await complete(server, globex.owner.auth, run.id, done)).toMatchObject(notFound);
    expect(await complete(server, auth, "nonsense", done)).toMatchObject(notFound);
    expect(await complete(server, auth, run.id, { ...done, attempt: 2 })).toMatchObject({
      status: 409,
      body: { error: "runner_lease_lost" },
    });
    expect((await readRun(server, auth, run.id)).run.lateReports).toBe(0);
  });

  test("of ten completions at the same moment one is stored, equal ones are acknowledged, and others are refused", async () => {
    const run = await queueRun(server, auth);
    await claim(server, auth, run.id);
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        complete(server, auth, run.id, {
          attempt: 1,
          status: i % 2 ? "succeeded" : "failed",
          usage: { costMicros: 5 },
        }),
      ),
    );
    const accepted = replies.filter(({ status }) => status === 200);
    expect(accepted).toHaveLength(5);
    expect(new Set(accepted.map(({ body }) => body.run.status)).size).toBe(1);
    expect(replies.filter(({ body }) => body.error === "terminal_result_conflict")).toHaveLength(5);
    expect((await readRun(server, auth, run.id)).usage.costMicros).toBe(5);
  });
});
