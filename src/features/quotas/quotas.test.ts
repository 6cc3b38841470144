import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import {
  complete,
  createAutomation,
  createRunner,
  event,
  queueRun,
  report,
  reportBatch,
  runNow,
} from "../../../test/automations.ts";
import {
  connectorBody,
  createConnector,
  createTemplate,
  runSyncs,
  templateFile,
} from "../../../test/connectors.ts";
import { startGitServer } from "../../../test/fixtures/git-server.ts";
import {
  bootstrap,
  createKey,
  createWorkspace,
  type Reply,
  useServer,
  type Workspace,
} from "../../../test/harness.ts";
import { openBrowser, registerClient, startAuthorization } from "../../../test/mcp-authorization.ts";
import { recordStatements } from "../../../test/plans.ts";
import { connectDirectory } from "../../../test/scim.ts";
import { insertConnector, pushBody, signedHeaders } from "../../../test/webhooks.ts";
import { createApp } from "../../app.ts";
import { sql } from "../../platform/db/index.ts";
import type { QuotaName } from "./catalogue.ts";
import { quotaMeter } from "./meter.ts";
import { measureDue } from "./service.ts";

const instanceSecret = "the secret of the instance";
const server = useServer({ env: { CODEHOST_WEBHOOK_SECRET: instanceSecret } });

/** Sets the limit of one organization, as an operator does. */
const allow = (orgId: string, quota: QuotaName, max: number) =>
  server.platform.db.run(sql`
    insert into organization_quotas (org_id, quota, max) values (${orgId}, ${quota}, ${max})
    on conflict (org_id, quota) do update set max = excluded.max`);

const read = async (headers: Record<string, string>) => {
  const { status, body } = await server.call("/v1/organization/quotas", { headers });
  expect(status).toBe(200);
  return body;
};
const findQuota = async (headers: Record<string, string>, name: QuotaName) =>
  (await read(headers)).items.find((one: { name: string }) => one.name === name);

const count = async (statement: ReturnType<typeof sql>) =>
  (await server.platform.db.row<{ count: number }>(statement))!.count;

const exceeded = (quota: QuotaName, more: Record<string, unknown> = {}) => ({
  status: 409,
  body: { error: "quota_exceeded", message: expect.any(String), quota, ...more },
});

