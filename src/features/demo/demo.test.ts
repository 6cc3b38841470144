import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import {
  createDatabase,
  createWorkspace,
  joinWorkspace,
  signUp,
  startServer,
  type TestServer,
} from "../../../test/harness.ts";
import { jobs, removeLeftovers, routes } from "../../app.ts";
import type { Platform } from "../../platform/context.ts";
import { sql } from "../../platform/db/index.ts";
import { newId } from "../../platform/ids.ts";
import { verifyChains } from "../audit/index.ts";
import { fillDemo, removeDemo } from "./index.ts";

const dayMs = 24 * 3600_000;

async function withServer<T>(work: (server: TestServer) => Promise<T>): Promise<T> {
  const database = await createDatabase();
  const server = await startServer(database);
  try {
    return await work(server);
  } finally {
    await server.close();
    await database.drop();
  }
}

/** Counts the rows of each table. Rate limits change with every request, so they are left out. */
async function countRows({ platform: { db } }: TestServer): Promise<Record<string, number>> {
  const tables = await db.rows<{ name: string }>(sql`
    select relname::text as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
      and relname <> all('{rate_limits,automation_figures,automation_figure_marks,usage_days,usage_rollups,automation_usage_days,automation_usage_repeated_runs,database_sizes}') order by 1`);
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const { rows } = await db.queryWithDriverTypes(`select count(*)::int as count from "${name}"`, []);
    counts[name] = rows[0]!.count as number;
  }
  return counts;
}

const listFaults = async ({ platform: { db } }: TestServer) => {
  const verdicts = [];
  for await (const { scope, entries, faults } of verifyChains(db)) verdicts.push({ scope, entries, faults });
  return verdicts;
};

// biome-ignore lint/suspicious/noExplicitAny: replies are checked against their schemas by the harness.
type Reader = (path: string) => Promise<any>;

/** Workers, LLM providers and telemetry. */
async function checkFleet({ get, all }: { get: Reader; all: Reader }): Promise<void> {
  const workers = await all("/v1/workers");
  expect(
    Object.fromEntries(workers.map(({ name, state }: Record<string, string>) => [name, state]).toSorted()),
  ).toEqual({
    ...{ "build-1": "busy", "build-2": "idle", "build-3": "draining", "build-4": "paused" },
    ...{ "build-5": "never_connected", "gpu-1": "idle", "dev-laptop": "lost", "qa-bench": "stale" },
    "spot-7f3a": "stopped",
  });
  const outdated = workers.find(({ freshness }: { freshness: string }) => freshness === "drifted");
  const [upgrade] = await all(`/v1/workers/${outdated.id}/runtime/upgrades`);
  expect(upgrade).toMatchObject({ state: "failed", reason: expect.stringContaining("no space left") });
  for (const { id, state, lastSeenAt } of workers) {
    await get(`/v1/workers/${id}`);
    await get(`/v1/workers/${id}/runtime`);
    expect(lastSeenAt ?? 0).toBeLessThanOrEqual(Date.now() + 1_000);
    const activity = await all(`/v1/workers/${id}/activity`);
    const last = activity.find(({ type }: { type: string }) => type === "state_changed");
    expect(last?.detail.to ?? "never_connected").toBe(state);
  }
  const [rollout] = await all("/v1/worker-rollouts");
  expect(rollout.counts).toEqual({ matching: 8, selected: 7, upgraded: 6, failed: 1, open: 0 });

  const verdicts = new Set();
  for (const { id, keyTail } of await all("/v1/llm-providers")) {
    expect(keyTail).toHaveLength(4);
    await get(`/v1/llm-providers/${id}/access`);
    for (const { lastVerdict } of await all(`/v1/llm-providers/${id}/keys`)) verdicts.add(lastVerdict);
  }
  expect(verdicts).toEqual(new Set(["valid", "refused"]));
  const budgets = await all("/v1/llm-budgets");
  expect(budgets.map(({ subject }: { subject: { kind: string } }) => subject.kind).sort()).toEqual([
    ...["member", "organization", "provider", "team"],
  ]);

  const events = await all("/v1/telemetry/events");
  for (const groupBy of ["day", "member", "model", "type", "worker", "team"]) {
    const sums = await all(`/v1/telemetry/summary?groupBy=${groupBy}&from=${Date.now() - 40 * dayMs}`);
    const total = sums.reduce((sum: number, one: { events: number }) => sum + one.events, 0);
    expect({ groupBy, total }).toEqual({ groupBy, total: events.length });
    expect(sums.length).toBeGreaterThan(2);
  }
  expect(events.at(-1).at).toBeLessThan(Date.now() - 25 * dayMs);
}

