import { beforeAll, describe, expect, test } from "vitest";
import {
  type Auth,
  claim,
  complete,
  createAutomation,
  createRunner,
  event,
  loseLease,
  queueRun,
  readRun,
  report,
  runNow,
} from "../../../../test/automations.ts";
import { createTemplate } from "../../../../test/connectors.ts";
import {
  createKey,
  createRole,
  createTeam,
  createWorkspace,
  joinWorkspace,
  type Person,
  useServer,
  type Workspace,
} from "../../../../test/harness.ts";
import { findLeakedSecrets, getToken, seedConnection } from "../../../../test/oauth.ts";
import { sql } from "../../../platform/db/index.ts";
import { endOverdueRuns } from "../runs/index.ts";

const server = useServer();
let acme: Workspace;
let auth: Auth;
beforeAll(async () => {
  acme = await createWorkspace(server);
  auth = acme.owner.auth;
});

const create = (headers: Auth, body: Record<string, unknown>) =>
  server.call("/v1/automations", {
    body: { name: "Triage", instructions: "Look.", schedule: { kind: "manual" }, ...body },
    headers,
  });
const patch = (headers: Auth, id: string, body: Record<string, unknown>) =>
  server.call(`/v1/automations/${id}`, { method: "PATCH", body, headers });
const bearer = ({ credential }: { credential: string }) => ({ authorization: `Bearer ${credential}` });
const readTemplate = (headers: Auth, id: string) => server.call(`/v1/templates/${id}`, { headers });

/** A claimed run with a template and a connection. */
async function start(more: Record<string, unknown> = {}, headers = auth) {
  const template = await createTemplate(server, auth, { body: "Read the diff.", metadata: { level: 2 } });
  const connection = await seedConnection(server, acme);
  const automation = await createAutomation(server, headers, {
    templateIds: [template.id],
    connectionIds: [connection.connectionId],
    ...more,
  });
  const { id } = await runNow(server, headers, automation.id);
  const assignment = await claim(server, headers, id);
  return { id, automation, template, connection, assignment, program: bearer(assignment) };
}

