import { beforeAll, describe, expect, test } from "vitest";
import { claim, complete, createAutomation, queueRun } from "../../../test/automations.ts";
import type { Body } from "../../../test/body.ts";
import { createConnector, createTemplate } from "../../../test/connectors.ts";
import {
  createRole,
  createTeam,
  createWorkspace,
  invite,
  joinWorkspace,
  useServer,
  type Workspace,
} from "../../../test/harness.ts";
import { seedConnection } from "../../../test/oauth.ts";
import { beat, createWorker, runWorkerJob } from "../../../test/workers.ts";
import { sql } from "../../platform/db/index.ts";
import { newId } from "../../platform/ids.ts";

const server = useServer();
const db = () => server.platform.db;
const get = async (path: string, auth: Record<string, string>): Promise<Body> => {
  const { status, body } = await server.call(`/v1/overview/${path}`, { headers: auth });
  expect({ status, body }).toMatchObject({ status: 200 });
  return body;
};
const createReader = async (workspace: Workspace, ...permissions: string[]) => {
  const { id } = await createRole(server, workspace.owner, ["organization:read", ...permissions]);
  return joinWorkspace(server, workspace, id);
};

describe("what happened lately", () => {
  let acme: Workspace;
  let member: Awaited<ReturnType<typeof joinWorkspace>>;
  let ownRun: string;
  let othersRun: string;
  beforeAll(async () => {
    acme = await createWorkspace(server);
    member = await joinWorkspace(server, acme, "member");
    await createTeam(server, acme.owner);
    const end = async (auth: Record<string, string>) => {
      const { id } = await queueRun(server, auth);
      await claim(server, auth, id);
      await complete(server, auth, id, { attempt: 1, status: "succeeded" });
      return id as string;
    };
    ownRun = await end(member.auth);
    othersRun = await end(acme.owner.auth);
    await queueRun(server, member.auth);
  });

  test("is changes and ended runs, newest first", async () => {
    const { items } = await get("recent?limit=50", acme.owner.auth);
    const times = items.map(({ at }: Body) => at);
    expect(times).toEqual(times.toSorted((one: number, other: number) => other - one));
    expect(items.filter(({ type }: Body) => type === "run")).toMatchObject([
      { id: othersRun, status: "succeeded", memberName: "Owner", automationName: expect.any(String) },
      { id: ownRun, status: "succeeded", memberName: "member" },
    ]);
    const { body } = await server.call("/v1/audit-events?limit=50", { headers: acme.owner.auth });
    const changes = items.filter(({ type }: Body) => type === "change");
    expect(changes.map(({ id }: Body) => id)).toEqual(body.items.map(({ id }: Body) => id));
    const team = changes.find(({ action }: Body) => action === "team.created");
    expect(team).toMatchObject({
      actorName: "Owner",
      target: { type: "team", name: expect.stringMatching(/^Team/) },
    });
  });

  test("can be one of both, and is limited", async () => {
    const types = async (query: string) =>
      (await get(`recent?${query}`, acme.owner.auth)).items.map(({ type }: Body) => type);
    expect(new Set(await types("type=change"))).toEqual(new Set(["change"]));
    expect(await types("type=run")).toEqual(["run", "run"]);
    expect(await types("limit=1")).toHaveLength(1);
  });

  test("is what the caller may read", async () => {
    const ids = (body: Body) => body.items.map(({ id }: Body) => id);
    expect(ids(await get("recent", member.auth))).toEqual([ownRun]);
    const auditor = await createReader(acme, "audit:read");
    const types = (await get("recent", auditor.auth)).items.map(({ type }: Body) => type);
    expect(new Set(types)).toEqual(new Set(["change"]));
    const reader = await createReader(acme);
    expect(ids(await get("recent", reader.auth))).toEqual([]);
    const other = await createWorkspace(server, "Other");
    expect(ids(await get("recent", other.owner.auth))).not.toContain(ownRun);
  });

  test("leaves out what machines did", async () => {
    const before = (await get("recent?type=change", acme.owner.auth)).items.length;
    await db().run(sql`
      insert into audit_events (scope, seq, id, at, action, credential, target_type, previous, hash)
      values (${acme.orgId}, 1000000, ${newId("aud")}, now(), 'llm_provider.credential_issued', 'run', 'llm_provider', '', '')`);
    expect((await get("recent?type=change", acme.owner.auth)).items).toHaveLength(before);
  });
});

