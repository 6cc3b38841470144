/** A creating request that is sent again under its key happens once. */
import { beforeAll, describe, expect, test } from "vitest";
import { api } from "../../src/app.ts";
import { sql } from "../../src/platform/db/index.ts";
import { createKey, createWorkspace, joinWorkspace, useServer, type Workspace } from "../harness.ts";

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

  test("at the same moment, eight times over, creates one", async () => {
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

  test("is refused to who may no longer make it", async () => {
    const key = newKey();
    const admin = await joinWorkspace(server, acme, "admin");
    expect((await createApiKey(key, "gone", admin.auth)).status).toBe(201);
    await server.platform.db.run(sql`delete from members where id = ${admin.memberId}`);
    await expect
      .poll(async () => (await createApiKey(key, "gone", admin.auth)).status, { timeout: 5_000 })
      .toBe(403);
  });

  test("creates an organization once, though the first makes it the active one", async () => {
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
  test("is not kept: mended, the request goes through under the same key", async () => {
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

  test("of a body that is not well-formed is not kept either", async () => {
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

  test("is described at every POST that creates", () => {
    const { paths } = api() as {
      paths: Record<
        string,
        { post?: { responses: object; security: object[]; parameters?: { name: string }[] } }
      >;
    };
    const creating = Object.entries(paths).filter(
      ([, { post }]) => post && "201" in post.responses && post.security.length > 0,
    );
    expect(creating.map(([path]) => path)).toContain("/v1/api-keys");
    for (const [path, { post }] of creating) {
      expect(
        post!.parameters?.map(({ name }) => name),
        path,
      ).toContain("Idempotency-Key");
    }
  });
});

describe("what is kept", () => {
  test("is sealed, and opens in its own place only", async () => {
    const key = newKey();
    const { body } = await createApiKey(key, "sealed");
    const other = newKey();
    await createApiKey(other, "sealed");
    const { db } = server.platform;
    const rows = await db.rows<{ reply: string }>(
      sql`select reply from idempotency_keys where key in (${key}, ${other})`,
    );
    for (const { reply } of rows) {
      expect(reply).toMatch(/^v1\./);
      expect(reply).not.toContain(body.key);
      expect(Buffer.from(reply.split(".")[2]!, "base64url").toString("latin1")).not.toContain("sbx_");
    }
    await db.run(sql`
      update idempotency_keys a set reply = b.reply from idempotency_keys b where a.key = ${key} and b.key = ${other}`);
    const moved = await createApiKey(key, "sealed");
    expect(moved.status).toBe(500);
    expect(JSON.stringify(moved.body)).not.toContain("sbx_");
  });

  test("goes with the crash of the request it belongs to", async () => {
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

test("a request under a key does not keep others from the database", async () => {
  const key = await createKey(server, acme.owner);
  const work = Array.from({ length: 20 }, (_, i) => createApiKey(newKey(), `busy ${i}`));
  const reads = Array.from({ length: 20 }, () => server.call("/v1/members", { headers: key.auth }));
  const replies = await Promise.all([...work, ...reads]);
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 201]));
});
