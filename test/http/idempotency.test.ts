/** A creating request that is sent again under its key happens once. */
import { beforeAll, describe, expect, test } from "vitest";
import { api } from "../../src/app.ts";
import { sql } from "../../src/platform/db/index.ts";
import {
  createKey,
  createRole,
  createWorkspace,
  joinWorkspace,
  signIn,
  useServer,
  type Workspace,
} from "../harness.ts";

const server = useServer();
let acme: Workspace;
beforeAll(async () => {
  acme = await createWorkspace(server);
});

let made = 0;
const newKey = () => `test-${++made}`;

const createApiKey = (key: string, name: string, headers: Record<string, string> = acme.owner.auth) =>
  server.call("/v1/api-keys", { body: { name }, headers: { ...headers, "idempotency-key": key } });
const namesOfKeys = async (headers: Record<string, string> = acme.owner.auth) =>
  (await server.call("/v1/api-keys?limit=100", { headers })).body.items.map(
    ({ name }: { name: string }) => name,
  ) as string[];

describe("the same request under the same key", () => {
  test("gets the first reply again, its secret included, and creates nothing", async () => {
    const key = newKey();
    const first = await createApiKey(key, "once");
    const second = await createApiKey(key, "once");
    expect(first.status).toBe(201);
    expect(second.status).toBe(201);
    expect(second.body).toEqual(first.body);
    expect(second.body.key).toMatch(/^sbx_/);
    expect(first.headers.get("idempotency-replayed")).toBeNull();
    expect(second.headers.get("idempotency-replayed")).toBe("true");
    expect(second.headers.get("x-request-id")).not.toBe(first.headers.get("x-request-id"));
    expect((await namesOfKeys()).filter((name) => name === "once")).toHaveLength(1);
  });

  test("sent eight times at the same moment creates one resource", async () => {
    const key = newKey();
    const replies = await Promise.all(Array.from({ length: 8 }, () => createApiKey(key, "at once")));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(replies.map(({ body }) => body.key)).size).toBe(1);
    expect((await namesOfKeys()).filter((name) => name === "at once")).toHaveLength(1);
  });

  test("after 24 hours is a new request", async () => {
    const key = newKey();
    const first = await createApiKey(key, "daily");
    await server.platform.db.run(
      sql`update idempotency_keys set created_at = now() - interval '24 hours 1 second' where key = ${key}`,
    );
    const second = await createApiKey(key, "daily");
    expect(second.status).toBe(201);
    expect(second.body.key).not.toBe(first.body.key);
    expect((await createApiKey(key, "daily")).body).toEqual(second.body);
  });

  test("of another person is another request", async () => {
    const key = newKey();
    const admin = await joinWorkspace(server, acme, "admin");
    const first = await createApiKey(key, "shared name");
    const theirs = await createApiKey(key, "shared name", admin.auth);
    expect(theirs.status).toBe(201);
    expect(theirs.body.key).not.toBe(first.body.key);
  });

  test("of the same person in another organization is another request", async () => {
    const key = newKey();
    const globex = await createWorkspace(server, "Globex");
    const both = await joinWorkspace(server, globex, "owner");
    const { newId } = await import("../../src/platform/ids.ts");
    await server.platform.db.run(
      sql`insert into members (id, org_id, user_id, role) values (${newId("mem")}, ${acme.orgId}, ${both.userId}, 'member')`,
    );
    const inGlobex = await createApiKey(key, "two", { ...both.auth, "x-organization-id": globex.orgId });
    const inAcme = await createApiKey(key, "two", { ...both.auth, "x-organization-id": acme.orgId });
    expect([inGlobex.status, inAcme.status]).toEqual([201, 201]);
    expect(inAcme.body.key).not.toBe(inGlobex.body.key);
  });

  test("is refused when the caller may no longer make it", async () => {
    const key = newKey();
    const admin = await joinWorkspace(server, acme, "admin");
    expect((await createApiKey(key, "gone", admin.auth)).status).toBe(201);
    await server.platform.db.run(sql`delete from members where id = ${admin.memberId}`);
    await expect
      .poll(async () => (await createApiKey(key, "gone", admin.auth)).status, { timeout: 5_000 })
      .toBe(403);
  });

  test("creates an organization once, although the first request makes it the active one", async () => {
    const key = newKey();
    const create = () =>
      server.call("/v1/organizations", {
        body: { name: "Once Inc" },
        headers: { ...acme.owner.auth, "idempotency-key": key },
      });
    const replies = await Promise.all([create(), create(), create()]);
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set(replies.map(({ body }) => body.organization.id)).size).toBe(1);
    expect((await create()).body).toEqual(replies[0]!.body);
    await server.call("/v1/me/active-organization", {
      body: { organizationId: acme.orgId },
      headers: acme.owner.auth,
    });
  });
});