/** Saved MCP connections with their tools, drift, calls and accounts. */
async function checkMcp({ get, all }: { get: Reader; all: Reader }): Promise<void> {
  const connections = await all("/v1/mcp-connections");
  expect(
    Object.fromEntries(connections.map(({ name, status }: Record<string, string>) => [name, status])),
  ).toEqual({
    ...{ "Issue tracker": "tools_held", Parcelworks: "connected", Ledger: "needs_consent" },
    ...{ "Atlas docs": "connected", "Warehouse robots": "no_answer", "Design library": "connected" },
    "Data room": "off",
  });
  const calls = await all("/v1/mcp-calls");
  expect(new Set(calls.map(({ outcome }: { outcome: string }) => outcome))).toEqual(
    new Set(["ok", "tool_error", "refused", "timed_out"]),
  );
  expect(calls.at(-1).createdAt).toBeLessThan(Date.now() - 20 * dayMs);
  for (const { id, name, toolCount, heldTools, callsLastDay } of connections) {
    const { connection } = await get(`/v1/mcp-connections/${id}`);
    expect(connection.problem === null).toBe(name !== "Warehouse robots");
    expect(await all(`/v1/mcp-connections/${id}/tools`)).toHaveLength(toolCount);
    const drift = await all(`/v1/mcp-connections/${id}/drift`);
    expect(drift).toHaveLength(heldTools);
    for (const { isHeld, changes } of drift)
      expect({ isHeld, isShown: changes.length > 0 }).toEqual({ isHeld: true, isShown: true });
    await all(`/v1/mcp-connections/${id}/members`);
    await get(`/v1/mcp-connections/${id}/access`);
    const since = Date.now() - dayMs;
    const recent = calls.filter(
      (one: { connectionId: string; createdAt: number }) => one.connectionId === id && one.createdAt > since,
    );
    expect({ name, calls: callsLastDay }).toEqual({ name, calls: recent.length });
  }
  const tracker = connections.find(({ name }: { name: string }) => name === "Issue tracker");
  const kinds = (await all(`/v1/mcp-connections/${tracker.id}/drift`)).map(
    (one: { kinds: string[] }) => one.kinds,
  );
  expect(kinds.flat().toSorted()).toEqual(["hint_flipped", "schema_widened", "text_changed"]);
  expect(tracker.people).toEqual({ granted: null, connected: 6, needCare: 1 });
  const approvals = await all("/v1/mcp-approvals");
  expect(approvals).toMatchObject([{ status: "pending", tool: "cancel_shipment" }]);
  const { approval } = await get(`/v1/mcp-approvals/${approvals[0].id}`);
  expect(approval.arguments).toEqual({ number: "NW-2041-77" });
  expect(await all("/v1/mcp/clients")).toHaveLength(3);
}

