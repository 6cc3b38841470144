import { beforeAll, describe, expect, test } from "vitest";
import { runCommandInProcess } from "../cli.ts";
import {
  createKey,
  createTeam,
  createWorkspace,
  joinWorkspace,
  type Person,
  useServer,
  type Workspace,
} from "../harness.ts";
import { seedConnection } from "../oauth.ts";

describe("signalbox connections", () => {
  const server = useServer();
  let acme: Workspace;
  let bob: Person & { memberId: string };
  let own: { connectionId: string; providerId: string };
  let shared: { connectionId: string; providerId: string };
  let owner: (...args: string[]) => ReturnType<typeof runCommandInProcess>;
  let member: (...args: string[]) => ReturnType<typeof runCommandInProcess>;

  beforeAll(async () => {
    acme = await createWorkspace(server);
    bob = await joinWorkspace(server, acme, "member");
    own = await seedConnection(server, acme);
    shared = await seedConnection(server, acme, { shared: true });
    const as = async (person: Person) => {
      const { key } = await createKey(server, person);
      return (...args: string[]) =>
        runCommandInProcess(["connections", ...args], { SIGNALBOX_URL: server.url, SIGNALBOX_API_KEY: key });
    };
    owner = await as(acme.owner);
    member = await as(bob);
  });

  const grant = (body: unknown) =>
    server.call(`/v1/oauth-connections/${shared.connectionId}/grants`, {
      method: "PUT",
      body,
      headers: acme.owner.auth,
    });

  test("list shows provider, account, health and owner", async () => {
    const { code, stdout } = await owner("list");
    expect(code).toBe(0);
    const [head, ...rows] = stdout.trim().split("\n");
    expect(head).toMatch(/^ID +PROVIDER +ACCOUNT +HEALTH +WHOSE +LAST USED$/);
    expect(rows).toHaveLength(2);
    expect(rows.find((row) => row.startsWith(own.connectionId))).toMatch(
      new RegExp(` ${own.providerId} +default +connected +Owner +20`),
    );
    expect(rows.find((row) => row.startsWith(shared.connectionId))).toMatch(/ connected +shared /);
    const narrowed = await owner("list", "--provider", own.providerId, "--json");
    expect(JSON.parse(narrowed.stdout)).toMatchObject({
      items: [{ id: own.connectionId }],
      nextCursor: null,
    });
    expect(await owner("list", "--ended")).toMatchObject({ code: 0, stderr: "No connection has ended.\n" });
  });

  test("show prints the health, and the names of those who may use it", async () => {
    const nobody = await owner("show", shared.connectionId);
    expect(nobody.stdout).toMatch(/^used by +nobody yet$/m);
    const team = await createTeam(server, acme.owner);
    const teamName = team.name as string;
    expect((await grant({ everyone: false, memberIds: [bob.memberId], teamIds: [team.id] })).status).toBe(
      200,
    );
    const some = await owner("show", shared.connectionId);
    expect(some.stdout).toMatch(/^health +connected$/m);
    expect(some.stdout).toMatch(new RegExp(`^used by +member, team ${teamName}$`, "m"));
    // A member may use the connection but does not see who else may use it.
    expect((await member("show", shared.connectionId)).stdout).toMatch(
      /^used by +those whom an owner or admin chose$/m,
    );
    expect((await member("show", own.connectionId)).code).toBe(5);
    expect((await grant({ everyone: true, memberIds: [] })).status).toBe(200);
    expect((await owner("show", shared.connectionId)).stdout).toMatch(/^used by +every member$/m);
    expect(JSON.parse((await owner("show", own.connectionId, "--json")).stdout)).toMatchObject({
      connection: { id: own.connectionId, health: { status: "connected" } },
    });
  });
});