describe("a reply is repeated only to a caller that may make the request now", () => {
  const inviteAdmin = (key: string, headers: Record<string, string>) =>
    server.call("/v1/invitations", {
      body: { email: `${key}@example.com`, role: "admin" },
      headers: { ...headers, "idempotency-key": key },
    });
  const setRole = (memberId: string, role: string) =>
    server.call(`/v1/members/${memberId}`, { method: "PATCH", body: { role }, headers: acme.owner.auth });

  test("a narrower API key of the same person does not get the reply of their session", async () => {
    const key = newKey();
    const narrow = await createKey(server, acme.owner, { permissions: ["members:invite"] });
    const first = await inviteAdmin(key, acme.owner.auth);
    expect(first.status).toBe(201);
    const replayed = await inviteAdmin(key, narrow.auth);
    expect(replayed).toMatchObject({ status: 403, body: { reason: "above_own_rights" } });
    expect(JSON.stringify(replayed.body)).not.toContain(first.body.token);
    expect((await inviteAdmin(key, acme.owner.auth)).body).toEqual(first.body);
  });

  test("another session of the same person makes a request of its own", async () => {
    const key = newKey();
    const first = await createApiKey(key, "two sessions");
    const other = await createApiKey(key, "two sessions", {
      ...(await signIn(server, acme.owner)),
      "x-organization-id": acme.orgId,
    });
    expect(other.status).toBe(201);
    expect(other.body.key).not.toBe(first.body.key);
  });

  test("a member who lost a right that the handler checks does not get it, even if the route allows it", async () => {
    const key = newKey();
    const inviter = await createRole(server, acme.owner, ["members:invite", "organization:read"]);
    const admin = await joinWorkspace(server, acme, "admin");
    const first = await inviteAdmin(key, admin.auth);
    expect(first.status).toBe(201);
    await setRole(admin.memberId, inviter.id);
    const replayed = await inviteAdmin(key, admin.auth);
    expect(replayed).toMatchObject({ status: 403, body: { error: "forbidden", reason: "rights_changed" } });
    expect(replayed.body.message).toContain("new Idempotency-Key");
    await setRole(admin.memberId, "admin");
    expect((await inviteAdmin(key, admin.auth)).body).toEqual(first.body);
  });

  test("a member whose custom role was narrowed does not get it either", async () => {
    const key = newKey();
    const permissions = ["members:invite", "organization:read", "members:read"];
    const role = await createRole(server, acme.owner, permissions);
    const person = await joinWorkspace(server, acme, role.id);
    const invite = () =>
      server.call("/v1/invitations", {
        body: { email: `${key}@example.com`, role: role.id },
        headers: { ...person.auth, "idempotency-key": key },
      });
    expect((await invite()).status).toBe(201);
    const narrowed = { permissions: ["members:invite", "organization:read"] };
    await server.call(`/v1/roles/${role.id}`, { method: "PATCH", body: narrowed, headers: acme.owner.auth });
    expect(await invite()).toMatchObject({ status: 403, body: { reason: "rights_changed" } });
  });
});

describe("without a credential", () => {
  const create = (key: string, name = "Retried") =>
    server.call("/v1/bootstrap/workspace", { body: { name }, headers: { "idempotency-key": key } });
  const longKey = () => `a-random-key-of-an-agent-${++made}`;

  test("a workspace is created once, and a repeat with the same long key gets its API key again", async () => {
    const key = longKey();
    const first = await create(key);
    expect(first.status).toBe(201);
    const second = await create(key);
    expect(second.body).toEqual(first.body);
    expect(second.headers.get("idempotency-replayed")).toBe("true");
    expect(await create(key, "Another")).toMatchObject({
      status: 409,
      body: { error: "idempotency_conflict" },
    });
  });

  test("a key that could be guessed is refused", async () => {
    expect(await create("retry-1")).toMatchObject({
      status: 400,
      body: { details: [{ path: ["Idempotency-Key"] }] },
    });
  });
});