describe("an automation", () => {
  test("names its templates and connections, and shows them by name", async () => {
    const template = await createTemplate(server, auth, { name: "Code review" });
    const { connectionId, providerId } = await seedConnection(server, acme);
    const made = await create(auth, { templateIds: [template.id], connectionIds: [connectionId] });
    expect(made.status).toBe(201);
    expect(made.body.automation).toMatchObject({
      templateIds: [template.id],
      connectionIds: [connectionId],
      templates: [{ id: template.id, slug: "code-review", name: "Code review" }],
      connections: [{ id: connectionId, providerId, account: "default" }],
    });
    const listed = await server.call("/v1/automations?limit=1", { headers: auth });
    expect(listed.body.items[0]).toEqual(made.body.automation);
  });

  test("has neither by default, and gets them with a new revision", async () => {
    const automation = await createAutomation(server, auth);
    expect(automation).toMatchObject({ templateIds: [], connectionIds: [], templates: [], connections: [] });
    const template = await createTemplate(server, auth);
    const changed = await patch(auth, automation.id, { templateIds: [template.id, template.id] });
    expect(changed.body.automation).toMatchObject({ revision: 2, templateIds: [template.id] });
    const named = await patch(auth, automation.id, { name: "Other" });
    expect(named.body.automation).toMatchObject({ revision: 3, templateIds: [template.id] });
    const { items } = (await server.call(`/v1/automations/${automation.id}/revisions`, { headers: auth }))
      .body;
    expect(items.map(({ templateIds }: { templateIds: string[] }) => templateIds)).toEqual([
      [template.id],
      [template.id],
      [],
    ]);
  });

  test("cannot name a resource that is missing, belongs to another organization, or has ended", async () => {
    const other = await createWorkspace(server, "Globex");
    const foreign = await createTemplate(server, other.owner.auth);
    const foreignConnection = await seedConnection(server, other);
    const ended = await seedConnection(server, acme);
    await server.call(`/v1/oauth-connections/${ended.connectionId}`, { method: "DELETE", headers: auth });
    const good = await createTemplate(server, auth);
    for (const [field, ids] of [
      ["templateIds", [good.id, foreign.id]],
      ["templateIds", [good.id, "tpl_nothing"]],
      ["connectionIds", [foreignConnection.connectionId]],
      ["connectionIds", [ended.connectionId]],
      ["connectionIds", ["x"]],
    ] as const) {
      const path = [field, ids.length - 1];
      const expected = { status: 400, body: { details: [{ path }] } };
      expect(await create(auth, { [field]: ids })).toMatchObject(expected);
      const { id } = await createAutomation(server, auth);
      expect(await patch(auth, id, { [field]: ids })).toMatchObject(expected);
    }
  });

  test("does not take two templates when the file of one is a folder of the other", async () => {
    const file = await createTemplate(server, auth, { slug: "guide" });
    const inside = await createTemplate(server, auth, { slug: "guide.md/part" });
    const beside = await createTemplate(server, auth, { slug: "guide/part" });
    expect((await create(auth, { templateIds: [file.id, beside.id] })).status).toBe(201);
    expect(await create(auth, { templateIds: [inside.id, file.id] })).toMatchObject({
      status: 400,
      body: { details: [{ path: ["templateIds", 0] }] },
    });
    const { id } = await createAutomation(server, auth, { templateIds: [inside.id] });
    const templateIds = [file.id, inside.id];
    expect(await patch(auth, id, { templateIds })).toMatchObject({
      status: 400,
      body: { details: [{ path: ["templateIds", 1] }] },
    });
  });

  test("takes only connections that its member may use", async () => {
    const member = await joinWorkspace(server, acme, "member");
    const own = await seedConnection(server, acme);
    expect(await create(member.auth, { connectionIds: [own.connectionId] })).toMatchObject({
      status: 400,
      body: { details: [{ path: ["connectionIds", 0] }] },
    });
    const shared = await seedConnection(server, acme, { shared: true });
    const body = { connectionIds: [shared.connectionId] };
    expect((await create(member.auth, body)).status).toBe(400);
    const team = await createTeam(server, acme.owner);
    const inTeam = { method: "PUT", headers: auth } as const;
    await server.call(`/v1/teams/${team.id}/members/${member.memberId}`, inTeam);
    await server.call(`/v1/oauth-connections/${shared.connectionId}/grants`, {
      ...inTeam,
      body: { everyone: false, memberIds: [], teamIds: [team.id] },
    });
    expect((await create(member.auth, body)).status).toBe(201);
  });

  test("does not get a member's own account from another member", async () => {
    const admin = await joinWorkspace(server, acme, "admin");
    const { connectionId } = await seedConnection(server, acme);
    const { id } = await createAutomation(server, auth);
    expect(await patch(admin.auth, id, { connectionIds: [connectionId] })).toMatchObject({
      status: 400,
      body: { details: [{ path: ["connectionIds", 0] }] },
    });
    expect((await patch(auth, id, { connectionIds: [connectionId] })).status).toBe(200);
    // Existing connections stay when another member changes the rest.
    const renamed = await patch(admin.auth, id, { name: "Renamed", connectionIds: [connectionId] });
    expect(renamed.status).toBe(200);
  });

  test("gets a shared connection only from a member who may use or manage it", async () => {
    const role = await createRole(server, acme.owner, [
      "automations:create",
      "automations:manage",
      "connections:use",
    ]);
    const manager = await joinWorkspace(server, acme, role.id);
    const bob = await joinWorkspace(server, acme, "member");
    const shared = await seedConnection(server, acme, { shared: true });
    const grant = (memberIds: string[]) =>
      server.call(`/v1/oauth-connections/${shared.connectionId}/grants`, {
        method: "PUT",
        body: { everyone: false, memberIds },
        headers: auth,
      });
    await grant([bob.memberId]);
    const connectionIds = [shared.connectionId];
    const refused = { status: 400, body: { details: [{ path: ["connectionIds", 0] }] } };

    const ofBob = await createAutomation(server, bob.auth);
    expect(await patch(manager.auth, ofBob.id, { connectionIds })).toMatchObject(refused);
    const own = await createAutomation(server, manager.auth);
    const handOver = { memberId: bob.memberId, connectionIds };
    expect(await patch(manager.auth, own.id, handOver)).toMatchObject(refused);

    // A member who manages connections can give it too, and existing connections stay.
    const admin = await joinWorkspace(server, acme, "admin");
    expect((await patch(admin.auth, ofBob.id, { connectionIds })).status).toBe(200);
    expect((await patch(manager.auth, ofBob.id, { name: "Renamed", connectionIds })).status).toBe(200);
    await grant([bob.memberId, manager.memberId]);
    expect((await patch(manager.auth, own.id, handOver)).status).toBe(200);
  });

  test("is handed over only with connections that the next owner may use", async () => {
    const next = await joinWorkspace(server, acme, "member");
    const { connectionId } = await seedConnection(server, acme);
    const { id } = await createAutomation(server, auth, { connectionIds: [connectionId] });
    expect(await patch(auth, id, { memberId: next.memberId })).toMatchObject({
      status: 400,
      body: { details: [{ path: ["connectionIds", 0] }] },
    });
    const handed = await patch(auth, id, { memberId: next.memberId, connectionIds: [] });
    expect(handed.body.automation).toMatchObject({ memberId: next.memberId, connectionIds: [] });
  });

  test("gets no resource from a key that may not use the resource itself", async () => {
    const template = await createTemplate(server, auth);
    const { connectionId } = await seedConnection(server, acme);
    const key = await createKey(server, acme.owner, { permissions: ["automations:create"] });
    for (const body of [{ templateIds: [template.id] }, { connectionIds: [connectionId] }]) {
      expect(await create(key.auth, body)).toMatchObject({
        status: 403,
        body: { error: "forbidden", reason: "missing_permission" },
      });
    }
    const { id } = await createAutomation(server, auth, { connectionIds: [connectionId] });
    expect((await patch(key.auth, id, { instructions: "Other." })).status).toBe(200);
  });

  test("shows only the id of a resource that was deleted", async () => {
    const template = await createTemplate(server, auth);
    const { connectionId } = await seedConnection(server, acme);
    const { id } = await createAutomation(server, auth, {
      templateIds: [template.id],
      connectionIds: [connectionId],
    });
    await server.call(`/v1/templates/${template.id}`, { method: "DELETE", headers: auth });
    await server.call(`/v1/oauth-connections/${connectionId}`, { method: "DELETE", headers: auth });
    const { automation } = (await server.call(`/v1/automations/${id}`, { headers: auth })).body;
    expect(automation.templates).toEqual([{ id: template.id, slug: null, name: null }]);
    expect(automation.connections).toEqual([{ id: connectionId, providerId: null, account: null }]);
    // A change that does not include them is still possible.
    expect((await patch(auth, id, { name: "Still" })).status).toBe(200);
  });
});

