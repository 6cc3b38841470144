import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { filters, users, words, writeFilter } from "../../../../test/fixtures/scim/filters.ts";
import { createWorkspace, useServer } from "../../../../test/harness.ts";
import { countRowsRead, explainStatement, flattenPlan, recordStatements } from "../../../../test/plans.ts";
import { connectDirectory } from "../../../../test/scim.ts";
import type { OrgId } from "../../../platform/context.ts";
import { sql } from "../../../platform/db/index.ts";
import { newId } from "../../../platform/ids.ts";
import { userDefinition } from "../definitions/index.ts";
import { bindFilter, matches, parseFilter } from "../filter/index.ts";
import { readUser, type UserResource } from "../resources/index.ts";
import {
  foldCase,
  type SearchRequest,
  searchGroups,
  searchUsers,
  toGroupDocument,
  toUserDocument,
} from "./index.ts";

const server = useServer();
const page = { offset: 0, limit: 10_000 };

interface Owner {
  orgId: OrgId;
  connectorId: string;
}

async function connect(): Promise<Owner> {
  const workspace = await createWorkspace(server);
  return {
    orgId: workspace.orgId as OrgId,
    connectorId: (await connectDirectory(server, workspace)).connectorId,
  };
}

interface Stored {
  id: string;
  resource: UserResource & { active: boolean };
}

async function insertUser({ orgId, connectorId }: Owner, resource: Stored["resource"]): Promise<Stored> {
  const id = newId("scu");
  await server.platform.db.run(sql`
    insert into scim_users (id, org_id, connector_id, user_name, user_name_key, external_id, active, resource, search)
    values (${id}, ${orgId}, ${connectorId}, ${resource.userName}, ${foldCase(resource.userName)},
      ${resource.externalId ?? null}, ${resource.active}, ${JSON.stringify(resource)}::jsonb,
      ${JSON.stringify(toUserDocument(resource))}::jsonb)`);
  return { id, resource };
}

async function insertGroup(
  { orgId, connectorId }: Owner,
  displayName: string,
  members: string[],
): Promise<string> {
  const id = newId("scg");
  await server.platform.db.run(sql`
    insert into scim_groups (id, org_id, connector_id, display_name, display_name_key, resource, search)
    values (${id}, ${orgId}, ${connectorId}, ${displayName}, ${foldCase(displayName)},
      ${JSON.stringify({ displayName })}::jsonb, ${JSON.stringify(toGroupDocument({ displayName }))}::jsonb)`);
  await server.platform.db.run(sql`
    insert into scim_group_members (org_id, connector_id, group_id, user_id)
    select ${orgId}, ${connectorId}, ${id}, unnest(${members}::text[])`);
  return id;
}

let owner: Owner;
beforeAll(async () => {
  owner = await connect();
});

const find = async (request: Partial<SearchRequest>) =>
  searchUsers(server.platform.db, owner.orgId, { connectorId: owner.connectorId, page, ...request });
const findIds = async (request: Partial<SearchRequest>) => (await find(request)).rows.map(({ id }) => id);
const findGroupIds = async (filter: string) =>
  (
    await searchGroups(server.platform.db, owner.orgId, { connectorId: owner.connectorId, page, filter })
  ).rows.map(({ id }) => id);

