import { beforeAll, describe, expect, test } from "vitest";
import { claim, complete, createAutomation, queueRun, runNow } from "../../../../test/automations.ts";
import type { Body } from "../../../../test/body.ts";
import {
  createKey,
  createRole,
  createWorkspace,
  invite,
  joinWorkspace,
  useServer,
  type Workspace,
} from "../../../../test/harness.ts";
import { createBudget, createProvider } from "../../../../test/llm-providers.ts";
import { seedMcpConnection } from "../../../../test/mcp-connections.ts";
import { createEndpoint } from "../../../../test/notifications.ts";
import { expireToken, seedConnection } from "../../../../test/oauth.ts";
import { recordStatements } from "../../../../test/plans.ts";
import { connectDirectory } from "../../../../test/scim.ts";
import { seedDomain } from "../../../../test/sso.ts";
import { insertConnector } from "../../../../test/webhooks.ts";
import { beat, createWorker, passTime, runWorkerJob } from "../../../../test/workers.ts";
import { sql } from "../../../platform/db/index.ts";
import { newId } from "../../../platform/ids.ts";
import { kinds } from "./contract.ts";

const server = useServer();
const db = () => server.platform.db;

const list = async (auth: Record<string, string>): Promise<Body> => {
  const { status, body } = await server.call("/v1/overview/attention", { headers: auth });
  expect({ status, body }).toMatchObject({ status: 200 });
  return body;
};
const findItems = async (auth: Record<string, string>, kind: string): Promise<Body[]> =>
  (await list(auth)).items.filter((item: Body) => item.kind === kind);

/** A run of the automation that ends in this way. */
async function endRun(auth: Record<string, string>, automationId: string, status: string) {
  const run = await runNow(server, auth, automationId);
  await claim(server, auth, run.id);
  await complete(server, auth, run.id, { attempt: 1, status, error: { message: "The disk is full." } });
  return run;
}

const skipRun = async ({ orgId, owner }: Workspace, reason: string) => {
  const { id, automationId } = await queueRun(server, owner.auth);
  await db().run(sql`
    update automation_runs set status = 'skipped', reason = ${reason}, finished_at = now()
    where id = ${id} and org_id = ${orgId}`);
  return { id, automationId };
};

async function upgradeWorker({ orgId, owner }: Workspace, state: string) {
  const worker = await createWorker(server, owner.auth);
  const id = newId("wup");
  await db().run(sql`
    insert into worker_upgrades (id, org_id, worker_id, version, state, reason, deadline_at, ended_at)
    values (${id}, ${orgId}, ${worker.id}, '2.0.0', ${state}, 'No space left.', now(), now())`);
  return { id, workerId: worker.id };
}

async function loseWorker({ owner }: Workspace, seconds: number) {
  const worker = await createWorker(server, owner.auth);
  await beat(server, worker, 1);
  await passTime(server, worker.id, seconds);
  // This server has just started, and times without a server do not count.
  await db().run(sql`update worker_service set alive_at = now(), outages = '{}'`);
  await runWorkerJob(server, "workers.sweep");
  return worker.id;
}

async function spend({ orgId, owner }: Workspace, mode: string, spent: number) {
  const budget = await createBudget(server, owner.auth, { mode, limitMicros: 1_000, warningPercent: 80 });
  await db().run(sql`
    insert into llm_spend (org_id, subject_id, day, cost_micros)
    values (${orgId}, ${orgId}, (now() at time zone 'UTC')::date, ${spent})`);
  return budget.id;
}

async function testKey({ orgId, owner }: Workspace, verdict: string) {
  const { id } = await createProvider(server, owner.auth);
  return (await db().row<{ id: string }>(sql`
    update llm_provider_keys set last_verdict = ${verdict}, last_message = 'It was revoked.', last_tested_at = now()
    where org_id = ${orgId} and provider_id = ${id} returning id`))!.id;
}

async function refuseCredential(workspace: Workspace, state: "sign_in" | "needs_consent") {
  const { id, orgId, name } = await seedMcpConnection(server, workspace, { credential: "per_member" });
  await db().run(sql`
    insert into mcp_member_states (connection_id, org_id, member_id, state, reason)
    select ${id}, ${orgId}, m.id, ${state}, 'invalid_token' from members m where m.org_id = ${orgId}`);
  await db().run(sql`update mcp_connections set registration = 'bearer' where id = ${id}`);
  await db().run(sql`
    insert into mcp_credentials (id, org_id, connection_id, member_id, secret, updated_at)
    select 'mcc_' || ${id} || m.id, ${orgId}, ${id}, m.id, '', now() - interval '1 hour'
    from members m where m.org_id = ${orgId}`);
  const subject = { type: "mcp_connection", id, name };
  return { severity: "error", code: state, count: 1, message: "invalid_token", subject };
}

