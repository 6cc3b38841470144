import { beforeAll, describe, expect, test } from "vitest";
import {
  askOnce,
  createKey,
  createWorkspace,
  joinWorkspace,
  useServer,
  type Workspace,
} from "../../../test/harness.ts";
import { recordStatements } from "../../../test/plans.ts";
import { createApp } from "../../app.ts";
import { sql } from "../../platform/db/index.ts";
import { newToken } from "../../platform/secrets.ts";
import { permissions } from "../permissions/index.ts";

describe("API keys", () => {
  const server = useServer();
  let acme: Workspace;
  beforeAll(async () => {
    acme = await createWorkspace(server);
  });

  test("a key acts as the member who created it, in that organization", async () => {
    const key = await createKey(server, acme.owner);
    const { status, body } = await server.call("/v1/me", { headers: key.auth });
    expect(status).toBe(200);
    expect(body.user.id).toBe(acme.owner.userId);
    expect(body.activeOrganizationId).toBe(acme.orgId);
    expect(body.credential).toBe("key");
  });

  test("a list that is longer than all permissions is refused before its names are checked", async () => {
    const create = (permissions: readonly string[]) =>
      server.call("/v1/api-keys", { body: { name: "Long", permissions }, headers: acme.owner.auth });
    const { status, body } = await create(Array.from({ length: 2_000 }, (_, i) => `p${i}`));
    expect(status).toBe(400);
    expect(body.details).toEqual([
      { path: ["permissions"], message: `Must have at most ${permissions.length} items.` },
    ]);
    // Not even parsed.
    expect((await create(Array.from({ length: 80_000 }, () => "p"))).status).toBe(413);
  });

  test("a deleted key is refused at once", async () => {
    const key = await createKey(server, acme.owner);
    expect((await server.call("/v1/me", { headers: key.auth })).status).toBe(200);
    expect(
      (await server.call(`/v1/api-keys/${key.id}`, { method: "DELETE", headers: acme.owner.auth })).status,
    ).toBe(204);
    await expect
      .poll(async () => (await server.call("/v1/me", { headers: key.auth })).status, { timeout: 5_000 })
      .toBe(401);
  });

  test("a member sees and deletes only their own keys, an admin those of everyone", async () => {
    const member = await joinWorkspace(server, acme, "member");
    const ownersKey = await createKey(server, acme.owner);
    const membersKey = await createKey(server, member);
    const seen = await server.call("/v1/api-keys", { headers: member.auth });
    expect(seen.body.items.map((key: { id: string }) => key.id)).toEqual([membersKey.id]);
    const refused = await server.call(`/v1/api-keys/${ownersKey.id}`, {
      method: "DELETE",
      headers: member.auth,
    });
    expect(refused).toMatchObject({ status: 404, body: { error: "api_key_not_found" } });
    const all = await server.call("/v1/api-keys", { headers: acme.owner.auth });
    expect(all.body.items.map((key: { id: string }) => key.id)).toEqual(
      expect.arrayContaining([ownersKey.id, membersKey.id]),
    );
  });

  test("after a rotation the new key works at once, and the old key until the overlap ends", async () => {
    const old = await createKey(server, acme.owner, { permissions: ["members:read"], name: "CI" });
    const rotate = (id: string, body: object, headers: Record<string, string> = acme.owner.auth) =>
      server.call(`/v1/api-keys/${id}/rotate`, { body, headers });
    const works = async (auth: Record<string, string>) =>
      (await server.call("/v1/members", { headers: auth })).status;
    const { status, body } = await rotate(old.id, { overlapSeconds: 2 });
    expect(status).toBe(201);
    expect(body.apiKey).toMatchObject({
      name: "CI",
      permissions: ["members:read"],
      expiresAt: null,
      replacedBy: null,
    });
    expect(body.previous).toMatchObject({ id: old.id, replacedBy: body.apiKey.id });
    expect(body.key).toMatch(/^sbx_/);
    const next = { "x-api-key": body.key };
    expect([await works(old.auth), await works(next)]).toEqual([200, 200]);
    expect(await rotate(old.id, {})).toMatchObject({ status: 409, body: { error: "api_key_replaced" } });
    await expect.poll(() => works(old.auth), { timeout: 6_000 }).toBe(401);
    expect(await works(next)).toBe(200);
    const again = await rotate(body.apiKey.id, {});
    expect(again.body.previous).toBeNull();
    expect([await works(next), await works({ "x-api-key": again.body.key })]).toEqual([401, 200]);
    expect((await rotate(body.apiKey.id, {})).status).toBe(404);
  });

  test("a key is rotated without a body, and the old key ends at once", async () => {
    const old = await createKey(server, acme.owner);
    const { status, body } = await server.call(`/v1/api-keys/${old.id}/rotate`, {
      method: "POST",
      headers: acme.owner.auth,
    });
    expect({ status, body }).toMatchObject({ status: 201, body: { previous: null } });
    const read = (headers: Record<string, string>) => server.call("/v1/members", { headers });
    expect((await read(old.auth)).status).toBe(401);
    expect((await read({ "x-api-key": body.key })).status).toBe(200);
  });

  test("a key that is rotated twice at the same moment has one successor", async () => {
    const key = await createKey(server, acme.owner);
    const replies = await Promise.all(
      [1, 2, 3].map(() =>
        server.call(`/v1/api-keys/${key.id}/rotate`, {
          body: { overlapSeconds: 60 },
          headers: acme.owner.auth,
        }),
      ),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  });

  test("only its member can rotate a key, with no more permissions than the member has now, and no later expiry", async () => {
    const admin = await joinWorkspace(server, acme, "admin");
    const key = await createKey(server, admin, {
      permissions: ["organization:update"],
      expiresAt: Date.now() + 3_600_000,
    });
    const rotate = (headers: Record<string, string>, body: object = {}) =>
      server.call(`/v1/api-keys/${key.id}/rotate`, { body, headers });
    // Whoever rotates sees the new key, and it acts as its member: not even an owner does that for somebody.
    expect((await rotate(acme.owner.auth)).status).toBe(404);
    await server.call(`/v1/members/${admin.memberId}`, {
      method: "PATCH",
      body: { role: "member" },
      headers: acme.owner.auth,
    });
    expect(await rotate(admin.auth)).toMatchObject({ status: 403, body: { reason: "missing_permission" } });
    await server.call(`/v1/members/${admin.memberId}`, {
      method: "PATCH",
      body: { role: "admin" },
      headers: acme.owner.auth,
    });
    const { apiKey, previous } = (await rotate(admin.auth, { overlapSeconds: 604_800 })).body;
    expect(apiKey.expiresAt - Date.now()).toBeGreaterThan(3_000_000);
    expect(previous.expiresAt).toBe(apiKey.expiresAt);
    await server.platform.db.run(
      sql`update api_keys set expires_at = now() - interval '1 second' where id = ${apiKey.id}`,
    );
    const over = await server.call(`/v1/api-keys/${apiKey.id}/rotate`, { body: {}, headers: admin.auth });
    expect(over).toMatchObject({ status: 409, body: { error: "api_key_expired" } });
  });

  test("a key is shown in full once, and by its first characters afterwards", async () => {
    const { body } = await server.call("/v1/api-keys", {
      body: { name: " CI " },
      headers: acme.owner.auth,
    });
    expect(body.apiKey).toMatchObject({ name: "CI", permissions: null, expiresAt: null, lastUsedAt: null });
    expect(body.key.startsWith(body.apiKey.start)).toBe(true);
    const listed = await server.call("/v1/api-keys?limit=100", { headers: acme.owner.auth });
    expect(JSON.stringify(listed.body)).not.toContain(body.key);
    expect(listed.body.items).toContainEqual(body.apiKey);
  });

  test("a key is refused once it has expired", async () => {
    const key = await createKey(server, acme.owner, { expiresAt: Date.now() + 1_500 });
    expect((await server.call("/v1/me", { headers: key.auth })).status).toBe(200);
    await expect
      .poll(async () => (await server.call("/v1/me", { headers: key.auth })).status, { timeout: 4_000 })
      .toBe(401);
  });

  test.each([0, -1, 1, 1.5, 1e300, Number.MAX_SAFE_INTEGER, 253_402_300_800_000, "tomorrow", null])(
    "the expiry %j is refused",
    async (expiresAt) => {
      const reply = await server.call("/v1/api-keys", {
        body: { name: "x", expiresAt },
        headers: acme.owner.auth,
      });
      expect(reply).toMatchObject({ status: 400, body: { details: [{ path: ["expiresAt"] }] } });
    },
  );

  test("a key never has more permissions than its member, neither when it is created nor when the member loses some", async () => {
    const member = await joinWorkspace(server, acme, "member");
    const wide = await server.call("/v1/api-keys", {
      body: { name: "wide", permissions: ["organization:update"] },
      headers: member.auth,
    });
    expect(wide).toMatchObject({ status: 403, body: { reason: "missing_permission" } });
    const admin = await joinWorkspace(server, acme, "admin");
    const key = await createKey(server, admin, { permissions: ["organization:update"] });
    const change = () => server.call("/v1/organization", { method: "PATCH", body: {}, headers: key.auth });
    expect((await change()).status).toBe(200);
    await server.platform.db.run(sql`update members set role = 'member' where id = ${admin.memberId}`);
    await expect.poll(async () => (await change()).status, { timeout: 5_000 }).toBe(403);
  });

  test("an empty, unknown or malformed list of permissions is refused", async () => {
    for (const permissions of [[], ["everything"], "members:read", [null]]) {
      const reply = await server.call("/v1/api-keys", {
        body: { name: "x", permissions },
        headers: acme.owner.auth,
      });
      expect(reply.status).toBe(400);
    }
  });

  test("a key cannot create another key", async () => {
    const key = await createKey(server, acme.owner);
    const reply = await server.call("/v1/api-keys", { body: { name: "child" }, headers: key.auth });
    expect(reply).toMatchObject({ status: 403, body: { error: "reauth", reason: "session_too_old" } });
  });

  test("a key can revoke itself, once", async () => {
    const key = await createKey(server, acme.owner);
    const end = () => server.call(`/v1/api-keys/${key.id}`, { method: "DELETE", headers: key.auth });
    const statuses = (await Promise.all([end(), end()])).map(({ status }) => status);
    expect(statuses).toContain(204);
    expect(statuses.every((status) => [204, 401, 404].includes(status))).toBe(true);
    expect((await end()).status).toBe(401);
  });

  test("the time of last use of a key is shown soon after it was used", async () => {
    const key = await createKey(server, acme.owner);
    const app = createApp(server.platform, { role: "api" });
    await askOnce(app, "/v1/me", key.auth);
    await app.close();
    const { items } = (await server.call("/v1/api-keys?limit=100", { headers: acme.owner.auth })).body;
    const { lastUsedAt } = items.find(({ id }: { id: string }) => id === key.id);
    expect(lastUsedAt).toBeGreaterThan(Date.now() - 60_000);
  });

  test("requests with different keys at the same time share lookups, and each is answered by its own key", async () => {
    const globex = await createWorkspace(server, "Globex");
    const keys = await Promise.all(
      Array.from({ length: 20 }, async (_, i) => {
        const workspace = i % 2 === 0 ? acme : globex;
        return { orgId: workspace.orgId, ...(await createKey(server, workspace.owner)) };
      }),
    );
    const removed = keys.splice(3, 1)[0]!;
    await server.call(`/v1/api-keys/${removed.id}`, { method: "DELETE", headers: globex.owner.auth });
    const statements = await recordStatements(server.engine, async () => {
      const refused = [removed.auth, { "x-api-key": newToken("sbx_") }];
      const replies = await Promise.all([
        ...keys.map(({ auth }) => server.call("/v1/me", { headers: auth })),
        ...refused.map((headers) => server.call("/v1/me", { headers })),
      ]);
      expect(
        replies.map(({ status, body }) => (status === 200 ? body.activeOrganizationId : status)),
      ).toEqual([...keys.map(({ orgId }) => orgId), 401, 401]);
    });
    const lookups = statements.filter(({ text }) => /from api_keys k join members/.test(text));
    if (server.platform.db.kind === "postgres") expect(lookups.length).toBeLessThan(keys.length);
    else expect(lookups).toHaveLength(keys.length + 2);
  });
});