describe("the credential of a run", () => {
  test("is part of the claim, with the templates and connections of the run", async () => {
    const { assignment, template, connection } = await start();
    expect(assignment.credential).toMatch(/^sbt_[0-9A-Za-z]{36}$/);
    expect(assignment.templates).toEqual([
      expect.objectContaining({ id: template.id, slug: template.slug, version: 1 }),
    ]);
    expect(assignment.connections).toEqual([
      {
        id: connection.connectionId,
        providerId: connection.providerId,
        account: "default",
        outsideAccount: null,
        shared: false,
        status: "connected",
        scopes: [],
      },
    ]);
    expect(await findLeakedSecrets(server, [assignment.credential])).toEqual([]);
  });

  test("reads the run, its events and its templates, and gets tokens of its connections", async () => {
    const { id, program, template, connection, assignment } = await start();
    expect((await report(server, auth, id, event(0))).status).toBe(200);
    const read = await server.call(`/v1/automation-runs/${id}`, { headers: program });
    expect(read.body).toMatchObject({ run: { id }, automation: { templateIds: [template.id] } });
    const events = await server.call(`/v1/automation-runs/${id}/events`, { headers: program });
    expect(events.body.items).toHaveLength(1);
    const file = await readTemplate(program, template.id);
    expect(file.body.template).toMatchObject({ body: "Read the diff.", metadata: { level: 2 } });
    const token = await getToken(server, program, connection.providerId);
    expect(token).toMatchObject({ status: 200, body: { accessToken: "seeded-access-token" } });
    const history = await server.call(`/v1/oauth-connections/${connection.connectionId}/events`, {
      headers: auth,
    });
    expect(history.body.items[0]).toMatchObject({
      type: "token_issued",
      credential: "run",
      credentialId: id,
      detail: { holder: expect.stringMatching(/^mem_/) },
    });
    expect(await findLeakedSecrets(server, [assignment.credential])).toEqual([]);
  });

  test("opens nothing else: no other run, template, connection or route", async () => {
    const { program, connection } = await start();
    const others = await start();
    const shared = await seedConnection(server, acme);
    expect((await server.call(`/v1/automation-runs/${others.id}`, { headers: program })).status).toBe(404);
    expect((await readTemplate(program, others.template.id)).status).toBe(404);
    expect((await getToken(server, program, others.connection.providerId)).status).toBe(404);
    expect((await getToken(server, program, shared.providerId)).status).toBe(404);
    const wrong = { connectionId: others.connection.connectionId };
    expect((await getToken(server, program, connection.providerId, wrong)).status).toBe(404);
    for (const path of ["/v1/templates", "/v1/automation-runs", "/v1/me", "/v1/oauth-connections"])
      expect((await server.call(path, { headers: program })).status).toBe(401);
  });

  test("reports nothing: the runner numbers the events", async () => {
    const { id, program } = await start();
    expect((await report(server, program, id, event(0))).status).toBe(401);
    expect((await complete(server, program, id, { attempt: 1, status: "succeeded" })).status).toBe(401);
    const heartbeat = { body: { attempt: 1 }, headers: program };
    expect((await server.call(`/v1/automation-runs/${id}/heartbeat`, heartbeat)).status).toBe(401);
  });

  test("can do no more than its member may", async () => {
    const role = await createRole(server, acme.owner, ["automations:create", "connections:use"]);
    const member = await joinWorkspace(server, acme, role.id);
    const { id } = await queueRun(server, member.auth);
    const runner = await createRunner(server, member.auth);
    const program = bearer(await claim(server, runner.auth, id));
    expect((await server.call(`/v1/automation-runs/${id}`, { headers: program })).status).toBe(200);
    const template = await createTemplate(server, auth);
    expect((await readTemplate(program, template.id)).status).toBe(403);
  });

  describe("of a run that was claimed with a key", () => {
    const all = ["automations:create", "templates:read", "connections:use"];
    const claims: [string, (key: { auth: Auth }, id: string) => Promise<{ credential: string }>][] = [
      ["by itself", (key, id) => claim(server, key.auth, id)],
      [
        "through a runner's token",
        async (key, id) => claim(server, (await createRunner(server, key.auth)).auth, id),
      ],
    ];
    async function queue() {
      const template = await createTemplate(server, auth);
      const { connectionId, providerId } = await seedConnection(server, acme);
      const { id } = await queueRun(server, auth, {
        templateIds: [template.id],
        connectionIds: [connectionId],
      });
      const reach = async (program: Auth) => [
        (await server.call(`/v1/automation-runs/${id}`, { headers: program })).status,
        (await readTemplate(program, template.id)).status,
        (await getToken(server, program, providerId)).status,
      ];
      return { id, reach };
    }

    test.each(claims)("does no more than the key may, %s", async (_, claimWith) => {
      for (const [permissions, statuses] of [
        [all, [200, 200, 200]],
        [all.slice(0, 2), [200, 200, 403]],
        [all.slice(0, 1), [200, 403, 403]],
      ] as const) {
        const key = await createKey(server, acme.owner, { permissions });
        const { id, reach } = await queue();
        const program = bearer(await claimWith(key, id));
        expect(await reach(program)).toEqual(statuses);
      }
    });

    test.each(claims)("ends with the key, %s", async (_, claimWith) => {
      for (const end of [
        (id: string) => server.call(`/v1/api-keys/${id}`, { method: "DELETE", headers: auth }),
        (id: string) => server.platform.db.run(sql`update api_keys set expires_at = now() where id = ${id}`),
      ]) {
        const key = await createKey(server, acme.owner, { permissions: all });
        const { id, reach } = await queue();
        const program = bearer(await claimWith(key, id));
        expect(await reach(program)).toEqual([200, 200, 200]);
        await end(key.id);
        expect(await reach(program)).toEqual([401, 401, 401]);
      }
    });

    test("takes the limits of the claim that it comes from", async () => {
      const key = await createKey(server, acme.owner, { permissions: all.slice(0, 1) });
      const { id, reach } = await queue();
      const wide = bearer(await claim(server, auth, id));
      expect(await reach(wide)).toEqual([200, 200, 200]);
      const narrow = bearer(await claim(server, key.auth, id));
      expect(await reach(narrow)).toEqual([200, 403, 403]);
      const again = bearer(await claim(server, auth, id));
      await server.call(`/v1/api-keys/${key.id}`, { method: "DELETE", headers: auth });
      expect(await reach(again)).toEqual([200, 200, 200]);
    });
  });

  test("does no more than the member who claimed the run may", async () => {
    const role = await createRole(server, acme.owner, ["automations:create", "automations:manage"]);
    const claimer = await joinWorkspace(server, acme, role.id);
    const { connectionId, providerId } = await seedConnection(server, acme);
    const { id } = await queueRun(server, auth, { connectionIds: [connectionId] });
    const program = bearer(await claim(server, claimer.auth, id));
    expect((await getToken(server, program, providerId)).status).toBe(403);
  });

  test("is replaced when the run is claimed again", async () => {
    const { id, program, assignment } = await start();
    const again = await claim(server, auth, id);
    expect(again).toMatchObject({ attempt: 1, templates: assignment.templates });
    expect(again.credential).not.toBe(assignment.credential);
    const read = (headers: Auth) => server.call(`/v1/automation-runs/${id}`, { headers });
    expect((await read(program)).status).toBe(401);
    expect((await read(bearer(again))).status).toBe(200);
  });

  describe("ends at once", () => {
    type Started = Awaited<ReturnType<typeof start>>;
    const ends: [string, (started: Started) => Promise<unknown>][] = [
      ["with the run", ({ id }) => complete(server, auth, id, { attempt: 1, status: "succeeded" })],
      [
        "when the run is asked to stop",
        ({ id }) => server.call(`/v1/automation-runs/${id}/cancel`, { method: "POST", headers: auth }),
      ],
      ["with the lease", ({ id }) => loseLease(server, id)],
      [
        "when the lease was lost and the run is queued again",
        async ({ id }) => {
          await loseLease(server, id);
          await endOverdueRuns(server.platform);
        },
      ],
      [
        "with the next attempt",
        async ({ id }) => {
          await loseLease(server, id);
          await claim(server, (await createRunner(server, auth)).auth, id);
        },
      ],
    ];
    test.each(ends)("%s", async (_, end) => {
      const started = await start();
      const path = `/v1/automation-runs/${started.id}`;
      expect((await server.call(path, { headers: started.program })).status).toBe(200);
      await end(started);
      const reply = await server.call(path, { headers: started.program });
      expect(reply).toMatchObject({ status: 401, body: { error: "unauthorized" } });
      expect((await readTemplate(started.program, started.template.id)).status).toBe(401);
      expect((await getToken(server, started.program, started.connection.providerId)).status).toBe(401);
    });

    async function startAsMember() {
      const member = await joinWorkspace(server, acme, "member");
      const { id } = await queueRun(server, member.auth);
      return { id, member };
    }
    const readAs = async (headers: Auth, id: string) =>
      (await server.call(`/v1/automation-runs/${id}`, { headers })).status;

    test("with its member", async () => {
      const { id, member } = await startAsMember();
      const runner = await createRunner(server, auth, { serves: "organization" });
      const program = bearer(await claim(server, runner.auth, id));
      expect(await readAs(program, id)).toBe(200);
      await server.call(`/v1/members/${member.memberId}`, { method: "DELETE", headers: auth });
      expect(await readAs(program, id)).toBe(401);
    });

    test("with the runner that holds the run", async () => {
      const { id } = await startAsMember();
      const runner = await createRunner(server, auth, { serves: "organization" });
      const program = bearer(await claim(server, runner.auth, id));
      const { items } = (await server.call("/v1/automation-runners?limit=1", { headers: auth })).body;
      expect(await readAs(program, id)).toBe(200);
      await server.call(`/v1/automation-runners/${items[0].id}`, { method: "DELETE", headers: auth });
      expect(await readAs(program, id)).toBe(401);
    });
  });

  test("loses a connection when it is taken from the automation, ended, or withdrawn from its member", async () => {
    const first = await start();
    await patch(auth, first.automation.id, { connectionIds: [] });
    expect((await getToken(server, first.program, first.connection.providerId)).status).toBe(404);

    const second = await start();
    const path = `/v1/oauth-connections/${second.connection.connectionId}`;
    await server.call(path, { method: "DELETE", headers: auth });
    expect((await getToken(server, second.program, second.connection.providerId)).status).toBe(404);

    const member = await joinWorkspace(server, acme, "member");
    const shared = await seedConnection(server, acme, { shared: true });
    const grant = (everyone: boolean) =>
      server.call(`/v1/oauth-connections/${shared.connectionId}/grants`, {
        method: "PUT",
        body: { everyone, memberIds: [] },
        headers: auth,
      });
    await grant(true);
    const { id } = await queueRun(server, member.auth, { connectionIds: [shared.connectionId] });
    const program = bearer(await claim(server, member.auth, id));
    expect((await getToken(server, program, shared.providerId)).status).toBe(200);
    await grant(false);
    expect((await getToken(server, program, shared.providerId)).status).toBe(404);
  });
});

