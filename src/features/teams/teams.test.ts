import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import {
  createRole,
  createTeam,
  createWorkspace,
  joinWorkspace,
  useServer,
  type Workspace,
} from "../../../test/harness.ts";
import { seedConnection } from "../../../test/oauth.ts";
import type { MemberId, OrgId } from "../../platform/context.ts";
import { sql } from "../../platform/db/index.ts";
import { listGrantees } from "./index.ts";

describe("teams", () => {
  const server = useServer();
  let acme: Workspace;
  beforeAll(async () => {
    acme = await createWorkspace(server);
  });
  const call = (
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = acme.owner.auth,
  ) => server.call(path, { method, headers, ...(body ? { body } : {}) });
  const grantees = (memberId: string) =>
    listGrantees(server.platform.db, acme.orgId as OrgId, memberId as MemberId);

  test("with a shared connection get new members only from a person with `connections:manage`", async () => {
    const { connectionId } = await seedConnection(server, acme, { shared: true });
    const team = await createTeam(server, acme.owner);
    const grants = { everyone: false, memberIds: [], teamIds: [team.id] };
    await call("PUT", `/v1/oauth-connections/${connectionId}/grants`, grants);
    const role = await createRole(server, acme.owner, ["teams:manage", "members:invite", "members:read"]);
    const manager = await joinWorkspace(server, acme, role.id);
    const admin = await joinWorkspace(server, acme, "admin");
    const join = (teamId: string, memberId: string, headers: Record<string, string>) =>
      call("PUT", `/v1/teams/${teamId}/members/${memberId}`, undefined, headers);
    for (const memberId of [manager.memberId, admin.memberId]) {
      const refused = await join(team.id, memberId, manager.auth);
      expect(refused).toMatchObject({ status: 403, body: { reason: "missing_permission" } });
      expect(refused.body.message).toContain("connections:manage");
    }
    const invitation = { email: "guest@example.com", role: role.id, teamIds: [team.id] };
    expect((await call("POST", "/v1/invitations", invitation, manager.auth)).status).toBe(403);
    expect((await join(team.id, manager.memberId, admin.auth)).status).toBe(200);
    const other = await createTeam(server, acme.owner);
    expect((await join(other.id, manager.memberId, manager.auth)).status).toBe(200);
  });

  test("are created, read, changed and removed", async () => {
    const made = await call("POST", "/v1/teams", { name: " Core ", description: "Keeps it running." });
    expect(made.status).toBe(201);
    const { team } = made.body;
    expect(team).toMatchObject({ name: "Core", description: "Keeps it running.", memberCount: 0 });
    expect((await call("GET", `/v1/teams/${team.id}`)).body.team).toEqual(team);
    const changed = await call("PATCH", `/v1/teams/${team.id}`, { name: "Kernel" });
    expect(changed.body.team).toMatchObject({ name: "Kernel", description: "Keeps it running." });
    expect((await call("GET", "/v1/teams")).body.items).toContainEqual(changed.body.team);
    expect((await call("DELETE", `/v1/teams/${team.id}`)).status).toBe(204);
    expect((await call("GET", `/v1/teams/${team.id}`)).body).toEqual({ error: "team_not_found" });
  });

  test("keep both of two changes that arrive at the same moment", async () => {
    const { id } = await createTeam(server, acme.owner);
    for (let round = 0; round < 10; round++) {
      const [name, description] = [`Name ${round}`, `Description ${round}`];
      await Promise.all([{ name }, { description }].map((body) => call("PATCH", `/v1/teams/${id}`, body)));
      expect((await call("GET", `/v1/teams/${id}`)).body.team).toMatchObject({ name, description });
    }
  });

  test("have unique names, in any case", async () => {
    const team = await createTeam(server, acme.owner);
    for (const name of [team.name, team.name.toUpperCase()])
      expect(await call("POST", "/v1/teams", { name })).toMatchObject({
        status: 409,
        body: { error: "team_name_taken" },
      });
    const other = await createTeam(server, acme.owner);
    expect((await call("PATCH", `/v1/teams/${other.id}`, { name: team.name })).status).toBe(409);
  });

  test("accept and remove members, each once, and their grants apply to exactly their members", async () => {
    const [team, other] = [await createTeam(server, acme.owner), await createTeam(server, acme.owner)];
    const bob = await joinWorkspace(server, acme, "member");
    const place = `/v1/teams/${team.id}/members/${bob.memberId}`;
    expect(await grantees(bob.memberId)).toEqual([bob.memberId]);
    const replies = await Promise.all([1, 2, 3].map(() => call("PUT", place)));
    for (const { status, body } of replies) {
      expect(status).toBe(200);
      expect(body.team.memberCount).toBe(1);
    }
    expect((await grantees(bob.memberId)).sort()).toEqual([bob.memberId, team.id].sort());
    expect(await grantees(bob.memberId)).not.toContain(other.id);
    const { member } = (await call("GET", `/v1/members/${bob.memberId}`)).body;
    expect(member.teams).toEqual([{ id: team.id, name: team.name }]);
    for (let i = 0; i < 2; i++) expect((await call("DELETE", place)).status).toBe(204);
    expect(await grantees(bob.memberId)).toEqual([bob.memberId]);
  });

  test("lose a member who leaves the organization, and a deleted team is removed from its members", async () => {
    const team = await createTeam(server, acme.owner);
    const [bob, carl] = [
      await joinWorkspace(server, acme, "member"),
      await joinWorkspace(server, acme, "member"),
    ];
    for (const { memberId } of [bob, carl]) await call("PUT", `/v1/teams/${team.id}/members/${memberId}`);
    await call("DELETE", `/v1/members/${bob.memberId}`);
    expect((await call("GET", `/v1/teams/${team.id}`)).body.team.memberCount).toBe(1);
    await call("DELETE", `/v1/teams/${team.id}`);
    expect(await grantees(carl.memberId)).toEqual([carl.memberId]);
  });

  test("are changed by nobody who lost the right while the request waited", async () => {
    const team = await createTeam(server, acme.owner);
    const [admin, bob] = [
      await joinWorkspace(server, acme, "admin"),
      await joinWorkspace(server, acme, "member"),
    ];
    const toPlace = (memberId: string) => `/v1/teams/${team.id}/members/${memberId}`;
    await call("PUT", toPlace(bob.memberId));
    // The caller is known from here on, so the first check of the requests does not wait.
    await call("GET", "/v1/teams", undefined, admin.auth);
    const calling = await server.platform.db.transaction(async (tx) => {
      await tx.run(sql`select from organizations where id = ${acme.orgId} for update`);
      const requests = [
        call("PUT", toPlace(admin.memberId), undefined, admin.auth),
        call("DELETE", toPlace(bob.memberId), undefined, admin.auth),
        call("DELETE", `/v1/teams/${team.id}`, undefined, admin.auth),
      ];
      await pause(100);
      await tx.run(sql`update members set role = 'member' where id = ${admin.memberId}`);
      return { requests };
    });
    for (const reply of await Promise.all(calling.requests))
      expect(reply).toMatchObject({ status: 403, body: { reason: "missing_permission" } });
    const { items } = (await call("GET", `/v1/members?teamId=${team.id}`)).body;
    expect(items.map(({ id }: { id: string }) => id)).toEqual([bob.memberId]);
  });

  test("accept no member of another organization", async () => {
    const team = await createTeam(server, acme.owner);
    const globex = await createWorkspace(server);
    const stranger = await joinWorkspace(server, globex, "member");
    expect(await call("PUT", `/v1/teams/${team.id}/members/${stranger.memberId}`)).toMatchObject({
      status: 404,
      body: { error: "member_not_found" },
    });
    const theirs = await createTeam(server, globex.owner);
    const bob = await joinWorkspace(server, acme, "member");
    expect(await call("PUT", `/v1/teams/${theirs.id}/members/${bob.memberId}`)).toMatchObject({
      status: 404,
      body: { error: "team_not_found" },
    });
  });

  test("can be read but not changed by a member", async () => {
    const bob = await joinWorkspace(server, acme, "member");
    const team = await createTeam(server, acme.owner);
    expect((await call("GET", `/v1/teams/${team.id}`, undefined, bob.auth)).status).toBe(200);
    const place = `/v1/teams/${team.id}/members/${bob.memberId}`;
    expect((await call("PUT", place, undefined, bob.auth)).status).toBe(403);
    expect((await call("POST", "/v1/teams", { name: "Mine" }, bob.auth)).status).toBe(403);
  });
});