/** Situations that need care, and the item that must appear. */
const situations: Record<string, (workspace: Workspace) => Promise<Body>> = {
  automation_failed: async ({ owner }) => {
    const { id, name } = await createAutomation(server, owner.auth);
    await endRun(owner.auth, id, "failed");
    await endRun(owner.auth, id, "succeeded");
    await endRun(owner.auth, id, "failed");
    const last = await endRun(owner.auth, id, "failed");
    return {
      ...{
        severity: "error",
        subject: { type: "automation", id, name, parentId: null, parentName: null },
        count: 2,
      },
      ...{ code: "reported", message: "The disk is full.", related: { type: "run", id: last.id } },
      owner: { name: "Owner" },
    };
  },
  automation_skipped: async (workspace) => {
    const { id, automationId } = await skipRun(workspace, "no_runner");
    return {
      ...{ severity: "warning", subject: { type: "automation", id: automationId }, code: "no_runner" },
      related: { type: "run", id },
    };
  },
  budget_exceeded: async (workspace) => {
    const id = await spend(workspace, "budget", 1_000);
    const subject = { type: "budget", id, parentId: workspace.orgId };
    return { severity: "error", subject, used: 1_000, limit: 1_000, code: "budget_month" };
  },
  budget_warned: async (workspace) => {
    const id = await spend(workspace, "alert", 800);
    return { severity: "warning", subject: { type: "budget", id }, used: 800, limit: 1_000 };
  },
  usage_held: async ({ orgId }) => {
    await db().run(sql`
      insert into automation_usage (run_id, attempt, report, org_id, automation_id, member_id, input_tokens,
        output_tokens, cost_micros, state)
      select 'run_held', 1, n, ${orgId}, 'aut_held', 'mem_held', 0, 0, 0, 'held' from generate_series(1, 3) n`);
    return { severity: "warning", subject: { type: "organization", id: orgId }, count: 3 };
  },
  connection_needs_reconnect: async (workspace) => {
    const { connectionId, providerId } = await seedConnection(server, workspace);
    const connectionIds = [connectionId];
    await createAutomation(server, workspace.owner.auth, { connectionIds });
    await createAutomation(server, workspace.owner.auth, { connectionIds });
    await db().run(sql`
      update oauth_connections set status = 'needs_reconnect', reason = 'revoked_at_provider' where id = ${connectionId}`);
    return {
      ...{ severity: "error", code: "revoked_at_provider", count: 2, owner: { name: "Owner" } },
      subject: { type: "connection", id: connectionId, parentId: providerId, parentName: "Seeded" },
    };
  },
  connection_uncertain: async (workspace) => {
    const { connectionId, tokenId } = await seedConnection(server, workspace);
    await db().run(sql`update oauth_tokens set refresh_state = 'uncertain' where id = ${tokenId}`);
    // A provider of the catalogue has no row.
    await db().run(sql`update oauth_connections set provider_id = 'notion' where id = ${connectionId}`);
    return {
      severity: "warning",
      subject: { type: "connection", id: connectionId, parentId: "notion", parentName: "Notion" },
    };
  },
  connection_expires: async (workspace) => {
    const { connectionId } = await seedConnection(server, workspace);
    await expireToken(server, connectionId, 3600);
    return {
      severity: "warning",
      dueAt: expect.any(Number),
      subject: { type: "connection", id: connectionId },
    };
  },
  mcp_connection_failing: async (workspace) => {
    const { id, name } = await seedMcpConnection(server, workspace);
    await db().run(sql`
      update mcp_connections set health = 'failing', health_step = 'reach', health_code = 'timed_out',
        health_message = 'The server does not answer.', health_since = now()
      where id = ${id}`);
    return {
      ...{ severity: "error", code: "timed_out", message: "The server does not answer." },
      ...{ subject: { type: "mcp_connection", id, name }, owner: { name: "Owner" } },
    };
  },
  mcp_tools_held: async (workspace) => {
    const { id, name } = await seedMcpConnection(server, workspace);
    await db().run(sql`update mcp_connections set held_tools = 3 where id = ${id}`);
    return { severity: "error", count: 3, subject: { type: "mcp_connection", id, name } };
  },
  mcp_sign_in: async (workspace) => refuseCredential(workspace, "sign_in"),
  mcp_consent: async (workspace) => refuseCredential(workspace, "needs_consent"),
  mcp_approval_pending: async (workspace) => {
    const { id: connectionId, name: parentName, orgId } = await seedMcpConnection(server, workspace);
    const id = newId("mca");
    await db().run(sql`
      insert into mcp_approvals (id, org_id, connection_id, member_id, tool, tool_hash, arguments_hash, argument_bytes,
        expires_at)
      select ${id}, ${orgId}, ${connectionId}, m.id, 'delete_comment', '', '', 2, now() + interval '1 day'
      from members m where m.org_id = ${orgId}`);
    return {
      ...{ severity: "warning", owner: { name: "Owner" }, dueAt: expect.any(Number) },
      subject: { type: "mcp_approval", id, name: "delete_comment", parentId: connectionId, parentName },
    };
  },
  sync_failed: async ({ orgId }) => {
    const { id } = await insertConnector(server.platform, orgId);
    const syncId = newId("syn");
    await db().run(sql`
      insert into connector_syncs (id, org_id, connector_id, cause, status, error_code, error_message, finished_at)
      values (${syncId}, ${orgId}, ${id}, 'push', 'failed', 'access_refused', 'The token was refused.', now())`);
    return {
      ...{ severity: "error", code: "access_refused", related: { type: "sync", id: syncId } },
      subject: { type: "connector", id },
    };
  },
  connector_disconnected: async ({ orgId }) => {
    const { id } = await insertConnector(server.platform, orgId, { status: "disconnected" });
    return { severity: "error", subject: { type: "connector", id } };
  },
  deliveries_refused: async ({ orgId }) => {
    const { id } = await insertConnector(server.platform, orgId);
    await db().run(sql`
      insert into refused_deliveries (id, org_id, connector_id, address, reason, refused_at)
      select id, ${orgId}, ${id}, '192.0.2.1', 'wrong_signature', now()
      from unnest(${[newId("rfd"), newId("rfd")]}::text[]) id`);
    return { severity: "warning", count: 2, code: "wrong_signature", subject: { type: "connector", id } };
  },
  deliveries_altered: async ({ orgId }) => {
    const { id } = await insertConnector(server.platform, orgId);
    await db().run(sql`
      insert into webhook_deliveries (id, scope, delivery_id, org_id, dialect, event, outcome, headers, body,
        body_digest, altered_at)
      values (${newId("whd")}, ${id}, ${newId("x")}, ${orgId}, 'github', 'push', 'ignored', '{}', '', '', now())`);
    return { severity: "warning", count: 1, subject: { type: "connector", id } };
  },
  worker_lost: async (workspace) => ({
    severity: "error",
    subject: { type: "worker", id: await loseWorker(workspace, 400) },
  }),
  worker_stale: async (workspace) => ({
    severity: "warning",
    subject: { type: "worker", id: await loseWorker(workspace, 100) },
  }),
  worker_upgrade_failed: async (workspace) => {
    const { id, workerId } = await upgradeWorker(workspace, "failed");
    return {
      ...{ severity: "error", code: "failed", message: "No space left.", related: { type: "upgrade", id } },
      subject: { type: "worker", id: workerId },
    };
  },
  llm_key_refused: async (workspace) => ({
    ...{ severity: "error", code: "refused", message: "It was revoked." },
    subject: { type: "llm_provider_key", id: await testKey(workspace, "refused") },
  }),
  webhook_endpoint_disabled: async ({ owner }) => {
    const { id } = await createEndpoint(server, owner.auth);
    await db().run(sql`
      update webhook_endpoints set status = 'disabled', disabled_reason = 'failing', disabled_at = now() where id = ${id}`);
    return { severity: "error", code: "failing", subject: { type: "webhook_endpoint", id } };
  },
  webhook_endpoint_failing: async ({ owner }) => {
    const { id } = await createEndpoint(server, owner.auth);
    await db().run(sql`update webhook_endpoints set failing_since = now(), failures = 4 where id = ${id}`);
    return { severity: "warning", count: 4, subject: { type: "webhook_endpoint", id } };
  },
  sso_domain_failing: async ({ orgId }) => {
    const domain = await seedDomain(server, orgId);
    await db().run(sql`update sso_domains set failing_since = now() where domain = ${domain}`);
    return { severity: "error", subject: { type: "sso_domain", name: domain } };
  },
  scim_token_expires: async (workspace) => {
    const { connectorId } = await connectDirectory(server, workspace);
    await db().run(sql`
      update scim_tokens set expires_at = now() + interval '3 days' where connector_id = ${connectorId}`);
    return { severity: "warning", subject: { type: "scim_connector", id: connectorId } };
  },
  api_key_expires: async ({ owner }) => {
    const { id } = await createKey(server, owner);
    await db().run(sql`update api_keys set expires_at = now() + interval '3 days' where id = ${id}`);
    return { severity: "warning", subject: { type: "api_key", id }, owner: { name: "Owner" } };
  },
  invitation_expires: async ({ owner }) => {
    const { invitation } = await invite(server, owner);
    await db().run(sql`
      update invitations set expires_at = now() + interval '1 day' where id = ${invitation.id}`);
    return {
      severity: "warning",
      subject: { type: "invitation", id: invitation.id, name: invitation.email },
    };
  },
  quota_nearly_full: async ({ orgId }) => {
    await db().run(sql`insert into organization_quotas (org_id, quota, max) values (${orgId}, 'members', 1)`);
    return { severity: "error", used: 1, limit: 1, subject: { type: "quota", id: "members" } };
  },
};

