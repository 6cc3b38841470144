import { beforeAll, describe, expect, test } from "vitest";
import { adminEnv, createAdmin } from "../admin.ts";
import { runCommandInProcess } from "../cli.ts";
import { createKey, createWorkspace, type Person, useServer, type Workspace } from "../harness.ts";

describe("signalbox admin", () => {
  const server = useServer({ env: adminEnv });
  let acme: Workspace;
  let root: Person;
  let run: (args: string[], input?: string) => ReturnType<typeof runCommandInProcess>;
  beforeAll(async () => {
    acme = await createWorkspace(server);
    root = await createAdmin(server);
    const made = await server.call("/v1/organizations", { headers: root.auth, body: { name: "Operators" } });
    expect(made.status).toBe(201);
    const { key } = await createKey(server, root);
    run = (args, input = `${root.password}\n`) =>
      runCommandInProcess(["admin", ...args], { SIGNALBOX_URL: server.url, SIGNALBOX_API_KEY: key }, input);
  });

  test("overview shows the figures of the instance", async () => {
    const { code, stdout } = await run(["overview", "--days", "7"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^organizations +\d+ \(\d+ suspended, \d+ provisional\)$/m);
    expect(stdout).toMatch(/^workers +0/m);
    expect(JSON.parse((await run(["overview", "--json"])).stdout)).toMatchObject({ workers: { total: 0 } });
  });

  test("suspends and restores an organization", async () => {
    const isRefused = async () =>
      (await server.call("/v1/teams", { headers: acme.owner.auth })).body.reason === "organization_suspended";
    expect(await run(["suspend", acme.orgId])).toMatchObject({ code: 2 });
    const suspended = await run(["suspend", acme.orgId, "--reason", "Not paid"]);
    expect(suspended).toMatchObject({ code: 0, stdout: expect.stringContaining(" is suspended. ") });
    expect(await isRefused()).toBe(true);
    const { stdout } = await run(["organizations", "--state", "suspended"]);
    expect(stdout).toMatch(new RegExp(`${acme.orgId} .* suspended `));
    expect(await run(["restore", acme.orgId])).toMatchObject({ code: 0 });
    expect(await isRefused()).toBe(false);
    expect(await run(["organizations", "--state", "suspended"])).toMatchObject({
      ...{ code: 0, stderr: "No organization matches.\n" },
    });
  });

  test("sets one limit and leaves the others, and removes it again", async () => {
    const read = async () => JSON.parse((await run(["limits", acme.orgId, "--json"])).stdout).items;
    const findOwn = async () =>
      (await read())
        .filter(({ overridden }: { overridden: boolean }) => overridden)
        .map(({ name, limit }: { name: string; limit: number }) => [name, limit]);
    await run(["limits", acme.orgId, "teams=7"]);
    const set = await run(["limits", acme.orgId, "workers=3"]);
    expect(set.stdout).toMatch(/^QUOTA +USED +LIMIT +OF ITS OWN +COUNTS\n/);
    expect(await findOwn()).toEqual(
      expect.arrayContaining([
        ["teams", 7],
        ["workers", 3],
      ]),
    );
    await run(["limits", acme.orgId, "teams="]);
    expect(await findOwn()).toEqual([["workers", 3]]);
    expect(await run(["limits", acme.orgId, "teams"])).toMatchObject({ code: 2 });
    expect(await run(["limits", acme.orgId, "nothing=1"])).toMatchObject({ code: 1 });
  });

  test("is refused for people who do not administer the instance", async () => {
    const { key } = await createKey(server, acme.owner);
    const environment = { SIGNALBOX_URL: server.url, SIGNALBOX_API_KEY: key };
    const input = `${acme.owner.password}\n`;
    expect(await runCommandInProcess(["admin", "overview"], environment, input)).toMatchObject({ code: 4 });
    expect(await run(["overview"], "wrong password\n")).toMatchObject({ code: 4 });
    expect(await run(["restore", "org_00000000000000000000000000"])).toMatchObject({ code: 5 });
  });
});