describe("random users", () => {
  const stored: Stored[] = [];

  beforeAll(async () => {
    const seen = new Set<string>();
    for (const user of fc.sample(users, { numRuns: 80, seed: 20_261_116 })) {
      const resource = readUser({ ...user, userName: `${user.userName}${seen.size}` });
      seen.add(resource.userName);
      stored.push(await insertUser(owner, { ...resource, active: user.active }));
    }
    // The directory of another organization has the same users.
    const other = await connect();
    for (const { resource } of stored) await insertUser(other, resource);
  });

  test("a search finds exactly the users that the filter matches in memory", async () => {
    let some = 0;
    await fc.assert(
      fc.asyncProperty(filters(), async (filter) => {
        const text = writeFilter(filter);
        const bound = bindFilter(userDefinition, parseFilter(text));
        const expected = stored.filter(({ resource }) => matches(bound, resource)).map(({ id }) => id);
        const found = await find({ filter: text });
        expect({ text, ids: found.rows.map(({ id }) => id) }).toEqual({ text, ids: expected });
        expect(found.total).toBe(expected.length);
        if (expected.length > 0 && expected.length < stored.length) some++;
      }),
      { numRuns: 400 },
    );
    expect(some).toBeGreaterThan(100);
  });

  test.each(words)("every operator takes the value %j", async (value) => {
    for (const op of ["eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le"]) {
      const text = `title ${op} ${JSON.stringify(value)} or emails[value ${op} ${JSON.stringify(value)}]`;
      const bound = bindFilter(userDefinition, parseFilter(text));
      const expected = stored.filter(({ resource }) => matches(bound, resource)).map(({ id }) => id);
      expect({ text, ids: await findIds({ filter: text }) }).toEqual({ text, ids: expected });
    }
  });

  test("pages do not overlap and the total is right on each", async () => {
    const all = await findIds({});
    expect(all).toEqual(stored.map(({ id }) => id));
    const filter = "active eq true";
    const active = await findIds({ filter });
    const collected: string[] = [];
    for (let offset = 0; offset < active.length; offset += 7) {
      const found = await find({ filter, page: { offset, limit: 7 } });
      expect(found.total).toBe(active.length);
      collected.push(...found.rows.map(({ id }) => id));
    }
    expect(collected).toEqual(active);
    const byCursor: string[] = [];
    for (let afterId = ""; ; ) {
      const found = await find({ filter, page: { offset: 0, afterId, limit: 7 } });
      expect(found.total).toBe(active.length);
      byCursor.push(...found.rows.map(({ id }) => id));
      if (found.rows.length < 7) break;
      afterId = found.rows.at(-1)!.id;
    }
    expect(byCursor).toEqual(active);
    expect(await find({ filter, page: { offset: 0, limit: 0 } })).toEqual({ rows: [], total: active.length });
    expect(await find({ filter, page: { offset: 999, limit: 5 } })).toEqual({
      rows: [],
      total: active.length,
    });
  });

  test.each([
    ["userName", (one: UserResource) => one.userName],
    ["name.familyName", (one: UserResource) => one.name?.familyName],
    ["EMAILS", (one: UserResource) => (one.emails?.find(({ primary }) => primary) ?? one.emails?.[0])?.value],
    [
      "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department",
      (one: UserResource) => one["urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"]?.department,
    ],
    ["externalId", (one: UserResource) => one.externalId],
  ])("sorts by %s, users without a value last, or first in descending order", async (sortBy, read) => {
    const readKey = (one: UserResource) =>
      sortBy === "externalId" ? read(one) : read(one) === undefined ? undefined : foldCase(read(one)!);
    const compare = (a: Stored, b: Stored) => {
      const [x, y] = [readKey(a.resource), readKey(b.resource)];
      if (x === y) return 0;
      if (x === undefined || y === undefined) return x === undefined ? 1 : -1;
      return Buffer.compare(Buffer.from(x), Buffer.from(y));
    };
    const ids = (list: Stored[]) => list.map(({ id }) => id);
    expect(await findIds({ sortBy })).toEqual(ids(stored.toSorted(compare)));
    expect(await findIds({ sortBy, sortOrder: "Descending" })).toEqual(
      ids(stored.toSorted((a, b) => compare(b, a))),
    );
  });

  test("ids and times can be filtered and sorted by", async () => {
    const [first, second] = [stored[0]!.id, stored[1]!.id];
    expect(await findIds({ filter: `id eq "${first}"` })).toEqual([first]);
    expect(await findIds({ filter: `id eq "${first}" or id eq "${second}"` })).toEqual([first, second]);
    expect(await findIds({ filter: 'meta.created lt "2000-01-01T00:00:00Z"' })).toEqual([]);
    expect(await findIds({ filter: 'meta.lastModified gt "2000-01-01T00:00:00Z"' })).toHaveLength(
      stored.length,
    );
    for (const sortBy of ["id", "meta.created", "meta.lastModified"]) {
      const sorted = await findIds({ sortBy });
      expect(sorted.toSorted()).toEqual(stored.map(({ id }) => id));
      expect(await findIds({ sortBy, sortOrder: "descending" })).toHaveLength(stored.length);
    }
  });

  test.each([
    { sortBy: "nothing" },
    { sortBy: "name" },
    { sortBy: "groups.value" },
    { sortBy: "title", sortOrder: "down" },
    { sortBy: "title", page: { offset: 0, afterId: "x", limit: 1 } },
  ])("refuses %j", async (request) => {
    await expect(find(request)).rejects.toMatchObject({ status: 400, body: { scimType: "invalidValue" } });
  });

  test("groups are found by members, and users by groups", async () => {
    const [a, b, c] = stored.map(({ id }) => id) as [string, string, string];
    const one = await insertGroup(owner, "Alpha", [a, b]);
    const two = await insertGroup(owner, "Beta", [b, c]);
    const three = await insertGroup(owner, "Gamma", []);
    for (const [filter, ids] of [
      [`members.value eq "${a}"`, [one]],
      [`members eq "${b}"`, [one, two]],
      [`members[value eq "${b}"]`, [one, two]],
      [`id eq "${two}" and members eq "${a}"`, []],
      [`id eq "${two}" and members eq "${c}"`, [two]],
      [`members.value eq "${a}" and members.value eq "${b}"`, [one]],
      [`not (members.value eq "${a}")`, [two, three]],
      [`displayName eq "ALPHA" or members.value eq "${c}"`, [one, two]],
      [`members[value eq "${a}" or value eq "${c}"]`, [one, two]],
      ['displayName sw "g"', [three]],
      ['displayName eq "beta"', [two]],
      ["displayName pr", [one, two, three]],
    ] as const)
      expect({ filter, ids: await findGroupIds(filter) }).toEqual({ filter, ids });
    for (const [filter, ids] of [
      [`groups.value eq "${one}"`, [a, b]],
      [`groups eq "${one}" and groups eq "${two}"`, [b]],
      ['groups.display eq "BETA"', [b, c]],
      [`groups[value eq "${two}" and display co "et"]`, [b, c]],
      ["groups pr", [a, b, c]],
    ] as const)
      expect({ filter, ids: await findIds({ filter }) }).toEqual({ filter, ids });
    for (const filter of [
      "members pr",
      'members.value ne "x"',
      'members[not (value eq "x")]',
      'members.display eq "x"',
    ])
      await expect(findGroupIds(filter)).rejects.toMatchObject({
        status: 400,
        body: { scimType: "invalidFilter" },
      });
  });
});