describe("the workspace", () => {
  test("answers on every list, has consistent sums, and its audit log is valid", {
    timeout: 120_000,
  }, async () => {
    await withServer(async (server) => {
      const empty = await countRows(server);
      const { key, password, people, organization } = await fillDemo(server.platform);
      expect(people).toHaveLength(8);
      const headers = { "x-api-key": key };
      const get = async (path: string) => {
        const { status, body } = await server.call(path, { headers });
        expect({ path, status }).toEqual({ path, status: 200 });
        return body;
      };

      for (const { email } of people) {
        const signedIn = await server.call("/api/auth/sign-in/email", { body: { email, password } });
        expect(signedIn.status).toBe(200);
        const me = await server.call("/v1/me", {
          headers: { authorization: `Bearer ${signedIn.body.token}` },
        });
        expect(me.body).toMatchObject({ user: { email }, organizations: [{ isDemo: true }] });
      }

      const { items: automations } = await get("/v1/automations?limit=50");
      const named = (what: "templates" | "connections") =>
        automations.flatMap((one: Record<string, { slug?: string; providerId?: string }[]>) =>
          one[what]!.map(({ slug, providerId }) => slug ?? providerId),
        );
      expect(named("templates")).toEqual(["release-notes", "issue-triage"]);
      expect(named("connections")).toEqual(["xero"]);

      // Every list that needs no id. The harness turns a reply that its schema does not describe into a 500.
      const lists = routes.filter(
        ({ spec }) =>
          spec.method === "get" && spec.path.startsWith("/v1/") && !spec.path.includes("{") && !spec.raw,
      );
      expect(lists.length).toBeGreaterThan(25);
      const filled: string[] = [];
      const refused: string[] = [];
      for (const { spec } of lists) {
        const query = spec.path === "/v1/automation-usage" ? "?groupBy=run" : "";
        const { status, body } = await server.call(spec.path + query, { headers });
        if (status !== 200) refused.push(`${spec.path} ${status} ${body.error}`);
        if (body.items?.length) filled.push(spec.path);
      }
      // Three need a session, one the token of an invitation, one an address, one the name of a client, one the token of a link, and the last an administrator.
      expect(refused).toEqual([
        "/v1/me/sessions 403 forbidden",
        "/v1/me/two-factor 403 forbidden",
        "/v1/me/passkeys 403 forbidden",
        "/v1/invitations/preview 400 invalid_request",
        "/v1/sso/resolve 400 invalid_request",
        "/v1/mcp-connections/export 400 invalid_request",
        "/v1/mcp-discoveries/shared 400 invalid_request",
        "/v1/admin/overview 403 forbidden",
        "/v1/admin/users 403 forbidden",
        "/v1/admin/organizations 403 forbidden",
        "/v1/admin/usage 403 forbidden",
        "/v1/admin/audit-events 403 forbidden",
      ]);
      expect(filled).toEqual(
        expect.arrayContaining([
          "/v1/api-keys",
          "/v1/audit-events",
          "/v1/automation-runners",
          "/v1/automation-runs",
          "/v1/automations",
          "/v1/connector-syncs",
          "/v1/connectors",
          "/v1/invitations",
          "/v1/llm-budgets",
          "/v1/llm-prices",
          "/v1/llm-providers",
          "/v1/mcp-approvals",
          "/v1/mcp-calls",
          "/v1/mcp-connections",
          "/v1/mcp-discoveries",
          "/v1/mcp/clients",
          "/v1/mcp/tokens",
          "/v1/members",
          "/v1/oauth-connections",
          "/v1/roles",
          "/v1/teams",
          "/v1/telemetry/events",
          "/v1/telemetry/summary",
          "/v1/templates",
          "/v1/webhook-deliveries",
          "/v1/worker-registration-tokens",
          "/v1/worker-rollouts",
          "/v1/workers",
        ]),
      );

      const all = async (path: string) => {
        const items = [];
        for (let cursor = ""; ; ) {
          const page = await get(`${path}${path.includes("?") ? "&" : "?"}limit=100${cursor}`);
          items.push(...page.items);
          if (page.nextCursor === null) return items;
          cursor = `&cursor=${page.nextCursor}`;
        }
      };
      const runs = await all("/v1/automation-runs");
      expect(runs.length).toBeGreaterThan(150);
      expect(runs.at(-1).createdAt).toBeLessThan(Date.now() - 25 * dayMs);
      const made = runs.map(({ createdAt }) => createdAt);
      expect(made).toEqual(made.toSorted((a, b) => b - a));

      // The usage in the detail of a run must equal the usage in the list.
      const usage = await all("/v1/automation-usage?groupBy=run");
      const ofRun = new Map(usage.map(({ key: run, runs: _, name: __, ...sums }) => [run, sums]));
      const none = { inputTokens: 0, outputTokens: 0, costMicros: 0, priced: true };
      for (const [index, { id, status }] of runs.entries()) {
        if (status === "succeeded" && index % 8 !== 0) continue;
        const detail = await get(`/v1/automation-runs/${id}`);
        expect({ id, status, usage: detail.usage }).toEqual({ id, status, usage: ofRun.get(id) ?? none });
        const events = await get(`/v1/automation-runs/${id}/events?limit=100`);
        expect(events.items.length > 0).toBe(detail.attempts.length > 0);
        await get(`/v1/automation-runs/${id}/late-reports`);
      }
      const month = new Date().toISOString().slice(0, 7);
      const days = await all("/v1/automation-usage?groupBy=day");
      const spent = days
        .filter(({ key: day }) => day.startsWith(month))
        .reduce((sum, { costMicros }) => sum + costMicros, 0);
      expect((await get("/v1/automation-budget")).budget).toMatchObject({
        month,
        spentMicros: spent,
        state: "within",
      });

      for (const { id } of await all("/v1/automations")) {
        await get(`/v1/automations/${id}`);
        await get(`/v1/automations/${id}/revisions`);
      }
      const templates = await all("/v1/templates");
      for (const { id, version, createdAt } of templates) {
        expect(createdAt).toBeLessThan(Date.now() - dayMs);
        const versions = await all(`/v1/templates/${id}/versions`);
        expect(versions).toHaveLength(version);
        for (const one of versions) await get(`/v1/templates/${id}/versions/${one.version}`);
      }
      expect(Math.max(...templates.map(({ version }) => version))).toBeGreaterThan(1);
      for (const { id } of await all("/v1/connectors")) {
        await get(`/v1/connectors/${id}`);
        await get(`/v1/connectors/${id}/webhook-secrets`);
      }
      const syncs = await all("/v1/connector-syncs");
      expect(new Set(syncs.map(({ status }) => status))).toEqual(new Set(["succeeded", "failed"]));
      const deliveries = await all("/v1/webhook-deliveries");
      for (const { id, outcome } of deliveries) {
        const { delivery } = await get(`/v1/webhook-deliveries/${id}`);
        if (outcome === "accepted") expect(JSON.parse(delivery.body).after).toBe(delivery.head);
      }
      expect(new Set(deliveries.map(({ outcome }) => outcome))).toEqual(
        new Set(["accepted", "ignored", "invalid"]),
      );
      expect(deliveries.some(({ repeats }) => repeats > 0)).toBe(true);
      expect(deliveries.some(({ alteredAt }) => alteredAt !== null)).toBe(true);
      const connections = [
        ...(await all("/v1/oauth-connections")),
        ...(await all("/v1/oauth-connections?ended=true")),
      ];
      for (const { id } of connections) await get(`/v1/oauth-connections/${id}/events`);
      const states = connections.map(({ health }) => health.status).sort();
      expect(states).toEqual(["connected", "ended", "expiring", "needs_reconnect", "uncertain"]);
      await checkFleet({ get, all });
      await checkMcp({ get, all });
      const audit = await all("/v1/audit-events");
      const times = audit.map(({ at }) => at);
      expect(times).toEqual(times.toSorted((a, b) => b - a));
      for (const { id } of audit.slice(0, 5)) await get(`/v1/audit-events/${id}`);

      const verdicts = await listFaults(server);
      expect(verdicts).toEqual([
        { scope: "instance", entries: 1, faults: [] },
        { scope: organization.id, entries: audit.length, faults: [] },
      ]);

      // Actions of its people add rows elsewhere: mails, links, and replies kept for idempotency.
      const once = { ...headers, "idempotency-key": "a-team" };
      expect((await server.call("/v1/teams", { headers: once, body: { name: "Night shift" } })).status).toBe(
        201,
      );
      const email = people[2]!.email;
      expect((await server.call("/api/auth/request-password-reset", { body: { email } })).status).toBe(200);
      expect(await countRows(server)).toMatchObject({ mails: 1, verifications: 1, idempotency_keys: 1 });

      // A second demo is refused, and removal restores the original row counts.
      await expect(fillDemo(server.platform)).rejects.toThrow(/^This instance has people in it already\./);
      expect(await removeDemo(server.platform, { removeLeftovers })).toMatchObject({
        organization: { id: organization.id },
      });
      expect((await server.call("/v1/me", { headers })).status).toBe(401);
      // The mark stays until no statement from before the removal can still run.
      expect(await countRows(server)).toEqual({ ...empty, organization_leftovers: 1 });
      await expect(removeDemo(server.platform, { removeLeftovers })).rejects.toThrow(
        /^There is no demo workspace here/,
      );
      await fillDemo(server.platform, { seed: "again" });
    });
  });

  test("is not changed by any scheduled job, and no job makes an outgoing call", async () => {
    await withServer(async (server) => {
      const { key } = await fillDemo(server.platform);
      const before = await countRows(server);
      const calls: string[] = [];
      const egress: Platform["egress"] = {
        ...server.platform.egress,
        forOrganization: (orgId) => {
          calls.push(orgId);
          return server.platform.egress.forOrganization(orgId);
        },
      };
      const scheduled = jobs.filter(({ schedule }) => schedule !== undefined);
      expect(scheduled.length).toBeGreaterThan(10);
      for (const job of scheduled) await job.handle({ ...server.platform, egress }, {});
      expect(calls).toEqual([]);
      expect(await countRows(server)).toEqual(before);
      const headers = { "x-api-key": key };
      const live = await server.call("/v1/automation-runs?status=queued,running", { headers });
      expect(live.body.items.map(({ status }: { status: string }) => status)).toEqual(["queued", "running"]);
      expect(live.body.items[1].leaseExpiresAt).toBeGreaterThan(Date.now() + 3 * 3600_000);
      const { body } = await server.call("/v1/connectors", { headers });
      expect(body.items).toMatchObject([{ status: "disabled", checkError: null }]);
    });
  });

  test("is removed, but not what other people created meanwhile", async () => {
    await withServer(async (server) => {
      const { password } = await fillDemo(server.platform);
      const email = "felix@northwind.example";
      const felix = (await server.call("/api/auth/sign-in/email", { body: { email, password } })).body.token;
      const asFelix = { authorization: `Bearer ${felix}` };
      const side = await server.call("/v1/organizations", {
        headers: asFelix,
        body: { name: "Side project" },
      });
      expect(side.status).toBe(201);
      const body = { name: "Zoe", email: "zoe@example.com", password: "correct horse battery" };
      const { token } = (await server.call("/api/auth/sign-up/email", { body })).body;
      const headers = { authorization: `Bearer ${token}` };
      expect((await server.call("/v1/organizations", { headers, body: { name: "Mine" } })).status).toBe(201);
      const removed = await removeDemo(server.platform, { removeLeftovers });
      expect(removed).toMatchObject({ kept: [{ email }] });
      expect(removed.people).toHaveLength(7);
      expect((await server.call("/v1/organizations", { headers: asFelix })).body.items).toMatchObject([
        { name: "Side project" },
      ]);
      expect((await server.call("/v1/members", { headers })).body.items).toMatchObject([
        { email: body.email },
      ]);
      expect((await server.call("/v1/organizations", { headers })).body.items).toHaveLength(1);
      const counts = await countRows(server);
      expect(counts).toMatchObject({ users: 2, organizations: 2, automation_runs: 0, automation_events: 0 });
      for (const { faults } of await listFaults(server)) expect(faults).toEqual([]);
      await expect(removeDemo(server.platform, { removeLeftovers })).rejects.toThrow(
        /^There is no demo workspace here/,
      );
    });
  });

  test("is not removed without force while it has other members", async () => {
    await withServer(async (server) => {
      const { organization, people } = await fillDemo(server.platform);
      const demo = { orgId: organization.id };
      const joined = [];
      for (let i = 0; i < 2; i++) joined.push(await joinWorkspace(server, demo, "admin"));
      const headers = joined[0]!.auth;
      const team = await server.call("/v1/teams", { headers, body: { name: "Real work" } });
      expect(team.status).toBe(201);
      const before = await countRows(server);
      const message = await removeDemo(server.platform, { removeLeftovers }).then(
        () => "removed",
        (error: Error) => error.message,
      );
      const names = joined.map(({ email }) => `admin (${email})`).join(", ");
      expect(message).toMatch(/^Northwind Robotics has 2 members who are not from the demo: /);
      expect(message).toContain(names);
      expect(message).toContain("`signalbox demo --remove --force`");
      for (const { email } of people) expect(message).not.toContain(email);
      expect(await countRows(server)).toEqual(before);

      for (let i = 0; i < 10; i++) await joinWorkspace(server, demo, "member");
      await expect(removeDemo(server.platform, { removeLeftovers })).rejects.toThrow(
        / has 12 members [^:]*: .* and 2 more\. /,
      );

      const removed = await removeDemo(server.platform, { removeLeftovers, force: true });
      expect(removed).toMatchObject({ organization: { id: organization.id }, kept: [] });
      expect(removed.people).toHaveLength(8);
      // The other members keep their accounts.
      expect(await countRows(server)).toMatchObject({ users: 12, organizations: 0, members: 0, teams: 0 });
      expect((await server.call("/v1/me", { headers })).status).toBe(200);
    });
  });

  /** Starts the removal while a person is joining, and commits the join when the removal waits for it. */
  const removeWhileJoining = ({ platform }: TestServer, orgId: string, userId: string) =>
    platform.db.transaction(async (tx) => {
      await tx.run(sql`
        insert into members (id, org_id, user_id, role) values (${newId("mem")}, ${orgId}, ${userId}, 'member')`);
      const removal = removeDemo(platform, { removeLeftovers }).then(
        ({ kept }) => ({ kept }),
        (error: Error) => ({ refused: error.message }),
      );
      // PGlite has one connection: the removal does not start before this ends.
      const isWaiting = async () =>
        tx.kind === "pglite" ||
        (await tx.row(sql`
          select 1 from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`));
      for (let tries = 0; !(await isWaiting()); tries++) {
        if (tries === 500) throw new Error("The removal does not wait.");
        await sleep(20);
      }
      return { removal };
    });

  test("keeps a person who joins another organization while it is removed", async () => {
    await withServer(async (server) => {
      const { people } = await fillDemo(server.platform);
      const { email } = people[3]!;
      const [{ id }] = (await server.platform.db.rows<{ id: string }>(
        sql`select id from users where email = ${email}`,
      )) as [{ id: string }];
      const { orgId, owner } = await createWorkspace(server);
      const { removal } = await removeWhileJoining(server, orgId, id);
      expect(await removal).toEqual({ kept: [{ email }] });
      const { body } = await server.call("/v1/members", { headers: owner.auth });
      expect(body.items).toMatchObject([{ email }, { email: owner.email }]);
    });
  });

  test("is not removed when somebody joins it meanwhile", async () => {
    await withServer(async (server) => {
      const { organization } = await fillDemo(server.platform);
      const person = await signUp(server, "Zoe");
      const { removal } = await removeWhileJoining(server, organization.id, person.userId);
      expect(await removal).toMatchObject({ refused: expect.stringContaining(person.email) });
      expect(await countRows(server)).toMatchObject({ members: 9, organizations: 1 });
    });
  });

  test("leaves no data when it is interrupted", async () => {
    await withServer(async (server) => {
      const empty = await countRows(server);
      const stop = new AbortController();
      const filling = fillDemo(server.platform, {
        signal: stop.signal,
        onProgress: (step) => step.includes("runs") && stop.abort(),
      });
      await expect(filling).rejects.toThrow();
      expect(await countRows(server)).toEqual(empty);
      await fillDemo(server.platform);
    });
  });

  test("is refused on an instance that has a workspace without an account", async () => {
    await withServer(async (server) => {
      expect((await server.call("/v1/bootstrap/workspace", { body: {} })).status).toBe(201);
      await expect(fillDemo(server.platform)).rejects.toThrow(/^This instance has people in it already\./);
    });
  });
});