describe("the first steps", () => {
  test("tick themselves when each has happened, with its time", async () => {
    const acme = await createWorkspace(server);
    const read = async () => (await get("checklist", acme.owner.auth)).steps as Body[];
    const expectDone = async (...done: string[]) => {
      const body = await get("checklist", acme.owner.auth);
      expect(body.done).toBe(done.length);
      for (const { step, done: isDone, doneAt } of body.steps)
        expect({ step, isDone, hasTime: doneAt !== null }).toEqual({
          ...{ step, isDone: done.includes(step), hasTime: done.includes(step) },
        });
    };
    expect((await read()).map(({ step }) => step)).toEqual([
      ...["discover_server", "connect_account", "run_automation", "connect_repository", "invite_someone"],
    ]);
    await expectDone();
    await db().run(sql`
      insert into mcp_discoveries (id, org_id, url, status, result, evidence, duration_ms)
      values (${newId("mcd")}, ${acme.orgId}, 'https://mcp.example.com', 'ready', '{}', '[]', 1)`);
    await expectDone("discover_server");
    await seedConnection(server, acme);
    await expectDone("discover_server", "connect_account");
    await queueRun(server, acme.owner.auth);
    await expectDone("discover_server", "connect_account", "run_automation");
    await createConnector(server, acme.owner.auth);
    await expectDone("discover_server", "connect_account", "run_automation", "connect_repository");
    await invite(server, acme.owner);
    await expectDone(...(await read()).map(({ step }) => step));
    for (const { doneAt } of await read()) expect(Math.abs(doneAt - Date.now())).toBeLessThan(60_000);
  });

  test("count a second member as invited, and say what the caller may do", async () => {
    const acme = await createWorkspace(server);
    const member = await joinWorkspace(server, acme, "member");
    const { steps } = await get("checklist", member.auth);
    expect(steps.find(({ step }: Body) => step === "invite_someone").done).toBe(true);
    expect(steps.map(({ permission, allowed }: Body) => [permission, allowed])).toEqual([
      ["mcp:discover", false],
      ["connections:use", true],
      ["automations:create", true],
      ["connectors:manage", false],
      ["members:invite", false],
    ]);
  });
});

describe("counts", () => {
  test("are those of the rows", async () => {
    const acme = await createWorkspace(server);
    const member = await joinWorkspace(server, acme, "member");
    const { auth } = acme.owner;
    await createTeam(server, acme.owner);
    await createRole(server, acme.owner);
    await invite(server, acme.owner);
    await createTemplate(server, auth);
    await createConnector(server, auth);
    await seedConnection(server, acme);
    const inactive = await createAutomation(server, auth);
    await server.call(`/v1/automations/${inactive.id}/deactivate`, { method: "POST", headers: auth });
    const { id } = await queueRun(server, auth);
    await claim(server, auth, id);
    await queueRun(server, member.auth);
    await createWorker(server, auth);
    await beat(server, await createWorker(server, auth), 1, { status: "busy" });
    await runWorkerJob(server, "workers.sweep");
    expect((await get("counts", auth)).counts).toEqual({
      runs: { queued: 1, running: 1 },
      automations: { active: 2, inactive: 1 },
      workers: { total: 2, present: 1, busy: 1 },
      people: { members: 2, deactivated: 0, teams: 1, roles: 4 },
      ...{ invitations: 1, templates: 1, connectors: 1, connections: 1 },
    });
    expect((await get("counts", member.auth)).counts).toMatchObject({
      runs: { queued: 1, running: 0 },
      automations: { active: 1, inactive: 0 },
      ...{ invitations: null, connections: 0 },
    });
    const reader = await createReader(acme);
    const values = Object.values((await get("counts", reader.auth)).counts);
    expect(new Set(values)).toEqual(new Set([null]));
  });
});