describe("what needs care", () => {
  test("is tested for each kind; those of certificates in the room of single sign-on", () => {
    expect([...Object.keys(situations), "sso_certificate_ends"].toSorted()).toEqual([...kinds].toSorted());
  });

  test.each(Object.entries(situations))(
    "%s is listed, and hidden without its permission",
    async (kind, create) => {
      const workspace = await createWorkspace(server);
      const expected = await create(workspace);
      const body = await list(workspace.owner.auth);
      expect(body.items).toMatchObject([{ kind, ...expected }]);
      const isError = expected.severity === "error";
      expect(body).toMatchObject({ errors: Number(isError), warnings: Number(!isError), isTruncated: false });
      const { id } = await createRole(server, workspace.owner, ["organization:read"]);
      const reader = await joinWorkspace(server, workspace, id);
      if (kind !== "quota_nearly_full") expect((await list(reader.auth)).items).toEqual([]);
      const other = await createWorkspace(server, "Other");
      expect((await list(other.owner.auth)).items).toEqual([]);
    },
  );

  test("of a changed delivery that concerns several connectors is an item for each of them", async () => {
    const [workspace, other] = [await createWorkspace(server), await createWorkspace(server, "Other")];
    const connectors = [
      await insertConnector(server.platform, workspace.orgId),
      await insertConnector(server.platform, workspace.orgId),
      await insertConnector(server.platform, other.orgId),
    ];
    const delivery = newId("whd");
    await db().run(sql`
      insert into webhook_deliveries (id, scope, delivery_id, dialect, event, outcome, headers, body, body_digest,
        altered_at)
      values (${delivery}, 'instance', ${newId("x")}, 'github', 'push', 'accepted', '{}', '', '', now())`);
    for (const { id, orgId } of connectors)
      await db().run(sql`
        insert into webhook_delivery_targets (delivery, connector_id, org_id) values (${delivery}, ${id}, ${orgId})`);
    const listIds = async (auth: Record<string, string>) =>
      (await findItems(auth, "deliveries_altered")).map(({ subject }) => subject.id).toSorted();
    expect(await listIds(workspace.owner.auth)).toEqual([connectors[0]!.id, connectors[1]!.id].toSorted());
    expect(await listIds(other.owner.auth)).toEqual([connectors[2]!.id]);
  });

  test("does not list what works again", async () => {
    const workspace = await createWorkspace(server);
    const { auth } = workspace.owner;
    const { id } = await createAutomation(server, auth);
    await endRun(auth, id, "failed");
    expect(await findItems(auth, "automation_failed")).toHaveLength(1);
    await endRun(auth, id, "succeeded");
    await skipRun(workspace, "overlap");
    await testKey(workspace, "valid");
    await loseWorker(workspace, 1);
    await upgradeWorker(workspace, "upgraded");
    const { connectionId } = await seedConnection(server, workspace);
    await expireToken(server, connectionId, 30 * 86_400);
    expect((await list(auth)).items).toEqual([]);
  });

  test("of an MCP connection that is switched off is nothing, and of members only their own sign-ins", async () => {
    const workspace = await createWorkspace(server);
    const member = await joinWorkspace(server, workspace, "member");
    const { subject } = await refuseCredential(workspace, "sign_in");
    expect(await findItems(workspace.owner.auth, "mcp_sign_in")).toMatchObject([{ count: 2 }]);
    expect(await findItems(member.auth, "mcp_sign_in")).toMatchObject([{ count: 1, subject }]);
    await db().run(sql`delete from mcp_member_states where member_id = ${member.memberId}`);
    expect(await findItems(member.auth, "mcp_sign_in")).toEqual([]);
    await db().run(sql`update mcp_connections set enabled = false, held_tools = 2 where id = ${subject.id}`);
    expect((await list(workspace.owner.auth)).items).toEqual([]);
  });

  test("does not list automations that are not active", async () => {
    const { owner } = await createWorkspace(server);
    const { id } = await createAutomation(server, owner.auth);
    await endRun(owner.auth, id, "failed");
    await server.call(`/v1/automations/${id}/deactivate`, { method: "POST", headers: owner.auth });
    expect((await list(owner.auth)).items).toEqual([]);
  });

  test("of members is what they own, where they may not see that of others", async () => {
    const workspace = await createWorkspace(server);
    const member = await joinWorkspace(server, workspace, "member");
    const others = await createAutomation(server, workspace.owner.auth);
    await endRun(workspace.owner.auth, others.id, "failed");
    const own = await createAutomation(server, member.auth);
    await endRun(member.auth, own.id, "failed");
    const { connectionId } = await seedConnection(server, workspace);
    await db().run(sql`update oauth_connections set status = 'needs_reconnect' where id = ${connectionId}`);
    const { id } = await createKey(server, workspace.owner);
    await db().run(sql`update api_keys set expires_at = now() + interval '3 days' where id = ${id}`);
    expect((await list(member.auth)).items.map(({ subject }: Body) => subject.id)).toEqual([own.id]);
    expect(await findItems(workspace.owner.auth, "automation_failed")).toHaveLength(2);
  });

  test("of an automation that was given to somebody else is not shown to its earlier owner", async () => {
    const workspace = await createWorkspace(server);
    const { auth } = workspace.owner;
    const member = await joinWorkspace(server, workspace, "member");
    const { id } = await createAutomation(server, member.auth);
    await endRun(member.auth, id, "failed");
    expect(await findItems(member.auth, "automation_failed")).toHaveLength(1);
    const other = await joinWorkspace(server, workspace, "member");
    await server.call(`/v1/automations/${id}`, {
      ...{ method: "PATCH", headers: auth },
      body: { name: "Secret plans", memberId: other.memberId },
    });
    // The new owner may not read the run of the earlier one.
    expect(await findItems(other.auth, "automation_failed")).toEqual([]);
    const last = await endRun(other.auth, id, "failed");
    expect((await server.call(`/v1/automations/${id}`, { headers: member.auth })).status).toBe(404);
    expect((await list(member.auth)).items).toEqual([]);
    const [item] = await findItems(other.auth, "automation_failed");
    expect(item).toMatchObject({ count: 1, related: { type: "run", id: last.id } });
    expect(await findItems(auth, "automation_failed")).toMatchObject([{ count: 2 }]);
  });

  describe("with many problems", () => {
    let workspace: Workspace;
    beforeAll(async () => {
      workspace = await createWorkspace(server);
      const { id } = await insertConnector(server.platform, workspace.orgId);
      await db().run(sql`
        insert into connector_syncs (id, org_id, connector_id, cause, status, finished_at)
        values (${newId("syn")}, ${workspace.orgId}, ${id}, 'push', 'failed', now())`);
      for (let n = 0; n < 23; n++)
        await insertConnector(server.platform, workspace.orgId, { status: "disconnected" });
      await testKey(workspace, "refused");
      await spend(workspace, "budget", 900);
    });

    test("has errors first, at most twenty of a kind, and says that there are more", async () => {
      const body = await list(workspace.owner.auth);
      const found = body.items.map(({ kind }: Body) => kind);
      expect(found).toEqual([
        "sync_failed",
        ...Array.from({ length: 20 }, () => "connector_disconnected"),
        "llm_key_refused",
        "budget_warned",
      ]);
      expect(body).toMatchObject({ errors: 22, warnings: 1, isTruncated: true });
      expect(new Set(body.items.map(({ key }: Body) => key)).size).toBe(body.items.length);
    });

    test("takes few statements, whatever the number of problems", async () => {
      // The first request also reads all quotas, once a minute.
      await list(workspace.owner.auth);
      const statements = await recordStatements(server.engine, () => list(workspace.owner.auth));
      expect(statements.length).toBeLessThan(30);
    });
  });
});
