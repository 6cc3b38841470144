import { describe, expect, test } from "vitest";
import {
  bootstrap,
  createRole,
  createWorkspace,
  joinWorkspace,
  type Person,
  useServer,
} from "../../../../test/harness.ts";
import { createEndpoint } from "../../../../test/notifications.ts";
import { sql } from "../../../platform/db/index.ts";

const server = useServer();
const path = "/v1/webhook-endpoints";

const post = (owner: Person, body: object) => server.call(path, { body, headers: owner.auth });

describe("a webhook endpoint", () => {
  test("is created with a secret that is shown once and stored sealed", async () => {
    const { owner } = await createWorkspace(server);
    const made = await post(owner, { url: "https://example.com/hooks?team=a", types: ["run.failed"] });
    expect(made.status).toBe(201);
    const { webhookEndpoint, secret } = made.body;
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(webhookEndpoint).toMatchObject({
      url: "https://example.com/hooks?team=a",
      types: ["run.failed"],
      status: "enabled",
      failingSince: null,
    });
    const listed = await server.call(path, { headers: owner.auth });
    expect(listed.body.items).toEqual([webhookEndpoint]);
    const read = await server.call(`${path}/${webhookEndpoint.id}`, { headers: owner.auth });
    expect(read.body).toEqual({ webhookEndpoint });
    const row = await server.platform.db.row<{ secret: string }>(
      sql`select secret from webhook_endpoints where id = ${webhookEndpoint.id}`,
    );
    expect(row!.secret).toMatch(/^v2\./);
    const raw = secret.slice("whsec_".length);
    for (const text of [...server.logLines, JSON.stringify(listed.body), row!.secret])
      expect(text).not.toContain(raw);
    const audit = await server.call("/v1/audit-events?action=webhook_endpoint.created", {
      headers: owner.auth,
    });
    expect(audit.body.items).toMatchObject([
      { target: { type: "webhook_endpoint", id: webhookEndpoint.id } },
    ]);
    expect(JSON.stringify(audit.body)).not.toContain(raw);
  });

  test.each([
    ["no URL", "events please"],
    ["another scheme", "ftp://example.com/"],
    ["user-info", "https://user:pass@example.com/"],
    ["a fragment", "https://example.com/#here"],
    ["http to another machine", "http://example.com/hooks"],
    ["a private address", "https://10.0.0.1/hooks"],
    ["the metadata address", "http://169.254.169.254/latest"],
    ["a port of another protocol", "https://example.com:25/"],
  ])("is refused with %s", async (_, url) => {
    const { owner } = await createWorkspace(server);
    const refused = await post(owner, { url });
    expect(refused).toMatchObject({ status: 400, body: { error: "invalid_request" } });
    expect(refused.body.details[0].path).toEqual(["url"]);
    const { id } = await createEndpoint(server, owner.auth);
    const changed = await server.call(`${path}/${id}`, {
      method: "PATCH",
      body: { url },
      headers: owner.auth,
    });
    expect(changed.status).toBe(400);
  });

  test("is changed in part, disabled and enabled, and removed", async () => {
    const { owner } = await createWorkspace(server);
    const { id } = await createEndpoint(server, owner.auth, { description: "Pager" });
    const change = (body: object) =>
      server.call(`${path}/${id}`, { method: "PATCH", body, headers: owner.auth });
    const renamed = await change({ types: ["sync.failed", "sync.failed"] });
    expect(renamed.body.webhookEndpoint).toMatchObject({ description: "Pager", types: ["sync.failed"] });
    const disabled = await change({ status: "disabled" });
    expect(disabled.body.webhookEndpoint).toMatchObject({ status: "disabled", disabledReason: "member" });
    expect(disabled.body.webhookEndpoint.disabledAt).toBeTypeOf("number");
    const enabled = await change({ status: "enabled" });
    expect(enabled.body.webhookEndpoint).toMatchObject({ status: "enabled", disabledReason: null });
    const removed = await server.call(`${path}/${id}`, { method: "DELETE", headers: owner.auth });
    expect(removed.status).toBe(204);
    expect((await server.call(`${path}/${id}`, { headers: owner.auth })).status).toBe(404);
  });

  test("belongs to its organization, and needs the permission to manage notifications", async () => {
    const acme = await createWorkspace(server);
    const globex = await createWorkspace(server, "Globex");
    const { id } = await createEndpoint(server, acme.owner.auth);
    for (const [method, suffix] of [
      ["GET", ""],
      ["DELETE", ""],
      ["GET", "/deliveries"],
      ["POST", "/test"],
    ] as const) {
      const reply = await server.call(`${path}/${id}${suffix}`, { method, headers: globex.owner.auth });
      expect(reply).toMatchObject({ status: 404, body: { error: "webhook_endpoint_not_found" } });
    }
    const member = await joinWorkspace(server, acme, "member");
    expect((await server.call(path, { headers: member.auth })).status).toBe(403);
    const admin = await joinWorkspace(server, acme, "admin");
    expect((await server.call(path, { headers: admin.auth })).body.items).toHaveLength(1);
  });

  test("can subscribe only to types that the person who creates or changes it may see", async () => {
    const acme = await createWorkspace(server);
    const role = await createRole(server, acme.owner, [
      "organization:read",
      "notifications:manage",
      "connectors:read",
    ]);
    const person = await joinWorkspace(server, acme, role.id);
    const url = "https://example.com/";
    const missing = (permission: string) => ({
      status: 403,
      body: { reason: "missing_permission", message: expect.stringContaining(permission) },
    });
    expect(await post(person, { url })).toMatchObject(missing("automations:manage"));
    expect(await post(person, { url, types: ["sync.failed", "budget.reached"] })).toMatchObject(
      missing("usage:read"),
    );
    const made = await post(person, { url, types: ["sync.failed"] });
    expect(made.status).toBe(201);
    const change = (id: string, body: object) =>
      server.call(`${path}/${id}`, { method: "PATCH", body, headers: person.auth });
    const own = made.body.webhookEndpoint.id;
    expect(await change(own, { types: [] })).toMatchObject(missing("automations:manage"));
    expect((await change(own, { url: "https://example.com/b" })).status).toBe(200);
    const { id } = await createEndpoint(server, acme.owner.auth);
    expect(await change(id, { url })).toMatchObject(missing("automations:manage"));
    expect((await change(id, { description: "Pager" })).status).toBe(200);
  });

  test("is one of at most 20, even with simultaneous requests; an unclaimed workspace has none", async () => {
    const { owner, orgId } = await createWorkspace(server);
    await server.platform.db.run(
      sql`insert into organization_quotas (org_id, quota, max) values (${orgId}, 'webhook_endpoints', 2)`,
    );
    const made = await Promise.all([1, 2, 3, 4].map(() => post(owner, { url: "https://example.com/" })));
    expect(made.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409]);
    expect((await post(owner, { url: "https://example.com/" })).body).toMatchObject({
      error: "quota_exceeded",
      quota: "webhook_endpoints",
    });
    const { auth } = await bootstrap(server);
    expect((await server.call(path, { body: { url: "https://example.com/" }, headers: auth })).status).toBe(
      403,
    );
  });

  test("keeps only the last previous secret, for the requested time", async () => {
    const { owner } = await createWorkspace(server);
    const { id, secret } = await createEndpoint(server, owner.auth);
    const rotate = (overlapSeconds: number) =>
      server.call(`${path}/${id}/rotate-secret`, { body: { overlapSeconds }, headers: owner.auth });
    const rotated = await rotate(3600);
    expect(rotated.status).toBe(201);
    expect(rotated.body.secret).not.toBe(secret);
    const { previousSecretExpiresAt } = rotated.body.webhookEndpoint;
    expect(previousSecretExpiresAt - Date.now()).toBeGreaterThan(3_500_000);
    expect(previousSecretExpiresAt - Date.now()).toBeLessThan(3_700_000);
    const byDefault = await server.call(`${path}/${id}/rotate-secret`, {
      method: "POST",
      headers: owner.auth,
    });
    expect(byDefault.status).toBe(201);
    expect(byDefault.body.webhookEndpoint.previousSecretExpiresAt - Date.now()).toBeGreaterThan(86_000_000);
    const ended = await rotate(0);
    expect(ended.body.webhookEndpoint.previousSecretExpiresAt).toBeNull();
  });
});
