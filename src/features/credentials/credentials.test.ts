import { beforeAll, describe, expect, inject, test } from "vitest";
import { z } from "zod";
import { createRunner } from "../../../test/automations.ts";
import {
  createKey,
  createMcpToken,
  createWorkspace,
  joinWorkspace,
  type Person,
  signIn,
  signUp,
  useServer,
  verifyAddress,
  type Workspace,
} from "../../../test/harness.ts";
import type { OrganizationCtx, OrgId } from "../../platform/context.ts";
import { sql } from "../../platform/db/index.ts";
import { notFound } from "../../platform/errors.ts";
import {
  type CredentialType,
  machine,
  member,
  on,
  operator,
  type Route,
  route,
  signedIn,
} from "../../platform/http/index.ts";
import { isId } from "../../platform/ids.ts";
import { hashSecret, newToken } from "../../platform/secrets.ts";
import { record } from "../audit/index.ts";
import { findMembership } from "./index.ts";

type Auth = Record<string, string>;

/** The tokens of machines in this test, by hash. */
const machines = new Map<string, { id: string; orgId: OrgId; permissions: ReadonlySet<string> }>();

const workerToken: CredentialType = {
  kind: "worker",
  carrier: "bearer",
  prefix: "sbq_",
  find: async (_db, tokenHash) => {
    const found = machines.get(tokenHash);
    if (!found) return undefined;
    const { id, orgId, permissions } = found;
    const machine = { orgId, permissions, isSuspended: false };
    return { credential: "worker", credentialId: id, principal: "machine", machine };
  },
};

function createMachine(orgId: string, permissions: string[] = ["members:manage"]): Auth {
  if (!isId("org", orgId)) throw new Error(`${orgId} is not the id of an organization.`);
  const token = newToken("sbq_");
  machines.set(hashSecret(token), { id: `worker_${orgId}`, orgId, permissions: new Set(permissions) });
  return { authorization: `Bearer ${token}` };
}

/** A service that needs an organization and no person. */
async function readMember({ db, orgId, permissions }: OrganizationCtx, id: string) {
  const found = isId("mem", id) ? await findMembership(db, orgId, id) : undefined;
  if (!found) throw notFound("member");
  return { role: found.role, canManage: permissions.has("members:manage") };
}

const common = { tag: "System", summary: "For tests" } as const;
const id = z.strictObject({ id: z.string() });
const role = { 200: z.strictObject({ role: z.string(), canManage: z.boolean() }) };
const done = { 200: z.strictObject({ done: z.boolean() }) };
const forMachines = { credentials: ["worker"], permission: "members:manage" } as const;

const routes: Route[] = [
  on(
    route({
      ...common,
      method: "get",
      path: "/test/machine/{id}",
      access: machine(forMachines),
      params: id,
      replies: role,
    }),
    (ctx, { params }) => readMember(ctx, params.id),
  ),
  on(
    route({
      ...common,
      method: "get",
      path: "/test/member/{id}",
      access: member({ credentials: ["session", "worker"] }),
      params: id,
      replies: role,
    }),
    (ctx, { params }) => readMember(ctx, params.id),
  ),
  on(
    route({
      ...common,
      method: "get",
      path: "/test/person",
      access: signedIn({ credentials: ["session", "worker"] }),
      replies: done,
    }),
    () => ({ done: true }),
  ),
  on(
    route({
      ...common,
      method: "post",
      path: "/test/machine",
      access: machine({ credentials: ["worker", "session"] }),
      replies: { 201: z.strictObject({ done: z.boolean() }) },
    }),
    async (ctx) => {
      const target = { type: "organization", id: ctx.orgId };
      await ctx.db.transaction((tx) => record(ctx, tx, { action: "test.changed", target }));
      return { done: true };
    },
  ),
  on(route({ ...common, method: "get", path: "/test/operator", access: operator(), replies: done }), () => ({
    done: true,
  })),
  on(
    route({
      ...common,
      method: "get",
      path: "/test/operator/fresh",
      access: operator({ fresh: true }),
      replies: done,
    }),
    () => ({ done: true }),
  ),
];