describe("objects that people create", () => {
  let n = 0;
  let clientId: string | undefined;
  const makers: Partial<Record<QuotaName, (workspace: Workspace) => Promise<Reply>>> = {
    teams: ({ owner }) => server.call("/v1/teams", { body: { name: `Team ${++n}` }, headers: owner.auth }),
    roles: ({ owner }) =>
      server.call("/v1/roles", {
        body: { name: `Role ${++n}`, permissions: ["organization:read"] },
        headers: owner.auth,
      }),
    api_keys: ({ owner }) => server.call("/v1/api-keys", { body: { name: "k" }, headers: owner.auth }),
    mcp_tokens: ({ owner }) => server.call("/v1/mcp/token", { body: { name: "t" }, headers: owner.auth }),
    mcp_clients: async (workspace) => {
      const browser = openBrowser(server, workspace.owner);
      clientId ??= await registerClient(server);
      const { consent } = await startAuthorization(server, browser, { clientId });
      const headers = { "x-organization-id": workspace.orgId };
      const reply = await browser.post(consent, { scopes: ["mcp:read"] }, headers);
      return { status: reply.status, headers: reply.headers, body: await reply.json() };
    },
    invitations: ({ owner }) =>
      server.call("/v1/invitations", {
        body: { email: `someone-${++n}@example.com`, role: "member" },
        headers: owner.auth,
      }),
    automations: ({ owner }) =>
      server.call("/v1/automations", {
        body: { name: "Triage", instructions: "Look.", schedule: { kind: "manual" } },
        headers: owner.auth,
      }),
    runners: ({ owner }) =>
      server.call("/v1/automation-runners/token", {
        body: { runnerId: `runner-number-${++n}` },
        headers: owner.auth,
      }),
    templates: ({ owner }) =>
      server.call("/v1/templates", { body: { name: `Template ${++n}`, body: "x" }, headers: owner.auth }),
    connectors: ({ owner }) => server.call("/v1/connectors", { body: connectorBody(), headers: owner.auth }),
    oauth_providers: ({ owner }) =>
      server.call("/v1/oauth-providers", {
        body: {
          id: `own-${++n}`,
          name: "Own",
          authorizationEndpoint: "https://id.example.com/authorize",
          tokenEndpoint: "https://id.example.com/token",
        },
        headers: owner.auth,
      }),
  };

  test.each(Object.entries(makers))(
    "%s: one object more than the limit is refused, also when requests arrive at the same moment",
    async (name, make) => {
      const workspace = await createWorkspace(server);
      const quota = name as QuotaName;
      await allow(workspace.orgId, quota, 2);
      const replies = await Promise.all(Array.from({ length: 5 }, () => make!(workspace)));
      expect(replies.filter(({ status }) => status < 300)).toHaveLength(2);
      for (const reply of replies.filter(({ status }) => status >= 300))
        expect(reply).toMatchObject(exceeded(quota, { limit: 2, used: 2 }));
      expect(await findQuota(workspace.owner.auth, quota)).toMatchObject({
        ...{ unit: "count", limit: 2, used: 2, overridden: true },
      });
    },
  );

  test("a rotated key counts until its overlap ends, and a key without overlap is replaced at the limit", async () => {
    const { orgId, owner } = await createWorkspace(server);
    await allow(orgId, "api_keys", 1);
    const key = await createKey(server, owner);
    const rotate = (overlapSeconds: number) =>
      server.call(`/v1/api-keys/${key.id}/rotate`, { body: { overlapSeconds }, headers: owner.auth });
    expect(await rotate(60)).toMatchObject(exceeded("api_keys", { limit: 1, used: 1 }));
    expect((await rotate(0)).status).toBe(201);
  });

  test("an expired invitation that is sent again counts again", async () => {
    const { orgId, owner } = await createWorkspace(server);
    await allow(orgId, "invitations", 1);
    const invite = (email: string) =>
      server.call("/v1/invitations", { body: { email, role: "member" }, headers: owner.auth });
    const resend = (id: string) =>
      server.call(`/v1/invitations/${id}/resend`, { method: "POST", headers: owner.auth });
    const first = (await invite("first@example.com")).body.invitation;
    expect((await resend(first.id)).status).toBe(200);
    await server.platform.db.run(sql`update invitations set expires_at = now() where id = ${first.id}`);
    const second = (await invite("second@example.com")).body.invitation;
    expect(await resend(first.id)).toMatchObject(exceeded("invitations", { limit: 1, used: 1 }));
    expect((await resend(second.id)).status).toBe(200);
  });

  test("groups of a directory are counted for the first of many, at the limit, and once a day", async () => {
    const workspace = await createWorkspace(server);
    const { orgId } = workspace;
    const { createGroup, call } = await connectDirectory(server, workspace);
    const create = () => createGroup(`Group ${++n}`);
    const countCountings = async (work: () => Promise<unknown>) =>
      (await recordStatements(server.engine, work)).filter(({ text }) =>
        text.includes("count(*) as count from scim_groups"),
      ).length;
    expect(await countCountings(create)).toBe(1);
    const created: string[] = [];
    expect(
      await countCountings(async () => {
        for (let i = 0; i < 4; i++) created.push((await create()).body.id);
      }),
    ).toBe(0);
    await allow(orgId, "scim_groups", 5);
    const full = {
      status: 403,
      body: { detail: expect.stringContaining("the limit is 5, and 5 are in use") },
    };
    expect(await create()).toMatchObject(full);
    await call(`/Groups/${created[0]}`, { method: "DELETE" });
    const replies = await Promise.all([create(), create(), create()]);
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 403, 403]);
    await allow(orgId, "scim_groups", 100);
    const { db } = server.platform;
    await db.run(sql`
      update quota_bounds set counted_at = now() - interval '2 days', at_most = 0 where org_id = ${orgId}`);
    expect(await countCountings(create)).toBe(1);
    const row = await db.row<{ atMost: number }>(sql`
      select at_most as "atMost" from quota_bounds where org_id = ${orgId} and quota = 'scim_groups'`);
    expect(row?.atMost).toBe(6);
  });

  test("a runner that registers again counts once, and only its newest tokens stay valid", async () => {
    const workspace = await createWorkspace(server);
    await allow(workspace.orgId, "runners", 1);
    const runnerId = "the-only-runner";
    const register = () => createRunner(server, workspace.owner.auth, { runnerId });
    const oldest = await register();
    const work = async () =>
      (await server.call("/v1/automation-runner/work", { headers: oldest.auth })).status;
    for (let i = 0; i < 49; i++) await register();
    expect(await work()).toBe(200);
    await register();
    // Sooner than a caller is forgotten by itself, which takes 900 ms.
    await expect.poll(work, { timeout: 500, interval: 20 }).toBe(401);
    const tokens = await count(sql`
      select count(*)::int as count from automation_runner_tokens t
      join automation_runners r on r.id = t.runner_id where r.org_id = ${workspace.orgId}`);
    expect(tokens).toBe(50);
  });

  test("all quotas are listed with their default limits", async () => {
    const { owner } = await createWorkspace(server);
    const { items, provisional } = await read(owner.auth);
    expect(provisional).toBe(false);
    expect(items).toContainEqual({
      ...{ name: "automations", unit: "count", limit: 10_000, used: 0, overridden: false, measuredAt: null },
      description: expect.any(String),
    });
    expect(items).toContainEqual(expect.objectContaining({ name: "audit_storage", limit: null }));
    expect(items).toContainEqual(expect.objectContaining({ name: "template_versions", used: null }));
  });
});

