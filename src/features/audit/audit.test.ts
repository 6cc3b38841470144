import { beforeAll, describe, expect, test } from "vitest";
import { createAutomation, createRunner } from "../../../test/automations.ts";
import { useClock } from "../../../test/clock.ts";
import {
  createKey,
  createWorkspace,
  joinWorkspace,
  type Person,
  signUp,
  useServer,
  type Workspace,
} from "../../../test/harness.ts";
import { createProvider, providerKey } from "../../../test/llm-providers.ts";
import { removeLeftovers } from "../../app.ts";
import type { OrgId } from "../../platform/context.ts";
import { sql } from "../../platform/db/index.ts";
import { recordAsSystem, room, verifyChains } from "./index.ts";
import { pruneChains } from "./prune.ts";

const dayMs = 24 * 3600_000;

const atTime = useClock();
const server = useServer();
let acme: Workspace;
let owner: Person;
beforeAll(async () => {
  acme = await createWorkspace(server);
  owner = acme.owner;
});

const read = async (query = "", headers: Record<string, string> = owner.auth) =>
  (await server.call(`/v1/audit-events${query}`, { headers })).body;
const rename = (name: string, headers: Record<string, string> = owner.auth) =>
  server.call("/v1/organization", { method: "PATCH", body: { name }, headers });
const findVerdict = async (orgId: string) => {
  for await (const verdict of verifyChains(server.platform.db, { only: orgId })) return verdict;
  throw new Error("no chain");
};