describe("a run whose resources are gone", () => {
  async function queue(body: Record<string, unknown>, headers = auth) {
    const automation = await createAutomation(server, headers, body);
    return { automation, id: (await runNow(server, headers, automation.id)).id as string };
  }
  const failed = async (id: string, detail: RegExp, headers = auth) => {
    expect(await claim(server, headers, id)).toBeNull();
    const { run } = await readRun(server, headers, id);
    expect(run).toMatchObject({
      status: "failed",
      reason: "resource_missing",
      reasonDetail: expect.stringMatching(detail),
      attempt: 0,
    });
    const { rows } = await server.engine.query(
      "select 1 from notification_events where type = 'run.failed' and key like '%' || $1 || '%'",
      [id],
    );
    expect(rows).toHaveLength(1);
  };

  test("does not start, and says what is missing", async () => {
    const template = await createTemplate(server, auth);
    const one = await queue({ templateIds: [template.id] });
    await server.call(`/v1/templates/${template.id}`, { method: "DELETE", headers: auth });
    await failed(one.id, new RegExp(`template ${template.id}`));

    const { connectionId } = await seedConnection(server, acme);
    const two = await queue({ connectionIds: [connectionId] });
    await server.call(`/v1/oauth-connections/${connectionId}`, { method: "DELETE", headers: auth });
    await failed(two.id, new RegExp(`connection ${connectionId}`));
  });

  test("is not repeated with a connection that was removed from the automation", async () => {
    const { connectionId } = await seedConnection(server, acme);
    const { id, automation } = await queue({ connectionIds: [connectionId] });
    await claim(server, auth, id);
    await complete(server, auth, id, { attempt: 1, status: "failed" });
    await patch(auth, automation.id, { connectionIds: [] });
    const retry = await server.call(`/v1/automation-runs/${id}/retry`, { method: "POST", headers: auth });
    await failed(retry.body.run.id, new RegExp(`connection ${connectionId}`));
  });

  test("still takes reports without a claim", async () => {
    const template = await createTemplate(server, auth);
    const { id } = await queue({ templateIds: [template.id] });
    await server.call(`/v1/templates/${template.id}`, { method: "DELETE", headers: auth });
    expect((await report(server, auth, id, event(0))).status).toBe(200);
  });

  test("does not start when its member has left", async () => {
    const member = await joinWorkspace(server, acme, "member");
    const template = await createTemplate(server, auth);
    const { id } = await queue({ templateIds: [template.id] }, member.auth);
    await server.call(`/v1/members/${member.memberId}`, { method: "DELETE", headers: auth });
    await failed(id, /has left/);
  });
});

