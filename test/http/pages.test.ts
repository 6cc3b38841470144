/** Lists: every row once, in order, from an index, whatever else happens meanwhile. */
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import * as apiKeys from "../../src/features/api-keys/store.ts";
import * as invitations from "../../src/features/invitations/store.ts";
import * as members from "../../src/features/members/store.ts";
import type { MemberId, OrgId } from "../../src/platform/context.ts";
import { createDb, type Db, type Engine, scan, sql } from "../../src/platform/db/index.ts";
import { newId } from "../../src/platform/ids.ts";
import { createWorkspace, useServer, type Workspace } from "../harness.ts";
import {
  countRowsOfNode,
  countRowsRead,
  explainStatement,
  flattenPlan,
  type PlanNode,
  type Statement,
} from "../plans.ts";

const server = useServer();

/** A page examines 101 candidates, or 250 in a step, each in a few plan nodes. The lists have thousands of rows. */
const fewRows = 1_000;

/** Members without an account that could sign in, made in one statement. */
async function addMembers(orgId: string, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => ({ user: newId("usr"), member: newId("mem") }));
  const users = ids.map(({ user }) => user);
  const { db } = server.platform;
  await db.run(sql`insert into users (id, email, name)
    select id, id || '@example.com', 'Somebody' from unnest(${users}::text[]) as id`);
  await db.run(sql`insert into members (id, org_id, user_id, role)
    select m, ${orgId}, u, 'member' from unnest(${ids.map(({ member }) => member)}::text[], ${users}::text[]) as t (m, u)`);
  return ids.map(({ member }) => member);
}

describe("reading all pages of a list", () => {
  test("returns every row that existed at the start once, newest first, while others are added", async () => {
    const { orgId, owner } = await createWorkspace(server);
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 40 }),
        fc.integer({ min: 1, max: 15 }),
        fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 5 }),
        async (count, limit, additions) => {
          await server.platform.db.run(sql`delete from members where org_id = ${orgId} and role = 'member'`);
          const there = await addMembers(orgId, count);
          const seen: string[] = [];
          let cursor: string | null = null;
          for (let page = 0; ; page++) {
            const path: string = `/v1/members?limit=${limit}${cursor ? `&cursor=${cursor}` : ""}`;
            const { status, body } = await server.call(path, { headers: owner.auth });
            expect(status).toBe(200);
            expect(body.items.length).toBeLessThanOrEqual(limit);
            seen.push(...body.items.map(({ id }: { id: string }) => id));
            cursor = body.nextCursor;
            if (cursor === null) break;
            expect(body.items).toHaveLength(limit);
            await addMembers(orgId, additions[page % additions.length]!);
          }
          expect(seen).toEqual([...seen].sort().reverse());
          expect(new Set(seen).size).toBe(seen.length);
          for (const id of there) expect(seen).toContain(id);
          // The owner is the one who was there before all of them.
          expect(seen).toHaveLength(count + 1);
        },
      ),
      { numRuns: 15 },
    );
  });

  test("a list whose length is exactly the limit has no next page", async () => {
    const { orgId, owner } = await createWorkspace(server);
    await addMembers(orgId, 4);
    const exact = await server.call("/v1/members?limit=5", { headers: owner.auth });
    expect(exact.body).toMatchObject({ items: { length: 5 }, nextCursor: null });
    const less = await server.call("/v1/members?limit=4", { headers: owner.auth });
    expect(less.body.nextCursor).toBeTypeOf("string");
  });

  test("a cursor of one organization shows nothing of it to another", async () => {
    const acme = await createWorkspace(server);
    await addMembers(acme.orgId, 3);
    const { body } = await server.call("/v1/members?limit=1", { headers: acme.owner.auth });
    const globex = await createWorkspace(server);
    const reply = await server.call(`/v1/members?cursor=${body.nextCursor}`, { headers: globex.owner.auth });
    expect(reply.body).toEqual({ items: [], nextCursor: null });
  });
});