describe("an audit entry", () => {
  test("records who changed what, with which credential, from where, and the previous values", async () => {
    await server.call("/v1/organization", {
      method: "PATCH",
      body: { name: "Acme Two", allowedEmailDomains: ["acme.test"] },
      headers: { ...owner.auth, "user-agent": "curl/8 (test)", "x-request-id": "my-request-1" },
    });
    const [entry] = (await read("?limit=1")).items;
    expect(entry).toMatchObject({
      action: "organization.changed",
      actor: { userId: owner.userId, name: "Owner", credential: "session" },
      address: "127.0.0.1",
      userAgent: "curl/8 (test)",
      requestId: "my-request-1",
      target: { type: "organization", id: acme.orgId },
    });
    expect(entry.actor.memberId).toMatch(/^mem_/);
    expect(entry.before).toEqual({ name: "Acme", allowedEmailDomains: [], updatedAt: expect.any(Number) });
    expect(entry.after).toMatchObject({ name: "Acme Two", allowedEmailDomains: ["acme.test"] });
    expect((await server.call(`/v1/audit-events/${entry.id}`, { headers: owner.auth })).body).toEqual({
      auditEvent: entry,
    });
  });

  test("is on a page of its own when it is large, and pages end when they have about 2 MiB", async () => {
    const { owner: reader, orgId } = await createWorkspace(server);
    const sizes = [1, 1, 1, 3, 1];
    for (const [n, megabytes] of sizes.entries())
      await server.platform.db.transaction((tx) =>
        recordAsSystem(tx, orgId as OrgId, {
          action: "test.recorded",
          target: { type: "test", id: String(n) },
          after: { texts: Array.from({ length: megabytes * 500 }, () => "n".repeat(1_800)) },
        }),
      );
    const pages: string[][] = [];
    for (let cursor = ""; ; ) {
      const { items, nextCursor } = await read(`?limit=100&action=test.recorded${cursor}`, reader.auth);
      pages.push(items.map((entry: { target: { id: string } }) => entry.target.id));
      if (nextCursor === null) break;
      cursor = `&cursor=${nextCursor}`;
    }
    expect(pages).toEqual([["4"], ["3"], ["2", "1"], ["0"]]);
  });

  test("names its target, also when only other entries have its name", async () => {
    const call = async (path: string, method: string, body?: object) =>
      (await server.call(path, { method, body, headers: owner.auth })).body;
    const other = await joinWorkspace(server, acme, "member");
    const { team } = await call("/v1/teams", "POST", { name: "Platform" });
    await call(`/v1/teams/${team.id}/members/${other.memberId}`, "PUT");
    const readTargets = async (targetId: string) =>
      (await read(`?targetId=${targetId}`)).items.map(
        ({ action, target }: { action: string; target: { name: string | null } }) => [action, target.name],
      );
    expect(await readTargets(team.id)).toEqual([
      ["team.member_added", "Platform"],
      ["team.created", "Platform"],
    ]);
    await call(`/v1/teams/${team.id}`, "PATCH", { name: "Machines" });
    await call(`/v1/teams/${team.id}`, "DELETE");
    expect(await readTargets(team.id)).toEqual([
      ["team.removed", "Machines"],
      ["team.changed", "Machines"],
      ["team.member_added", "Machines"],
      ["team.created", "Platform"],
    ]);

    await call(`/v1/members/${other.memberId}`, "PATCH", { role: "admin" });
    const [changed] = await readTargets(other.memberId);
    expect(changed).toEqual(["member.role_changed", expect.any(String)]);
    const csv = await server.call("/v1/audit-export?format=csv", { headers: owner.auth });
    expect(csv.body.split("\r\n")[0]).toMatch(/,hash,targetName$/);
  });

  test("about a key of an LLM provider names the provider, not the key", async () => {
    const provider = await createProvider(server, owner.auth, { name: "Acme models" });
    const added = await server.call(`/v1/llm-providers/${provider.id}/keys`, {
      body: { name: "Production", apiKey: `${providerKey}2` },
      headers: owner.auth,
    });
    expect(added.status).toBe(201);
    expect((await read("?action=llm_provider.key_added&limit=1")).items[0]).toMatchObject({
      target: { type: "llm_provider", id: provider.id, name: "Acme models" },
      after: { name: "Production" },
    });
  });

  test("names the key that was used, and never contains the secret of a key", async () => {
    const key = await createKey(server, owner, { name: "ci" });
    const made = (await read("?action=api_key.created&limit=1")).items[0];
    expect(made).toMatchObject({
      target: { type: "api_key", id: key.id },
      before: null,
      after: { name: "ci" },
    });
    await rename("By key", key.auth);
    expect((await read("?limit=1")).items[0].actor).toMatchObject({
      credential: "key",
      credentialId: key.id,
      userId: owner.userId,
    });
    await createRunner(server, key.auth);
    await server.call(`/v1/api-keys/${key.id}`, { method: "DELETE", headers: owner.auth });
    const all = JSON.stringify(await read("?limit=100"));
    expect(all).toContain("automation_runner.token_made");
    expect(all).not.toContain(key.key);
    expect(all).not.toMatch(/sbr_/);
  });

  test("exists when its change was committed, and not when the change was refused or rolled back", async () => {
    const before = (await read("?limit=1")).items[0].sequence;
    expect((await rename("")).status).toBe(400);
    const other = await createWorkspace(server, "Taken");
    const { slug } = (await server.call("/v1/organization", { headers: other.owner.auth })).body.organization;
    const taken = await server.call("/v1/organization", {
      method: "PATCH",
      body: { slug },
      headers: owner.auth,
    });
    expect(taken.status).toBe(409);
    expect((await read("?limit=1")).items[0].sequence).toBe(before);
  });

  test("is written once for a request that is sent twice with the same Idempotency-Key", async () => {
    const headers = { ...owner.auth, "idempotency-key": "audit-once" };
    const body = { name: "Once", instructions: "Go.", schedule: { kind: "manual" } };
    await server.call("/v1/automations", { body, headers });
    await server.call("/v1/automations", { body, headers });
    const made = (await read("?action=automation.created&limit=100")).items;
    expect(made.filter((one: { after: { name: string } }) => one.after.name === "Once")).toHaveLength(1);
  });

  test("about a sign-up or a new password belongs to the instance", async () => {
    const { db } = server.platform;
    const person = await signUp(server, "Reset");
    await server.call("/api/auth/request-password-reset", { body: { email: person.email } });
    const mail = await db.row<{ id: string; text: string }>(
      sql`select id, text from mails where recipient = ${person.email} and subject ilike '%password%'`,
    );
    const text = server.platform.keyring.open(mail!.text, { table: "mails", row: mail!.id, column: "text" });
    const token = /token=([\w.-]+)/.exec(text)![1];
    const body = { token, newPassword: "another horse battery" };
    expect((await server.call("/api/auth/reset-password", { body })).status).toBe(200);
    const entries = await db.rows(
      sql`select action, scope from audit_events where target_id = ${person.userId} order by seq`,
    );
    expect(entries).toEqual([
      { action: "user.signed_up", scope: "instance" },
      { action: "user.password_reset", scope: "instance" },
      // The reset link came by mail, so using it proves the address.
      { action: "user.email_verified", scope: "instance" },
    ]);
  });

  test("is written when somebody accepts an invitation, leaves, or claims a workspace", async () => {
    const globex = await createWorkspace(server, "Globex");
    const newcomer = await signUp(server, "Grace");
    const invited = await server.call("/v1/invitations", {
      body: { email: newcomer.email, role: "member" },
      headers: globex.owner.auth,
    });
    await server.call("/v1/invitations/accept", {
      body: { token: invited.body.token },
      headers: newcomer.auth,
    });
    await server.call("/v1/organization/leave", { method: "POST", headers: newcomer.auth });
    const actions = (await read("", globex.owner.auth)).items.map((one: { action: string }) => one.action);
    expect(actions).toEqual([
      "member.left",
      "invitation.accepted",
      "invitation.sent",
      "organization.created",
    ]);

    const { body } = await server.call("/v1/bootstrap/workspace", { body: { name: "Agents" } });
    const person = await signUp(server, "Claimer");
    await server.call("/v1/bootstrap/claims/accept", {
      body: { token: body.claim.token },
      headers: person.auth,
    });
    const claimed = (await read("", person.auth)).items;
    expect(claimed.map((one: { action: string }) => one.action)).toEqual([
      "organization.claimed",
      "organization.bootstrapped",
    ]);
    expect(claimed[1].actor).toMatchObject({ credential: "system", userId: null });
    expect(claimed[1].address).toBe("127.0.0.1");
  });

  test("is not written for a change to the current state", async () => {
    const automation = await createAutomation(server, owner.auth);
    const activate = () =>
      server.call(`/v1/automations/${automation.id}/deactivate`, { method: "POST", headers: owner.auth });
    await activate();
    const { sequence } = (await read("?limit=1")).items[0];
    await activate();
    expect((await read("?limit=1")).items[0].sequence).toBe(sequence);
  });
});