describe("what automations store", () => {
  test("above the limit new events are refused, stored ones are acknowledged, and a run can still end", async () => {
    const workspace = await createWorkspace(server);
    const { auth } = workspace.owner;
    await allow(workspace.orgId, "automation_storage", 100_000);
    const run = await queueRun(server, auth);
    const large = (sequence: number) => event(sequence, { payload: { text: "x".repeat(10_000) } });
    const replies: Reply[] = [];
    for (let i = 0; i < 15; i++) replies.push(await report(server, auth, run.id, large(i)));
    const taken = replies.filter(({ status }) => status === 200).length;
    expect(taken).toBeGreaterThan(5);
    expect(replies[taken]).toMatchObject(exceeded("automation_storage", { limit: 100_000 }));
    const stored = await count(sql`
      select sum(octet_length(events))::int as count from automation_events e
      join automation_runs r on r.no = e.run_no where r.org_id = ${workspace.orgId}`);
    expect(stored).toBeLessThanOrEqual(100_000);

    expect(await report(server, auth, run.id, large(0))).toMatchObject({ status: 200 });
    // The events before `index` are stored.
    expect(await reportBatch(server, auth, run.id, [large(taken - 1), large(taken)])).toMatchObject(
      exceeded("automation_storage", { index: 1, sequence: taken }),
    );
    const again = await server.call(`/v1/automations/${run.automationId}/run`, {
      method: "POST",
      headers: auth,
    });
    // A run without events is small, so it may still fit.
    expect([202, 409]).toContain(again.status);
    expect(
      await complete(server, auth, run.id, {
        attempt: 1,
        status: "succeeded",
        resultSummary: "y".repeat(20_000),
      }),
    ).toMatchObject({ status: 200, body: { run: { status: "succeeded" } } });
    const refused = await server.call(`/v1/automations/${run.automationId}/run`, {
      method: "POST",
      headers: auth,
    });
    expect(refused).toMatchObject(exceeded("automation_storage"));
    expect(await findQuota(auth, "automation_storage")).toMatchObject({
      limit: 100_000,
      used: expect.any(Number),
    });
  });

  test("is measured exactly from time to time, so deleted data frees storage", async () => {
    const workspace = await createWorkspace(server);
    const { auth } = workspace.owner;
    const run = await queueRun(server, auth);
    for (let i = 0; i < 3; i++)
      await report(server, auth, run.id, event(i, { payload: { text: "x".repeat(10_000) } }));
    const failed = { attempt: 1, status: "failed", error: { message: "x".repeat(15_000) } };
    await complete(server, auth, run.id, failed);
    const { used } = await findQuota(auth, "automation_storage");
    expect(used).toBeGreaterThan(45_000);
    await measureDue(server.platform, Date.now() + 20_000);
    const measured = await findQuota(auth, "automation_storage");
    // The metered sum and the measurement differ by the brackets and commas of JSON.
    expect(Math.abs(measured.used - used)).toBeLessThan(500);
    expect(measured.measuredAt).toBeTypeOf("number");

    await server.platform.db.run(sql`
      delete from automation_events where run_no = (select no from automation_runs where id = ${run.id})`);
    await server.platform.db.run(sql`
      update organization_usage set measured_at = now() - interval '2 days' where org_id = ${workspace.orgId}`);
    await measureDue(server.platform, Date.now() + 20_000);
    expect((await findQuota(auth, "automation_storage")).used).toBeLessThan(20_000);
  });

  test("includes the newest revisions of an automation, and those that a run uses", async () => {
    const workspace = await createWorkspace(server);
    const { auth } = workspace.owner;
    await allow(workspace.orgId, "automation_revisions", 3);
    const { id } = await createAutomation(server, auth);
    await runNow(server, auth, id);
    for (let i = 0; i < 6; i++)
      await server.call(`/v1/automations/${id}`, {
        method: "PATCH",
        body: { instructions: `Look ${i}.` },
        headers: auth,
      });
    const { items } = (await server.call(`/v1/automations/${id}/revisions`, { headers: auth })).body;
    expect(items.map(({ revision }: { revision: number }) => revision)).toEqual([7, 6, 5, 1]);
  });
});