describe("a directory of 5,000 users", () => {
  let large: Owner;

  beforeAll(async () => {
    large = await connect();
    const { orgId, connectorId } = large;
    const resources = Array.from({ length: 5_000 }, (_, i) => ({
      userName: `User${i}@example.com`,
      externalId: `ext-${i}`,
      active: true,
      emails: [{ value: `User${i}@example.com`, type: "work" }],
    }));
    const { db } = server.platform;
    const json = (list: readonly object[]) => list.map((one) => JSON.stringify(one));
    await db.run(sql`
      insert into scim_users
        (id, org_id, connector_id, user_name, user_name_key, external_id, active, resource, search)
      select 'u' || n, ${orgId}, ${connectorId}, r ->> 'userName', s ->> 'userName', s ->> 'externalId', true, r, s
      from unnest(${json(resources)}::jsonb[], ${json(resources.map(toUserDocument))}::jsonb[])
        with ordinality t (r, s, n)`);
    await db.run(sql`
      insert into scim_groups (id, org_id, connector_id, display_name, display_name_key, resource, search)
      select 'g' || n, ${orgId}, ${connectorId}, 'Group ' || n, 'group ' || n, '{}', '{}' from generate_series(1, 500) n`);
    await db.run(sql`
      insert into scim_group_members (org_id, connector_id, group_id, user_id)
      select ${orgId}, ${connectorId}, 'g' || g, 'u' || u from generate_series(1, 20) g, generate_series(1, 500) u`);
    // Many organizations with one user each. The planner then expects one user per connector.
    await db.run(sql`
      insert into organizations (id, name, slug) select 'org_small' || n, 'Small', 'small-' || n from generate_series(1, 200) n`);
    await db.run(sql`
      insert into scim_connectors (id, org_id, name, default_role)
      select 'small' || n, 'org_small' || n, 'Small', 'member' from generate_series(1, 200) n`);
    await db.run(sql`
      insert into scim_users (id, org_id, connector_id, user_name, user_name_key, external_id, active, resource, search)
      select 'small' || n, 'org_small' || n, 'small' || n, 'a', 'a', 'a', true, '{}', '{}'
      from generate_series(1, 200) n`);
    await server.engine.queryWithDriverTypes("analyze scim_users, scim_groups, scim_group_members");
  });

  /** Without what the jobs of the server send meanwhile. */
  const recordSearches = async (work: () => Promise<unknown>) =>
    (await recordStatements(server.engine, work)).filter(({ text }) => /\bscim_(users|groups)\b/.test(text));

  test.each([
    ["users", 'userName eq "user77@EXAMPLE.com"'],
    ["users", 'externalId eq "ext-77"'],
    ["users", 'emails.value eq "USER77@example.com"'],
    ["users", 'emails[type eq "work"].value eq "user77@example.com"'],
    ["users", 'emails[type eq "work" and value eq "user77@example.com"] and active eq true'],
    ["groups", "members.value eq"],
    ["groups", "id eq members.value eq"],
  ])("%s are found by an index: %s", async (kind, text) => {
    const [user, group] = ["u77", "g7"];
    const filter = text
      .replace("members.value eq", `members.value eq "${user}"`)
      .replace("id eq members", `id eq "${group}" and members`);
    const request = { connectorId: large.connectorId, filter, page: { offset: 0, limit: 100 } };
    const search = kind === "users" ? searchUsers : searchGroups;
    let found = 0;
    const statements = await recordSearches(async () => {
      found = (await search(server.platform.db, large.orgId, request)).rows.length;
    });
    expect(found).toBe(text === "members.value eq" ? 20 : 1);
    expect(statements).toHaveLength(1);
    const plan = await explainStatement(server.engine, statements[0]!.text, statements[0]!.values);
    // There are few groups, so the planner may read all of them. Users and memberships are many.
    const scanned = flattenPlan(plan).filter((node) => node["Node Type"] === "Seq Scan");
    expect(scanned.filter((node) => node["Relation Name"] !== "scim_groups")).toEqual([]);
    expect(countRowsRead(plan)).toBeLessThan(text === "members.value eq" ? 700 : 150);
  });

  test("the text of the statements does not depend on the filter", async () => {
    const texts = new Set<string>();
    for (const filter of ['title co "a"', 'not (title eq "b") or emails[type eq "x"]', 'nickName gt "c"']) {
      const [statement] = await recordSearches(() => find({ filter }));
      texts.add(statement!.text);
    }
    expect(texts.size).toBe(1);
  });
});