describe("a page deep in a list", () => {
  let acme: Workspace;
  let frequent: MemberId;
  const memberIds: string[] = [];
  const keyIds: string[] = [];
  const invitationIds: string[] = [];
  beforeAll(async () => {
    const { db } = server.platform;
    acme = await createWorkspace(server);
    const others = await Promise.all([1, 2, 3].map(() => createWorkspace(server)));
    for (let round = 0; round < 10; round++) {
      memberIds.push(...(await addMembers(acme.orgId, 200)));
      frequent ??= memberIds[0] as MemberId;
      for (const { orgId } of [acme, ...others]) {
        const [stranger] = await addMembers(orgId, 200);
        const ids = Array.from({ length: 200 }, () => newId("key"));
        const own = orgId === acme.orgId;
        if (own) keyIds.push(...ids);
        const invited = Array.from({ length: 200 }, () => newId("inv"));
        if (own) invitationIds.push(...invited);
        await db.run(sql`
          insert into invitations (id, org_id, email, role, token_hash, mail_hash, inviter_name, expires_at)
          select id, ${orgId}, id, 'member', id, id, 'Ada', now() from unnest(${invited}::text[]) as id`);
        await db.run(sql`
          insert into api_keys (id, org_id, member_id, name, start, key_hash)
          select id, ${orgId}, ${own ? frequent : stranger}, 'key', 'sbx_', id from unnest(${ids}::text[]) as id`);
      }
    }
    await db.queryWithDriverTypes("analyze");
  });

  const lists: Record<string, (db: Db, orgId: OrgId) => Promise<unknown>> = {
    invitations: (db, orgId) => scan(invitations.list(db, orgId), invitationIds[500]!, 51),
    members: (db, orgId) => scan(members.list(db, orgId, {}), memberIds[500]!, 51),
    "API keys": (db, orgId) => apiKeys.list(db, orgId, null, keyIds[500]!, 51),
    "the keys of one member": (db, orgId) => apiKeys.list(db, orgId, frequent, keyIds[500]!, 51),
  };

  test.each(Object.entries(lists))("of %s reads little more than its own rows", async (_, list) => {
    const plan = await planOfList((db) => list(db, acme.orgId as OrgId));
    expect(countRowsRead(plan)).toBeLessThan(fewRows);
  });
});

describe("an organization of ten thousand members", () => {
  let acme: Workspace;
  const ids: string[] = [];
  const team = newId("team");
  beforeAll(async () => {
    const { db } = server.platform;
    acme = await createWorkspace(server);
    for (let round = 0; round < 20; round++) ids.push(...(await addMembers(acme.orgId, 500)));
    const some = ids.filter((_, i) => i % 100 === 0);
    await db.run(sql`update members set role = 'admin' where id = any(${some}::text[])`);
    await db.run(sql`insert into teams (id, org_id, name) values (${team}, ${acme.orgId}, 'Some')`);
    await db.run(sql`insert into team_members (team_id, member_id, org_id)
      select ${team}, id, ${acme.orgId} from unnest(${some}::text[]) as id`);
    await db.queryWithDriverTypes("analyze");
  });

  const filters = {
    all: { filter: {}, atMost: 400 },
    "one team": { filter: { teamId: team }, atMost: 400 },
    "those with a name": { filter: { search: "somebody" }, atMost: fewRows },
  };

  test.each(Object.entries(filters))(
    "lists a page of %s from an index, early or late",
    async (_, { filter, atMost }) => {
      for (const after of ["~", ids[5_000]!, ids[200]!]) {
        const ask = (db: Db) => scan(members.list(db, acme.orgId as OrgId, filter), after, 51);
        // Beside them are tables of a few rows, which are read as they are.
        const scans = flattenPlan(await planOfList(ask)).filter((node) =>
          ["members", "users", "team_members"].includes(node["Relation Name"] ?? ""),
        );
        const own = scans.filter((node) => node["Relation Name"] !== "team_members");
        for (const { "Node Type": type } of own) expect(type).toMatch(/Index/);
        expect(own.map((node) => node["Index Name"]).filter(Boolean)).toEqual(
          expect.arrayContaining(["users_pkey"]),
        );
        expect(own.map(countRowsOfNode).reduce((sum, rows) => sum + rows, 0)).toBeLessThan(atMost);
      }
    },
  );

  test("sends as many queries for the last page as for the first", async () => {
    const { engine } = server;
    const { query } = engine;
    let statements = 0;
    const last = Buffer.from(ids[60]!).toString("base64url");
    await server.call("/v1/members", { headers: acme.owner.auth });
    const counts: number[] = [];
    try {
      engine.query = (...args) => {
        statements++;
        return query(...args);
      };
      for (const page of ["", `?cursor=${last}`]) {
        statements = 0;
        const { body } = await server.call(`/v1/members${page}`, { headers: acme.owner.auth });
        expect(body.items).toHaveLength(50);
        counts.push(statements);
      }
    } finally {
      engine.query = query;
    }
    for (const count of counts) expect(count).toBeGreaterThanOrEqual(1);
    // The list itself; and who is calling, when that was not asked within the last second.
    for (const count of counts) expect(count).toBeLessThanOrEqual(2);
  });
});

/** The plan of the single statement that reads a list. */
async function planOfList(ask: (db: Db) => Promise<unknown>): Promise<PlanNode> {
  const asked: Statement[] = [];
  const noting: Engine = {
    ...({} as Engine),
    kind: server.engine.kind,
    query: async (text, values) => {
      asked.push({ text, values });
      return { rows: [{ scanExamined: 0, scanLast: null, id: null }], affected: 0 };
    },
  };
  await ask(createDb(noting));
  expect(asked).toHaveLength(1);
  return explainStatement(server.engine, asked[0]!.text, asked[0]!.values);
}