describe("templates", () => {
  test("keep their newest versions", async () => {
    const workspace = await createWorkspace(server);
    const { auth } = workspace.owner;
    await allow(workspace.orgId, "template_versions", 3);
    const { id } = await createTemplate(server, auth);
    for (let i = 0; i < 5; i++)
      await server.call(`/v1/templates/${id}`, {
        method: "PATCH",
        body: { body: `Be kind ${i}.` },
        headers: auth,
      });
    const { items } = (await server.call(`/v1/templates/${id}/versions`, { headers: auth })).body;
    expect(items.map(({ version }: { version: number }) => version)).toEqual([6, 5, 4]);
  });

  test("a version that exceeds the storage quota is refused, and nothing changes", async () => {
    const workspace = await createWorkspace(server);
    const { auth } = workspace.owner;
    await allow(workspace.orgId, "template_storage", 60_000);
    const { id } = await createTemplate(server, auth, { body: "x".repeat(30_000) });
    const body = "y".repeat(30_000);
    const changed = await server.call(`/v1/templates/${id}`, {
      method: "PATCH",
      body: { body },
      headers: auth,
    });
    expect(changed).toMatchObject(exceeded("template_storage"));
    const { template } = (await server.call(`/v1/templates/${id}`, { headers: auth })).body;
    expect(template).toMatchObject({ version: 1, body: "x".repeat(30_000) });
  });

  test("a sync adds to the used storage, and fails when its templates do not fit", async () => {
    const workspace = await createWorkspace(server);
    const { auth } = workspace.owner;
    await allow(workspace.orgId, "template_storage", 60_000);
    const git = await startGitServer();
    try {
      const repository = await git.repository();
      await repository.commit({ "templates/first.md": templateFile("First", "x".repeat(30_000)) });
      const { id } = await createConnector(server, auth, { cloneUrl: repository.url });
      await runSyncs(server);
      const { used } = await findQuota(auth, "template_storage");
      expect(used).toBeGreaterThan(30_000);
      expect(used).toBeLessThan(32_000);
      await repository.commit({ "templates/second.md": templateFile("Second", "y".repeat(30_000)) });
      await server.call(`/v1/connectors/${id}/sync`, { method: "POST", headers: auth });
      await runSyncs(server);
      const path = `/v1/connector-syncs?connectorId=${id}&limit=1`;
      const [sync] = (await server.call(path, { headers: auth })).body.items;
      expect(sync).toMatchObject({ status: "failed", error: { code: "too_large" } });
      expect((await server.call("/v1/templates", { headers: auth })).body.items).toHaveLength(1);
    } finally {
      await git.close();
    }
  });
});