describe("another request under the same key", () => {
  test("with another body is 409 and creates nothing", async () => {
    const key = newKey();
    await createApiKey(key, "first body");
    const reply = await createApiKey(key, "second body");
    expect(reply).toMatchObject({ status: 409, body: { error: "idempotency_conflict" } });
    expect(reply.body.message).toBeTypeOf("string");
    expect(await namesOfKeys()).not.toContain("second body");
  });
});

describe("a refusal", () => {
  test("is not stored: the corrected request succeeds under the same key", async () => {
    const key = newKey();
    const slug = `taken-${Date.now()}`;
    const create = (wish: string) =>
      server.call("/v1/organizations", {
        body: { name: "Mended", slug: wish },
        headers: { ...acme.owner.auth, "idempotency-key": key, "x-organization-id": acme.orgId },
      });
    await server.call("/v1/organizations", { body: { name: "Taken", slug }, headers: acme.owner.auth });
    expect(await create(slug)).toMatchObject({ status: 409, body: { error: "slug_taken" } });
    expect((await create(`${slug}-2`)).status).toBe(201);
  });

  test("of a body that is not well-formed is not stored either", async () => {
    const key = newKey();
    const headers = { ...acme.owner.auth, "idempotency-key": key };
    expect((await server.call("/v1/api-keys", { body: { name: "" }, headers })).status).toBe(400);
    expect((await createApiKey(key, "mended")).status).toBe(201);
  });
});

describe("a key", () => {
  test.each(["", " ", "a b", "x".repeat(256), "é"])("%j is refused", async (key) => {
    const reply = await createApiKey(key, "bad key");
    expect(reply).toMatchObject({ status: 400, body: { details: [{ path: ["Idempotency-Key"] }] } });
  });

  test("is ignored where nothing is created", async () => {
    const headers = { ...acme.owner.auth, "idempotency-key": newKey() };
    const change = (name: string) => server.call("/v1/me", { method: "PATCH", body: { name }, headers });
    expect((await change("A")).body.user.name).toBe("A");
    expect((await change("B")).body.user.name).toBe("B");
  });

  test("is described for every POST that creates", () => {
    const { paths } = api() as {
      paths: Record<
        string,
        { post?: { responses: object; security: object[]; parameters?: { name: string }[] } }
      >;
    };
    const creating = Object.entries(paths).filter(([, { post }]) => post && "201" in post.responses);
    expect(creating.map(([path]) => path)).toEqual(
      expect.arrayContaining(["/v1/api-keys", "/v1/bootstrap/workspace"]),
    );
    for (const [path, { post }] of creating) {
      expect(
        post!.parameters?.map(({ name }) => name),
        path,
      ).toContain("Idempotency-Key");
    }
  });
});

describe("the stored reply", () => {
  test("is sealed, and can be unsealed only in its own row", async () => {
    const key = newKey();
    const { body } = await createApiKey(key, "sealed");
    const other = newKey();
    await createApiKey(other, "sealed");
    const { db } = server.platform;
    const rows = await db.rows<{ reply: string }>(
      sql`select reply from idempotency_keys where key in (${key}, ${other})`,
    );
    for (const { reply } of rows) {
      expect(reply).toMatch(/^v2\./);
      expect(reply).not.toContain(body.key);
      expect(Buffer.from(reply.split(".")[2]!, "base64url").toString("latin1")).not.toContain("sbx_");
    }
    await db.run(sql`
      update idempotency_keys a set reply = b.reply from idempotency_keys b where a.key = ${key} and b.key = ${other}`);
    const moved = await createApiKey(key, "sealed");
    expect(moved.status).toBe(500);
    expect(JSON.stringify(moved.body)).not.toContain("sbx_");
  });

  test("is not left by a request that crashes", async () => {
    const { db } = server.platform;
    const count = async () =>
      (await db.row<{ n: number }>(sql`select count(*)::int as n from idempotency_keys`))!.n;
    const before = await count();
    const reply = await server.call("/v1/api-keys", {
      body: { name: "past", expiresAt: 1 },
      headers: { ...acme.owner.auth, "idempotency-key": newKey() },
    });
    expect(reply.status).toBe(400);
    expect(await count()).toBe(before);
  });
});

