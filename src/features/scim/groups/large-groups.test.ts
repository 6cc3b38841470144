/** Groups with as many members as a large company has. */
import { expect, test } from "vitest";
import { createTeam, createWorkspace, useServer } from "../../../../test/harness.ts";
import { connectDirectory } from "../../../../test/scim.ts";
import { sql } from "../../../platform/db/index.ts";

const server = useServer();
const count = 10_000;

/** Users and members as the directory would have created them one by one. */
async function plantUsers(orgId: string, connectorId: string): Promise<string[]> {
  const { db } = server.platform;
  await db.run(sql`
    insert into users (id, email, name, email_verified) select 'usr_' || ${orgId} || n, n || '@' || ${orgId}, 'Person ' || n, true
    from generate_series(1, ${count}::int) n`);
  await db.run(sql`
    insert into members (id, org_id, user_id, role, managed_by)
    select 'mem_' || ${orgId} || n, ${orgId}, 'usr_' || ${orgId} || n, 'member', ${connectorId}
    from generate_series(1, ${count}::int) n`);
  const rows = await db.rows<{ id: string }>(sql`
    insert into scim_users (id, org_id, connector_id, user_name, user_name_key, active, member_id, resource, search)
    select 'scu_' || ${orgId} || n, ${orgId}, ${connectorId}, 'user' || n, 'user' || n, true, 'mem_' || ${orgId} || n,
      jsonb_build_object('userName', 'user' || n, 'active', true), jsonb_build_object('userName', 'user' || n, 'active', true)
    from generate_series(1, ${count}::int) n returning id`);
  return rows.map(({ id }) => id);
}

/** Counts the statements of transactions while `work` runs. */
async function countStatements(work: () => Promise<unknown>): Promise<number> {
  const { engine } = server;
  const { transaction } = engine;
  let statements = 0;
  engine.transaction = (inside, options) =>
    transaction(({ query, ...session }) => {
      const counted = (text: string, values: unknown[]) => {
        statements++;
        return query(text, values);
      };
      return inside({ ...session, query: counted });
    }, options);
  try {
    await work();
  } finally {
    engine.transaction = transaction;
  }
  return statements;
}

test("a group of 10,000 members is written, mapped to a team and a role, and emptied in few statements", async () => {
  const acme = await createWorkspace(server);
  const directory = await connectDirectory(server, acme);
  const users = await plantUsers(acme.orgId, directory.connectorId);
  const team = await createTeam(server, acme.owner);
  const body = { groupMappings: [{ group: "Everyone", role: "admin", teamId: team.id }] };
  await server.call("/v1/scim", { method: "PATCH", body, headers: acme.owner.auth });
  const created = await directory.createGroup("Everyone");
  const path = `/Groups/${created.body.id}?excludedAttributes=members`;
  const state = async () =>
    (await server.platform.db.row<{ admins: number; inTeam: number }>(sql`
      select (select count(*)::int from members where org_id = ${acme.orgId} and role = 'admin') as admins,
        (select count(*)::int from team_members where org_id = ${acme.orgId} and managed) as "inTeam"`))!;
  const add = { op: "add", path: "members", value: users.map((value) => ({ value })) };
  const statements = await countStatements(async () => {
    expect(await directory.patch(path, add)).toMatchObject({
      status: 200,
      body: { meta: { version: 'W/"2"' } },
    });
  });
  expect(statements).toBeGreaterThan(5);
  expect(statements).toBeLessThan(40);
  expect(await state()).toEqual({ admins: count, inTeam: count });
  // The same again changes nothing.
  expect((await directory.patch(path, add)).body.meta.version).toBe('W/"2"');
  const whole = await directory.call(`/Groups/${created.body.id}`);
  expect(whole.body.members).toHaveLength(count);
  const one = { op: "remove", path: `members[value eq "${users[0]}"]` };
  expect((await directory.patch(path, one)).body.meta.version).toBe('W/"3"');
  expect(await state()).toEqual({ admins: count - 1, inTeam: count - 1 });
  await directory.patch(path, { op: "replace", path: "members", value: [] });
  expect(await state()).toEqual({ admins: 0, inTeam: 0 });
}, 120_000);