describe("templates of a repository", () => {
  test("count for the storage when they are written, and not when they are only read", async () => {
    const workspace = await createWorkspace(server);
    const { auth } = workspace.owner;
    await allow(workspace.orgId, "template_storage", 60_000);
    const git = await startGitServer();
    try {
      const repository = await git.repository();
      const file = templateFile("First", "x".repeat(40_000), "slug: first\n");
      await repository.commit({ "templates/first.md": file });
      const { id } = await createConnector(server, auth, { cloneUrl: repository.url });
      await runSyncs(server);
      const { used } = await findQuota(auth, "template_storage");
      // The files of another folder are all read, and this one has the same content.
      const change = { method: "PATCH", body: { folder: "" }, headers: auth };
      expect((await server.call(`/v1/connectors/${id}`, change)).status).toBe(200);
      await runSyncs(server);
      const path = `/v1/connector-syncs?connectorId=${id}&limit=1`;
      const [sync] = (await server.call(path, { headers: auth })).body.items;
      expect(sync).toMatchObject({ cause: "changed", status: "succeeded", changes: { unchanged: 1 } });
      expect(await findQuota(auth, "template_storage")).toMatchObject({ used });
    } finally {
      await git.close();
    }
  });

  test("a sync adds none beyond the quota, and one that adds none succeeds", async () => {
    const workspace = await createWorkspace(server);
    const { auth } = workspace.owner;
    await allow(workspace.orgId, "templates", 3);
    await createTemplate(server, auth);
    const git = await startGitServer();
    try {
      const repository = await git.repository();
      await repository.commit({
        "templates/a.md": templateFile("A", "a"),
        "templates/b.md": templateFile("B", "b"),
      });
      const { id } = await createConnector(server, auth, { cloneUrl: repository.url });
      const sync = async () => {
        await server.call(`/v1/connectors/${id}/sync`, { method: "POST", headers: auth });
        await runSyncs(server);
        return (await server.call(`/v1/connector-syncs?connectorId=${id}&limit=1`, { headers: auth })).body
          .items[0];
      };
      expect(await sync()).toMatchObject({ status: "succeeded" });
      await repository.commit({ "templates/c.md": templateFile("C", "c") });
      expect(await sync()).toMatchObject({
        status: "failed",
        error: { code: "too_many_templates", message: expect.stringContaining("more than 3 templates") },
      });
      expect(await findQuota(auth, "templates")).toMatchObject({ used: 3, limit: 3 });
      // A lower limit removes nothing, and a repository that does not grow is still followed.
      await allow(workspace.orgId, "templates", 1);
      await repository.commit({ "templates/a.md": templateFile("A", "better"), "templates/b.md": null });
      expect(await sync()).toMatchObject({
        status: "succeeded",
        changes: { added: 1, changed: 1, removed: 1 },
      });
    } finally {
      await git.close();
    }
  });
});

describe("webhooks", () => {
  const send = (path: string, secret: string, body: string, name = "push") =>
    server.call(`/v1/webhooks/connectors/${path}`, {
      body,
      headers: signedHeaders.github(secret, body, { event: name, id: randomUUID() }),
    });
  const deliveries = (orgId: string) =>
    count(
      sql`select count(*)::int as count from webhook_deliveries where org_id = ${orgId} or target_org_id = ${orgId}`,
    );

  test.each(["its own secret", "the instance's"])(
    "above the limit a delivery with %s is answered with 200 and not stored",
    async (whose) => {
      const workspace = await createWorkspace(server);
      await allow(workspace.orgId, "webhook_storage", 50_000);
      const connector = await insertConnector(server.platform, workspace.orgId);
      const own = whose === "its own secret";
      const path = own ? `codehost?connector=${connector.id}` : "codehost";
      const secret = own ? connector.secret : instanceSecret;
      let last: Reply | undefined;
      for (let i = 0; i < 12; i++) {
        last = await send(path, secret, pushBody(connector, undefined, { bytes: 10_000 }));
        await server.platform.state.get(quotaMeter).flush();
      }
      expect(last).toMatchObject({
        status: 200,
        body: { ok: true, accepted: false, reason: "storage quota exceeded" },
      });
      const stored = await deliveries(workspace.orgId);
      expect(stored).toBeGreaterThan(0);
      expect(stored).toBeLessThanOrEqual(5);
      // Other organizations are not affected.
      const other = await insertConnector(server.platform, (await createWorkspace(server)).orgId);
      expect(await send("codehost", instanceSecret, pushBody(other))).toMatchObject({ status: 202 });
    },
  );

  test("ignored deliveries are small, and they are counted", async () => {
    const workspace = await createWorkspace(server);
    await allow(workspace.orgId, "webhook_storage", 5_000);
    const connector = await insertConnector(server.platform, workspace.orgId);
    for (let i = 0; i < 10; i++)
      await send(`codehost?connector=${connector.id}`, connector.secret, JSON.stringify({ i }), "ping");
    expect(await deliveries(workspace.orgId)).toBeLessThanOrEqual(5);
  });
});