test("a request with an Idempotency-Key does not block other requests", async () => {
  const key = await createKey(server, acme.owner);
  const work = Array.from({ length: 20 }, (_, i) => createApiKey(newKey(), `busy ${i}`));
  const reads = Array.from({ length: 20 }, () => server.call("/v1/members", { headers: key.auth }));
  const replies = await Promise.all([...work, ...reads]);
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 201]));
});

describe("the storage of replies is bounded", () => {
  const withKey = (key: string, headers: Record<string, string>) => ({ ...headers, "idempotency-key": key });
  const keptBytes = async () =>
    (await server.platform.db.row<{ bytes: number }>(
      sql`select coalesce(sum(octet_length(reply)), 0)::int as bytes from idempotency_keys`,
    ))!.bytes;
  const allow = (orgId: string, quota: string, max: number) =>
    server.platform.db.run(
      sql`insert into organization_quotas (org_id, quota, max) values (${orgId}, ${quota}, ${max})`,
    );
  const create = (key: string, headers: Record<string, string>, size: number) =>
    server.call("/v1/templates", {
      body: { name: `Large ${key}`, body: "x".repeat(size) },
      headers: withKey(key, headers),
    });
  const templates = async (orgId: string) =>
    (await server.platform.db.row<{ count: number }>(
      sql`select count(*)::int as count from templates where org_id = ${orgId}`,
    ))!.count;

  test("a reply that is too large is not stored; a repeat creates nothing and names the first result", async () => {
    const { owner, orgId } = await createWorkspace(server);
    const before = await keptBytes();
    const first = await create("too-large", owner.auth, 250_000);
    expect(first.status).toBe(201);
    expect((await keptBytes()) - before).toBeLessThan(2_000);
    const again = await create("too-large", owner.auth, 250_000);
    expect(again).toMatchObject({
      status: 409,
      body: { error: "idempotency_reply_not_kept", firstStatus: 201, id: first.body.template.id },
    });
    expect(await templates(orgId)).toBe(1);
  });

  test("above the daily bytes replies are not stored, and no request acts twice", async () => {
    const { owner, orgId } = await createWorkspace(server);
    // One credential may use half of the quota.
    await allow(orgId, "idempotency_storage", 200_000);
    const before = await keptBytes();
    for (let n = 0; n < 8; n++) expect((await create(`day-${n}`, owner.auth, 40_000)).status).toBe(201);
    expect((await keptBytes()) - before).toBeLessThan(110_000);
    expect((await create("day-0", owner.auth, 40_000)).headers.get("idempotency-replayed")).toBe("true");
    expect(await create("day-7", owner.auth, 40_000)).toMatchObject({
      status: 409,
      body: { error: "idempotency_reply_not_kept" },
    });
    expect(await templates(orgId)).toBe(8);
    const { items } = (await server.call("/v1/organization/quotas", { headers: owner.auth })).body;
    expect(items).toContainEqual(expect.objectContaining({ name: "idempotency_keys", used: 8 }));
  });

  test("above the daily number of keys a request with a new key is refused, and a request without a key is not", async () => {
    const { owner, orgId } = await createWorkspace(server);
    await allow(orgId, "idempotency_keys", 4);
    for (let n = 0; n < 2; n++) expect((await create(`few-${n}`, owner.auth, 10)).status).toBe(201);
    expect(await create("few-2", owner.auth, 10)).toMatchObject({
      status: 409,
      body: { error: "quota_exceeded", quota: "idempotency_keys", limit: 2, used: 2 },
    });
    expect((await create("few-1", owner.auth, 10)).status).toBe(201);
    const plain = { body: { name: "Without a key", body: "x" }, headers: owner.auth };
    expect((await server.call("/v1/templates", plain)).status).toBe(201);
    expect(await templates(orgId)).toBe(3);
  });
});