describe("reading the audit log", () => {
  test("is allowed for admins, in their own organization", async () => {
    const member = await joinWorkspace(server, acme, "member");
    expect((await server.call("/v1/audit-events", { headers: member.auth })).status).toBe(403);
    const admin = await joinWorkspace(server, acme, "admin");
    const narrow = { method: "PATCH", body: { retentionDays: 100 }, headers: admin.auth };
    expect((await server.call("/v1/audit-events", { headers: admin.auth })).status).toBe(200);
    expect((await server.call("/v1/audit-chain", narrow)).status).toBe(403);
    const globex = await createWorkspace(server, "Globex");
    const otherEvents = await read("", globex.owner.auth);
    expect(otherEvents.items.map((one: { action: string }) => one.action)).toEqual(["organization.created"]);
    expect(
      (await server.call(`/v1/audit-events/${otherEvents.items[0].id}`, { headers: owner.auth })).status,
    ).toBe(404);
  });

  test("filters by action, kind of action, actor, target and time, and the pages skip no entry", async () => {
    const globex = await createWorkspace(server, "Globex");
    const admin = await joinWorkspace(server, globex, "admin");
    for (let i = 0; i < 5; i++) await rename(`Globex ${i}`, i % 2 ? admin.auth : globex.owner.auth);
    const ids = async (query: string) =>
      (await read(query, globex.owner.auth)).items.map((one: { id: string }) => one.id);
    expect(await ids("?action=organization")).toHaveLength(6);
    expect(await ids("?action=organization.changed")).toHaveLength(5);
    expect(await ids("?action=organ")).toHaveLength(0);
    expect(await ids(`?actorId=${admin.userId}`)).toHaveLength(2);
    expect(await ids(`?actorId=${admin.memberId}`)).toHaveLength(2);
    expect(await ids(`?targetId=${globex.orgId}&targetType=organization&credential=session`)).toHaveLength(6);
    expect(await ids(`?credential=key`)).toHaveLength(0);
    expect(await ids(`?from=${Date.now() + 60_000}`)).toHaveLength(0);
    expect(await ids(`?to=${Date.now() + 60_000}`)).toHaveLength(6);
    const paged: string[] = [];
    for (let cursor = ""; ; ) {
      const page = await read(`?limit=4${cursor}`, globex.owner.auth);
      paged.push(...page.items.map((one: { id: string }) => one.id));
      if (!page.nextCursor) break;
      cursor = `&cursor=${page.nextCursor}`;
    }
    expect(paged).toEqual(await ids(""));
    expect((await server.call("/v1/audit-events?action=Robert');--", { headers: owner.auth })).status).toBe(
      400,
    );
  });

  test("the whole log can be exported as JSON lines, and as CSV without spreadsheet formulas", async () => {
    const globex = await createWorkspace(server, "Globex");
    const evil = '=HYPERLINK("http://evil.test","x"), and a\ttab';
    await server.platform.db.transaction((tx) =>
      recordAsSystem(tx, globex.orgId as OrgId, {
        action: "test.noted",
        target: { type: "test", id: evil },
        after: { text: 'quote " and, comma' },
      }),
    );
    const lines = (await server.call("/v1/audit-export", { headers: globex.owner.auth })).body
      .trim()
      .split("\n")
      .map((line: string) => JSON.parse(line));
    expect(lines.map((one: { sequence?: number }) => one.sequence)).toEqual([1, 2, undefined]);
    expect(lines[1]).toMatchObject({
      action: "test.noted",
      actor: { credential: "system" },
      target: { id: evil },
    });
    expect(lines[2]).toEqual({ complete: true });
    const csv = await server.call("/v1/audit-export?format=csv", { headers: globex.owner.auth });
    expect(csv.headers.get("content-type")).toContain("text/csv");
    expect(csv.headers.get("content-disposition")).toBe('attachment; filename="audit.csv"');
    const rows = csv.body.split("\r\n");
    expect(rows[0]).toMatch(/^sequence,at,action,/);
    expect(rows[2]).toContain(`"'=HYPERLINK(""http://evil.test"",""x""), and a\ttab"`);
    expect(rows.at(-2)).toBe("# complete");
  });
});