describe("a workspace that nobody has claimed", () => {
  test("stores little, whatever its key does", async () => {
    const { orgId, auth } = await bootstrap(server);
    expect((await read(auth)).provisional).toBe(true);
    for (const quota of ["automation_storage", "audit_storage"] as const) await allow(orgId, quota, 200_000);
    const run = await queueRun(server, auth);
    const instructions = "x".repeat(90_000);
    const statuses: number[] = [];
    for (let i = 0; i < 20; i++) {
      const patch = { method: "PATCH", body: { instructions: `${i}${instructions}` }, headers: auth };
      statuses.push((await server.call(`/v1/automations/${run.automationId}`, patch)).status);
      const payload = { text: "x".repeat(90_000) };
      statuses.push((await report(server, auth, run.id, event(i, { payload }))).status);
    }
    expect(statuses).toContain(200);
    expect(statuses.at(-1)).toBe(409);
    const bytes = await count(sql`
      select (coalesce((select sum(octet_length(e.events)) from automation_events e
          join automation_runs r on r.no = e.run_no where r.org_id = ${orgId}), 0)
        + (select sum(octet_length(v.instructions)) from automation_revisions v
          join automations a on a.id = v.automation_id where a.org_id = ${orgId}))::int as count`);
    expect(bytes).toBeLessThanOrEqual(200_000);
  });
});

describe("an instance whose operator set QUOTAS", () => {
  const small = useServer({
    env: {
      QUOTAS:
        "teams=1, provisional.automations = 1,provisional_workspaces_per_network=2,webhook_storage=1MiB,provisional.audit_storage=10KiB",
    },
  });
  let workspace: Workspace;
  beforeAll(async () => {
    workspace = await createWorkspace(small);
  });

  test("has these limits", async () => {
    const { body } = await small.call("/v1/organization/quotas", { headers: workspace.owner.auth });
    const limits = Object.fromEntries(
      body.items.map((one: { name: string; limit: number }) => [one.name, one.limit]),
    );
    expect(limits).toMatchObject({ teams: 1, automations: 10_000, webhook_storage: 1024 * 1024 });
    const team = (name: string) => small.call("/v1/teams", { body: { name }, headers: workspace.owner.auth });
    expect((await team("One")).status).toBe(201);
    expect(await team("Two")).toMatchObject(exceeded("teams", { limit: 1 }));
  });

  test("limits the unclaimed workspaces of one network, also when requests arrive at the same moment", async () => {
    const first = await bootstrap(small);
    await createAutomation(small, first.auth);
    await expect(createAutomation(small, first.auth)).rejects.toThrow("quota_exceeded");
    await small.platform.db.run(sql`delete from rate_limits`);
    await small.platform.db.run(sql`
      update organizations set provisional_network = null where id <> ${first.orgId}`);
    const replies = await Promise.all(
      Array.from({ length: 4 }, () => small.call("/v1/bootstrap/workspace", { body: {} })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    expect(replies.find(({ status }) => status === 409)!.body).toMatchObject({
      ...{ error: "quota_exceeded", quota: "provisional_workspaces_per_network", limit: 2, used: 2 },
    });
  });

  test("limits the audit log of an unclaimed workspace, so that endless changes do not fill the disk", async () => {
    await small.platform.db.run(sql`update organizations set provisional_network = null`);
    const { auth } = await bootstrap(small);
    const { id } = await createAutomation(small, auth);
    const replies: Reply[] = [];
    for (let i = 0; i < 20; i++)
      replies.push(
        await small.call(`/v1/automations/${id}/${i % 2 ? "activate" : "deactivate"}`, {
          method: "POST",
          headers: auth,
        }),
      );
    expect(replies[0]!.status).toBe(200);
    expect(replies.at(-1)).toMatchObject(exceeded("audit_storage"));
  });

  test("the audit log is metered in bytes, not in characters", async () => {
    const { owner } = await createWorkspace(server);
    const meter = server.platform.state.get(quotaMeter);
    const used = async () => {
      await meter.flush();
      return (await findQuota(owner.auth, "audit_storage")).used;
    };
    const createTeamNamed = async (name: string) => {
      const before = await used();
      expect((await server.call("/v1/teams", { body: { name }, headers: owner.auth })).status).toBe(201);
      return (await used()) - before;
    };
    // Both names have sixty characters, and each character of the second one has three bytes.
    const ascii = await createTeamNamed("abc".repeat(20));
    expect((await createTeamNamed("日本語".repeat(20))) - ascii).toBe(60 * 2);
  });

  test("does not start with an unknown name", () => {
    const config = { ...small.platform.config, quotas: new Map([["tems", 1]]) };
    expect(() => createApp({ ...small.platform, config })).toThrow(/unknown name tems/);
  });
});