describe("a machine of an organization", () => {
  const server = useServer({ moreRoutes: routes, moreCredentials: [workerToken] });
  let acme: Workspace;
  let globex: Workspace;
  let memberId: string;
  let memberIdElsewhere: string;
  let auth: Auth;
  beforeAll(async () => {
    [acme, globex] = [await createWorkspace(server, "Acme"), await createWorkspace(server, "Globex")];
    memberId = (await joinWorkspace(server, acme, "admin")).memberId;
    memberIdElsewhere = (await joinWorkspace(server, globex, "admin")).memberId;
    auth = createMachine(acme.orgId);
  });
  const get = (path: string, headers: Auth) => server.call(path, { headers });

  test("reaches the rows of its organization, and no others", async () => {
    expect(await get(`/test/machine/${memberId}`, auth)).toMatchObject({
      status: 200,
      body: { role: "admin", canManage: true },
    });
    // A machine cannot choose another organization.
    for (const headers of [auth, { ...auth, "x-organization-id": globex.orgId }])
      expect(await get(`/test/machine/${memberIdElsewhere}`, headers)).toMatchObject({
        status: 404,
        body: { error: "member_not_found" },
      });
  });

  test("needs the permission of the route", async () => {
    const limited = createMachine(acme.orgId, ["members:read"]);
    expect(await get(`/test/machine/${memberId}`, limited)).toMatchObject({
      status: 403,
      body: { error: "forbidden", reason: "missing_permission" },
    });
  });

  test("is refused on routes for people, even where its kind of credential is accepted", async () => {
    for (const path of [`/test/member/${memberId}`, "/test/person"]) {
      expect(await get(path, auth)).toMatchObject({
        status: 403,
        body: { error: "forbidden", reason: "person_required" },
      });
    }
    for (const path of ["/v1/me", "/v1/members", "/test/operator"])
      expect(await get(path, auth)).toMatchObject({ status: 401, body: { error: "unauthorized" } });
  });

  test("reaches routes that people do not reach", async () => {
    const key = await createKey(server, acme.owner);
    const post = (headers: Auth) => server.call("/test/machine", { method: "POST", headers });
    expect(await post(acme.owner.auth)).toMatchObject({ status: 403, body: { reason: "machine_required" } });
    expect((await post(key.auth)).status).toBe(403);
    expect((await post({})).status).toBe(401);
    expect((await post({ authorization: `Bearer ${newToken("sbq_")}` })).status).toBe(401);
  });

  test("is recorded in the audit log of its organization by its credential, without a person", async () => {
    const headers = { ...auth, "idempotency-key": "one-change" };
    const first = await server.call("/test/machine", { method: "POST", headers });
    const again = await server.call("/test/machine", { method: "POST", headers });
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    const path = "/v1/audit-events?action=test.changed";
    const { items } = (await get(path, acme.owner.auth)).body;
    expect(items).toHaveLength(1);
    expect(items[0].actor).toEqual({
      userId: null,
      memberId: null,
      name: null,
      credential: "worker",
      credentialId: `worker_${acme.orgId}`,
    });
    expect((await get(path, globex.owner.auth)).body.items).toEqual([]);
    const line = server.logLines.findLast((one) => one.includes('"credential":"worker"'));
    expect(JSON.parse(line!)).toMatchObject({ orgId: acme.orgId });
    expect(line).not.toContain("userId");
  });
});

describe("a route for operators", () => {
  const refused = { status: 403, body: { error: "forbidden", reason: "operator_required" } };

  describe("with ADMIN_EMAILS", () => {
    const address = "root@example.com";
    const server = useServer({ moreRoutes: routes, env: { ADMIN_EMAILS: `Other@example.com,${address}` } });
    const call = (headers: Auth, path = "/test/operator") => server.call(path, { headers });
    let first: Workspace;
    let root: Person;
    beforeAll(async () => {
      first = await createWorkspace(server, "Acme");
      root = await signUp(server, "Root");
      await server.platform.db.run(sql`update users set email = ${address} where id = ${root.userId}`);
    });

    test("accepts a person whose address is listed and confirmed, and nobody else", async () => {
      await verifyAddress(server, first.owner);
      expect(await call(first.owner.auth)).toMatchObject(refused);
      expect(await call(root.auth)).toMatchObject(refused);
      await verifyAddress(server, root);
      expect(await call(root.auth)).toMatchObject({ status: 200, body: { done: true } });
    });

    test("refuses a session from the identity provider of an organization", async () => {
      await verifyAddress(server, root);
      const session = await signIn(server, { ...root, email: address });
      const { orgId } = first;
      await server.platform.db.run(sql`
        update sessions set signed_in_by = 'sso', sso_org_id = ${orgId}
        where id = (select id from sessions where user_id = ${root.userId} order by id desc limit 1)`);
      expect(await call(session)).toMatchObject(refused);
      expect((await call(root.auth)).status).toBe(200);
    });

    test("accepts sessions only", async () => {
      const workspace = await server.call("/v1/organizations", {
        body: { name: "Root", slug: "root" },
        headers: root.auth,
      });
      expect(workspace.status).toBe(201);
      await verifyAddress(server, root);
      const key = await createKey(server, root);
      expect(await call(key.auth)).toMatchObject({ status: 403, body: { reason: "session_required" } });
      const [runner, mcp] = [await createRunner(server, root.auth), await createMcpToken(server, root)];
      for (const headers of [runner.auth, mcp.auth, {}, { authorization: "Bearer garbage" }])
        expect(await call(headers)).toMatchObject({ status: 401, body: { error: "unauthorized" } });
      expect((await call(root.auth)).status).toBe(200);
    });

    test("can require a fresh session", async () => {
      const { db } = server.platform;
      expect((await call(root.auth, "/test/operator/fresh")).status).toBe(200);
      await db.run(
        sql`update sessions set created_at = now() - interval '1 hour' where user_id = ${root.userId}`,
      );
      await expect
        .poll(() => call(root.auth, "/test/operator/fresh"), { timeout: 3_000 })
        .toMatchObject({ status: 403, body: { error: "reauth", reason: "session_too_old" } });
    });

    test("is refused once the address is no longer confirmed", async () => {
      await server.platform.db.run(sql`update users set email_verified = false where id = ${root.userId}`);
      expect(await call(root.auth)).toMatchObject(refused);
    });
  });

  describe("without ADMIN_EMAILS", () => {
    const server = useServer({ moreRoutes: routes });

    test("accepts the first account of an embedded instance, and nobody on a PostgreSQL server", async () => {
      const acme = await createWorkspace(server);
      const second = await joinWorkspace(server, acme, "owner");
      const call = (headers: Auth) => server.call("/test/operator", { headers });
      expect(await call(second.auth)).toMatchObject(refused);
      const reply = await call(acme.owner.auth);
      if (inject("engine") === "pglite") expect(reply.status).toBe(200);
      else expect(reply).toMatchObject(refused);
    });
  });
});
