import { beforeAll, describe, expect, test } from "vitest";
import { queueRun } from "../automations.ts";
import { runCommandInProcess } from "../cli.ts";
import { createTemplate } from "../connectors.ts";
import { createKey, createWorkspace, useServer, type Workspace } from "../harness.ts";
import { seedConnection } from "../oauth.ts";

describe("signalbox automations, with templates and connections", () => {
  const server = useServer();
  let acme: Workspace;
  let cli: (...args: string[]) => ReturnType<typeof runCommandInProcess>;
  let review: { id: string };
  let account: { connectionId: string; providerId: string };
  beforeAll(async () => {
    acme = await createWorkspace(server);
    const { key } = await createKey(server, acme.owner);
    cli = (...args) => runCommandInProcess(args, { SIGNALBOX_URL: server.url, SIGNALBOX_API_KEY: key });
    review = await createTemplate(server, acme.owner.auth, { name: "Code review" });
    account = await seedConnection(server, acme);
  });

  const create = async (...args: string[]) =>
    cli("automations", "create", "--name", "Triage", "--instructions", "Look.", ...args);
  const made = (stdout: string) => /aut_\w+/.exec(stdout)![0];

  test("create takes ids, slugs and providers, and show prints names", async () => {
    const byName = await create("--templates", "code-review", "--connections", account.providerId);
    expect(byName).toMatchObject({ code: 0, stderr: "" });
    const shown = await cli("automations", "show", made(byName.stdout));
    expect(shown.stdout).toMatch(/^templates +Code review \(code-review\)$/m);
    expect(shown.stdout).toMatch(new RegExp(`^connections +${account.providerId}/default$`, "m"));
    const byId = await create(
      "--templates",
      `${review.id},code-review`,
      "--connections",
      `${account.connectionId},${account.providerId}/default`,
      "--json",
    );
    expect(JSON.parse(byId.stdout).automation).toMatchObject({
      templateIds: [review.id],
      connectionIds: [account.connectionId],
    });
  });

  test("a template or connection that is not found is named in the error", async () => {
    expect(await create("--templates", "no-such")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("no-such"),
    });
    expect(await create("--connections", "no-such")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("no-such"),
    });
  });

  test("update changes the given fields and keeps the others", async () => {
    const id = made((await create("--templates", "code-review", "--daily", "09:00")).stdout);
    const update = (...args: string[]) => cli("automations", "update", id, ...args);
    expect(await update("--connections", account.providerId)).toMatchObject({ code: 0 });
    expect(await update("--templates", "none", "--name", "Renamed")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Renamed"),
    });
    const { automation } = (await server.call(`/v1/automations/${id}`, { headers: acme.owner.auth })).body;
    expect(automation).toMatchObject({
      revision: 3,
      name: "Renamed",
      instructions: "Look.",
      schedule: { kind: "daily" },
      templateIds: [],
      connectionIds: [account.connectionId],
    });
    expect(await update()).toMatchObject({ code: 2 });
  });

  test("a deleted template is shown by its id", async () => {
    const gone = await createTemplate(server, acme.owner.auth, { name: "Gone" });
    const id = made((await create("--templates", gone.id)).stdout);
    await server.call(`/v1/templates/${gone.id}`, { method: "DELETE", headers: acme.owner.auth });
    expect((await cli("automations", "show", id)).stdout).toMatch(
      new RegExp(`^templates +${gone.id} \\(deleted\\)$`, "m"),
    );
  });

  test("runs are listed and shown with names", async () => {
    const { id } = await queueRun(server, acme.owner.auth, { name: "Nightly" });
    expect((await cli("runs", "list")).stdout).toMatch(new RegExp(`^${id} +Nightly +queued`, "m"));
    expect((await cli("runs", "show", id)).stdout).toMatch(/^member +Owner$/m);
  });
});