describe("the audit chain", () => {
  test("has no gap and stays valid when many requests write at the same moment", async () => {
    const globex = await createWorkspace(server, "Globex");
    await Promise.all(Array.from({ length: 20 }, (_, i) => rename(`Name ${i}`, globex.owner.auth)));
    const { items } = await read("?limit=100", globex.owner.auth);
    expect(items.map((one: { sequence: number }) => one.sequence)).toEqual(
      Array.from({ length: 21 }, (_, i) => 21 - i),
    );
    expect(await findVerdict(globex.orgId)).toMatchObject({ entries: 21, sequence: 21, faults: [] });
    const { chain } = (await server.call("/v1/audit-chain", { headers: globex.owner.auth })).body;
    expect(chain).toEqual({
      sequence: 21,
      hash: items[0].hash,
      prunedSequence: 0,
      retentionDays: 400,
    });
  });

  test("entries cannot be changed or removed by a statement", async () => {
    const { db } = server.platform;
    const refused = /not changed or removed/;
    await expect(
      db.run(sql`update audit_events set action = 'x.y' where scope = ${acme.orgId}`),
    ).rejects.toThrow(refused);
    await expect(db.run(sql`delete from audit_events where scope = ${acme.orgId}`)).rejects.toThrow(refused);
    await expect(db.run(sql`truncate audit_events`)).rejects.toThrow(refused);
  });

  test("entries are removed after their retention, and the rest of the chain is still valid", async () => {
    const { db } = server.platform;
    const globex = await createWorkspace(server, "Globex");
    for (let i = 0; i < 2; i++) await rename(`Name ${i}`, globex.owner.auth);
    await server.call("/v1/audit-chain", {
      method: "PATCH",
      body: { retentionDays: 90 },
      headers: globex.owner.auth,
    });
    await room.jobs![0]!.handle(server.platform, {});
    expect(await findVerdict(globex.orgId)).toMatchObject({ entries: 4, faults: [] });
    await atTime(Date.now() + 60 * dayMs, async () => {
      for (const note of ["later", "last"])
        await recordAsSystem(db, globex.orgId as OrgId, {
          action: "test.noted",
          target: { type: "test", id: note },
        });
    });
    await pruneChains(server.platform, Date.now() + 100 * dayMs);
    expect(await findVerdict(globex.orgId)).toMatchObject({ entries: 2, pruned: 4, sequence: 6, faults: [] });
    const { chain } = (await server.call("/v1/audit-chain", { headers: globex.owner.auth })).body;
    expect(chain).toMatchObject({ prunedSequence: 4, retentionDays: 90 });
    await rename("Goes on", globex.owner.auth);
    expect(await findVerdict(globex.orgId)).toMatchObject({ entries: 3, sequence: 7, faults: [] });
  });

  test("is deleted with its organization", async () => {
    const { db } = server.platform;
    const globex = await createWorkspace(server, "Globex");
    await db.run(sql`delete from organizations where id = ${globex.orgId}`);
    await removeLeftovers(server.platform, Date.now() + 20_000);
    expect(await db.rows(sql`select 1 from audit_events where scope = ${globex.orgId}`)).toEqual([]);
  });
});