describe("names", () => {
  let person: Person & { memberId: string };
  let run: { id: string; automationId: string };
  beforeAll(async () => {
    person = await joinWorkspace(server, acme, "member");
    run = await queueRun(server, person.auth, { name: "Nightly" });
    const runner = await createRunner(server, person.auth, { runnerId: "night-machine" });
    await claim(server, runner.auth, run.id);
    await report(
      server,
      runner.auth,
      run.id,
      event(0, { type: "usage", payload: { inputTokens: 5, outputTokens: 1, costMicros: 7 } }),
    );
  });

  test("are shown with the ids of a run", async () => {
    const names = { automationName: "Nightly", memberName: "member", runnerName: "night-machine" };
    expect((await readRun(server, person.auth, run.id)).run).toMatchObject(names);
    const { items } = (await server.call("/v1/automation-runs?limit=1", { headers: person.auth })).body;
    expect(items[0]).toMatchObject({ id: run.id, ...names });
  });

  test("are those of the revision that ran, and null for a member who left", async () => {
    const gone = await joinWorkspace(server, acme, "member");
    const made = await queueRun(server, gone.auth, { name: "Before" });
    await patch(gone.auth, made.automationId, { name: "After" });
    await server.call(`/v1/members/${gone.memberId}`, { method: "DELETE", headers: auth });
    expect((await readRun(server, auth, made.id)).run).toMatchObject({
      automationName: "Before",
      memberName: null,
      runnerName: null,
    });
  });

  test("are not part of the reply to a completion", async () => {
    const made = await queueRun(server, auth);
    const done = await complete(server, auth, made.id, { attempt: 1, status: "succeeded" });
    expect(done.status).toBe(200);
    for (const name of ["automationName", "memberName", "runnerName"])
      expect(done.body.run).not.toHaveProperty(name);
    const again = await complete(server, auth, made.id, { attempt: 1, status: "succeeded" });
    expect(again.body).toEqual(done.body);
  });

  test.each([
    ["run", "Nightly"],
    ["automation", "Nightly"],
    ["member", "member"],
    ["day", null],
    ["model", null],
  ])("are shown with the keys of usage by %s", async (groupBy, name) => {
    const { items } = (await server.call(`/v1/automation-usage?groupBy=${groupBy}`, { headers: person.auth }))
      .body;
    expect(items).toEqual([expect.objectContaining({ name, costMicros: 7 })]);
  });

  test("are shown with the ids of held reports", async () => {
    const held = await queueRun(server, person.auth, { name: "Too much" });
    await report(
      server,
      person.auth,
      held.id,
      event(0, { type: "usage", payload: { inputTokens: 5_000_000_000 } }),
    );
    const { items } = (await server.call("/v1/automation-usage/held", { headers: auth })).body;
    expect(items.find(({ runId }: { runId: string }) => runId === held.id)).toMatchObject({
      automationName: "Too much",
      memberName: "member",
    });
  });
});

test("the hash of a run credential is kept only while the attempt lasts", async () => {
  const { id } = await start();
  const stored = () =>
    server.platform.db.row<{ hash: string | null }>(
      sql`select token_hash as hash from automation_run_attempts where run_id = ${id}`,
    );
  expect((await stored())!.hash).toEqual(expect.any(String));
  await complete(server, auth, id, { attempt: 1, status: "succeeded" });
  expect((await stored())!.hash).toBeNull();
});
