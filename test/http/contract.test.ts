/**
 * Walks every route of the product and holds it to what it declares. Nothing here lists routes by hand:
 * a new one is walked because it exists, and one with a path parameter fails until its room says below
 * how to make the thing that the parameter names.
 */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { api, routes } from "../../src/app.ts";
import { permissions } from "../../src/features/permissions/index.ts";
import type { CredentialKind } from "../../src/platform/context.ts";
import { sql } from "../../src/platform/db/index.ts";
import { operationId, type RouteSpec } from "../../src/platform/http/index.ts";
import { newId } from "../../src/platform/ids.ts";
import { newToken } from "../../src/platform/secrets.ts";
import { makeAdmin, suspend } from "../admin.ts";
import { claim, createAutomation, createRunner, event, queueRun } from "../automations.ts";
import { connectorBody, createConnector, createTemplate } from "../connectors.ts";
import { seedDiscovery } from "../discoveries.ts";
import {
  bootstrap,
  type CallOptions,
  createKey,
  createMcpToken,
  createRole,
  createTeam,
  createWorkspace,
  invite,
  joinWorkspace,
  type Person,
  type Reply,
  signIn,
  signUp,
  type TestServer,
  useServer,
  type Workspace,
} from "../harness.ts";
import { createBudget, createProvider, setAccess } from "../llm-providers.ts";
import { insertMcpClient } from "../mcp-authorization.ts";
import { seedMcpCall } from "../mcp-calls.ts";
import {
  grantToAll,
  seededDriftRevision,
  seedMcpAccount,
  seedMcpApproval,
  seedMcpConnection,
  seedMcpDrift,
} from "../mcp-connections.ts";
import { createEndpoint } from "../notifications.ts";
import { seedConnection, seededClaimCode } from "../oauth.ts";
import { connectDirectory, type Directory, userBody } from "../scim.ts";
import { newDomain, oidcBody, seedConnector, seedIdentity, seedUnverifiedDomain } from "../sso.ts";
import { insertConnector, pushBody, signedHeaders } from "../webhooks.ts";
import {
  createRegistrationToken,
  createWorker,
  runtimeBody,
  type TestWorker,
  workerBody,
} from "../workers.ts";
import { createHostileBody, createSample, listWrongBodies, toSchema } from "./samples.ts";

/** Routes that need a resource in a special state. */
const createByRoute: typeof createByPrefix = {
  "/v1/automation-runs/{id}/retry": async (server, { owner }) => {
    const { id } = await queueRun(server, owner.auth);
    await server.call(`/v1/automation-runs/${id}/cancel`, { method: "POST", headers: owner.auth });
    return id;
  },
  "/v1/mcp-connections/{id}/connect/start": seedMcpAccount,
  "/v1/mcp-connections/{id}/connect/claim": seedMcpAccount,
  "/v1/mcp-connections/{id}/disconnect": seedMcpKey,
  "/v1/mcp-connections/{id}/credential": seedMcpKey,
  "/v1/mcp-connections/{id}/drift/approve": seedMcpDrift,
};

/** A connection that takes a key, with the key. */
async function seedMcpKey(server: TestServer, workspace: Workspace): Promise<string> {
  const { id } = await seedMcpConnection(server, workspace, { registration: "bearer" });
  await server.call(`/v1/mcp-connections/${id}/credential`, {
    ...{ method: "PUT", body: { bearerToken: "sample" }, headers: workspace.owner.auth },
  });
  return id;
}

/** The directory of each organization, whose token the routes of SCIM need. */
const directories = new Map<string, Directory>();

async function openDirectory(server: TestServer, workspace: Workspace): Promise<Directory> {
  const known = directories.get(workspace.orgId);
  // Calls of this test may have rotated the token or disabled the connector.
  if (known && (await known.call("/ServiceProviderConfig")).status === 200) return known;
  const directory = await connectDirectory(server, workspace);
  const { auth: headers } = workspace.owner;
  await server.call("/v1/scim", { method: "PATCH", body: { enabled: true }, headers });
  directories.set(workspace.orgId, directory);
  return directory;
}

/** A worker of each organization, whose token the routes of workers need. */
const fleets = new Map<string, TestWorker>();

async function openWorker(server: TestServer, workspace: Workspace): Promise<TestWorker> {
  const known = fleets.get(workspace.orgId);
  // Calls of this test may have removed it or rotated its token.
  const path = "/v1/workers/self/assignments";
  if (known && (await server.call(path, { headers: known.auth })).status === 200) return known;
  const worker = await createWorker(server, workspace.owner.auth);
  fleets.set(workspace.orgId, worker);
  return worker;
}

const newName = () => `sample-${Math.random().toString(36).slice(2)}@example.com`;

/** How to make what a path parameter names, in a workspace; the name is the path up to the parameter. */
const createByPrefix: Record<string, (server: TestServer, workspace: Workspace) => Promise<string>> = {
  "/v1/members/{id}": async (server, workspace) =>
    (await joinWorkspace(server, workspace, "member")).memberId,
  "/v1/roles/{id}": async (server, { owner }) => (await createRole(server, owner)).id,
  "/v1/teams/{id}": async (server, { owner }) => (await createTeam(server, owner)).id,
  "/v1/teams/{id}/members/{memberId}": async (server, workspace) =>
    (await joinWorkspace(server, workspace, "member")).memberId,
  "/v1/invitations/{id}": async (server, { owner }) => (await invite(server, owner)).invitation.id,
  "/v1/mcp/tokens/{id}": async (server, { owner }) => (await createMcpToken(server, owner)).id,
  "/v1/mcp/clients/{id}": async (server, { orgId }) => insertMcpClient(server, orgId),
  "/oauth/consent/{uid}": async () => "a-sign-in-of-another-browser",
  "/oauth/authorize/{uid}": async () => "a-sign-in-of-another-browser",
  "/v1/me/sessions/{id}": async (server, { owner }) => {
    await signIn(server, owner);
    return (await server.call("/v1/me/sessions?limit=1", { headers: owner.auth })).body.items[0].id;
  },
  "/v1/me/passkeys/{id}": async (server, { owner }) => {
    const id = newId("psk");
    await server.platform.db.run(sql`
      insert into passkeys (id, user_id, credential_id, public_key, synced, name)
      values (${id}, ${owner.userId}, ${id}, '', false, 'Laptop')`);
    return id;
  },
  "/v1/api-keys/{id}": async (server, { owner }) => (await createKey(server, owner)).id,
  "/v1/automations/{id}": async (server, { owner }) => (await createAutomation(server, owner.auth)).id,
  "/v1/automation-runs/{id}": async (server, { owner }) => {
    const { id } = await queueRun(server, owner.auth);
    await claim(server, owner.auth, id);
    // A usage report, as a completion makes it, that the route can correct.
    await server.platform.db.run(sql`
      insert into automation_usage (run_id, attempt, report, org_id, automation_id, member_id, input_tokens,
        output_tokens, cost_micros)
      select id, 1, -1, org_id, automation_id, member_id, 1, 1, 1 from automation_runs where id = ${id}`);
    return id;
  },
  "/v1/mcp-calls/{id}": (server, { orgId }) => seedMcpCall(server, orgId),
  "/v1/mcp-discoveries/{id}": (server, { orgId }) => seedDiscovery(server, orgId),
  "/v1/mcp-connections/{id}": async (server, workspace) => {
    const connection = await seedMcpConnection(server, workspace);
    await grantToAll(server, connection);
    return connection.id;
  },
  "/v1/mcp-approvals/{id}": (server, workspace) => seedMcpApproval(server, workspace),
  "/v1/mcp-discoveries/{id}/shares/{shareId}": async (server, { orgId, owner }) => {
    const { id } = (await server.platform.db.row<{ id: string }>(
      sql`select id from mcp_discoveries where org_id = ${orgId} order by id desc limit 1`,
    ))!;
    const path = `/v1/mcp-discoveries/${id}/shares`;
    return (await server.call(path, { body: {}, headers: owner.auth })).body.share.id;
  },
  "/v1/audit-events/{id}": async (server, { owner }) => {
    await createKey(server, owner);
    return (await server.call("/v1/audit-events?limit=1", { headers: owner.auth })).body.items[0].id;
  },
  "/v1/templates/{id}": async (server, { owner }) => (await createTemplate(server, owner.auth)).id,
  "/v1/templates/{id}/versions/{version}": async () => "1",
  "/v1/connectors/{id}": async (server, { owner }) => (await createConnector(server, owner.auth)).id,
  "/v1/connectors/{id}/webhook-secrets/{secretId}": async (server, { owner }) => {
    const { body } = await server.call("/v1/connectors?limit=1", { headers: owner.auth });
    return body.items[0].webhookSecrets[0].id;
  },
  "/v1/connector-syncs/{id}": async (server, { owner }) => {
    const { lastSync } = await createConnector(server, owner.auth);
    // As a worker would have left it: a sync that can be tried again.
    await server.platform.db.run(
      sql`update connector_syncs set status = 'failed', finished_at = now() where id = ${lastSync.id}`,
    );
    return lastSync.id;
  },
  "/v1/automation-runners/{id}": async (server, { owner }) => {
    await createRunner(server, owner.auth);
    return (await server.call("/v1/automation-runners?limit=1", { headers: owner.auth })).body.items[0].id;
  },
  "/v1/webhook-deliveries/{id}": async (server, { orgId, owner }) => {
    const { id, secret, repository } = await insertConnector(server.platform, orgId);
    const body = pushBody({ repository });
    const path = `/v1/webhooks/connectors/codehost?connector=${id}`;
    await server.call(path, { body, headers: signedHeaders.github(secret, body) });
    return (await server.call("/v1/webhook-deliveries?limit=1", { headers: owner.auth })).body.items[0].id;
  },
  "/v1/webhook-endpoints/{id}": async (server, { orgId, owner }) => {
    // This test creates more endpoints than the quota allows.
    await server.platform.db.run(sql`delete from webhook_endpoints where org_id = ${orgId}`);
    await server.platform.db.run(sql`delete from rate_limits`);
    const { id } = await createEndpoint(server, owner.auth);
    await server.call(`/v1/webhook-endpoints/${id}/test`, { method: "POST", headers: owner.auth });
    return id;
  },
  "/v1/webhook-endpoints/{id}/deliveries/{deliveryId}": async (server, { orgId }) =>
    (await server.platform.db.row<{ id: string }>(
      sql`select id from webhook_endpoint_deliveries where org_id = ${orgId} order by id desc limit 1`,
    ))!.id,
  "/v1/llm-providers/{id}": async (server, { orgId, owner }) => {
    // This test creates more providers, and asks for more credentials, than the limits allow.
    await server.platform.db.run(sql`delete from llm_providers where org_id = ${orgId}`);
    await server.platform.db.run(sql`delete from rate_limits`);
    const { id } = await createProvider(server, owner.auth, {
      ...{ kind: "openai", baseUrl: "http://127.0.0.1:60997" },
    });
    await setAccess(server, owner.auth, id, { organization: true });
    return id;
  },
  "/v1/llm-providers/{id}/keys/{keyId}": async (server, { orgId }) =>
    (await server.platform.db.row<{ id: string }>(
      sql`select id from llm_provider_keys where org_id = ${orgId} order by id desc limit 1`,
    ))!.id,
  "/v1/llm-prices/{id}": async (server, { owner }) => {
    const body = { provider: "openai", model: newName(), validFrom: Date.now(), rates: { input: 1 } };
    const reply = await server.call("/v1/llm-prices", { method: "PUT", body, headers: owner.auth });
    return reply.body.price.id;
  },
  "/v1/llm-budgets/{id}": async (server, { owner }) => {
    const subject = { kind: "team", id: (await createTeam(server, owner)).id };
    return (await createBudget(server, owner.auth, { subject, limitMicros: 1_000_000_000 })).id;
  },
  "/v1/oauth-providers/{providerId}": async (server, workspace) =>
    (await seedConnection(server, workspace)).providerId,
  "/v1/sso/{id}": async (server, { orgId, owner }) => {
    // This test creates more connectors than the quota allows.
    await server.platform.db.run(sql`delete from sso_connectors where org_id = ${orgId}`);
    return (await seedConnector(server, owner)).id;
  },
  "/v1/sso/{id}/identities/{identityId}": seedIdentity,
  "/v1/sso/domains/{id}": seedUnverifiedDomain,
  "/v1/workers/{id}": async (server, workspace) => (await openWorker(server, workspace)).id,
  "/v1/workers/{id}/templates/{templateId}": async (server, workspace) => {
    const { id } = await createTemplate(server, workspace.owner.auth);
    const worker = await openWorker(server, workspace);
    await server.platform.db.run(
      sql`update workers set template_ids = ${[id]}::text[] where id = ${worker.id}`,
    );
    return id;
  },
  "/v1/workers/{id}/connections/{connectionId}": async (server, workspace) => {
    const { connectionId } = await seedConnection(server, workspace);
    const worker = await openWorker(server, workspace);
    await server.platform.db.run(
      sql`update workers set connection_ids = ${[connectionId]}::text[] where id = ${worker.id}`,
    );
    return connectionId;
  },
  "/v1/worker-registration-tokens/{id}": async (server, { orgId, owner }) => {
    // This test creates more of them than the quota allows.
    await server.platform.db.run(sql`delete from worker_registration_tokens where org_id = ${orgId}`);
    return (await createRegistrationToken(server, owner.auth)).id;
  },
  "/v1/worker-rollouts/{id}": async (server, { owner }) => {
    const body = { version: "2.0.0", percent: 10 };
    return (await server.call("/v1/worker-rollouts", { body, headers: owner.auth })).body.rollout.id;
  },
  "/scim/v2/Users/{id}": async (server, workspace) =>
    (await (await openDirectory(server, workspace)).createUser(newName())).body.id,
  "/scim/v2/Groups/{id}": async (server, workspace) =>
    (await (await openDirectory(server, workspace)).createGroup(newName())).body.id,
  "/scim/v2/ResourceTypes/{id}": async () => "User",
  "/scim/v2/Schemas/{id}": async () => "urn:ietf:params:scim:schemas:core:2.0:User",
  "/v1/admin/organizations/{id}": async (server) => (await createWorkspace(server)).orgId,
  "/v1/admin/users/{id}": async (server) => (await signUp(server)).userId,
  "/v1/oauth-connections/{id}": async (server, workspace) =>
    (await seedConnection(server, workspace, { shared: true })).connectionId,
};

/** Routes under /v1 that need no credential of ours, and why. */
const publicRoutes: Record<string, string> = {
  postV1WebhooksConnectorsCodehost: "the code host signs what it sends",
  postV1WebhooksConnectorsGithub: "the code host signs what it sends",
  postV1WebhooksConnectorsGitlab: "the code host signs what it sends",
  postV1WebhooksConnectorsGitea: "the code host signs what it sends",
  postV1WebhooksConnectorsForgejo: "the code host signs what it sends",
  postV1WebhooksConnectorsBitbucket: "the code host signs what it sends",
  getV1Instance: "a sign-in page asks before anybody is signed in",
  getV1McpDiscoveriesShared: "whoever holds the link may read the verdict",
  getV1InvitationsPreview: "whoever holds the link may know what it is about",
  postV1BootstrapWorkspace: "an agent without an account begins here",
  getV1SsoResolve: "who is not signed in yet asks where to sign in",
  getV1SsoByIdStart: "people who are not signed in yet start here",
  getV1SsoByIdCallback: "browsers return here from a provider",
  getV1SsoLink: "browsers open it before they are signed in",
  getV1SsoConfirm: "browsers open it before they are signed in",
  postV1SsoConfirm: "the answer of a person who is not signed in yet",
  postV1SsoByIdSamlAcs: "the identity provider signs what it sends",
  getV1SsoByIdSamlContinue: "browsers return here from a provider",
  getV1SsoByIdSamlMetadata: "identity providers read it",
  getV1McpConnectionsConnectCallback: "browsers come here on their way back from an authorization server",
  getV1OauthProvidersByProviderIdConnectCallback: "browsers come here on their way back from a provider",
};

const scimErrorUrn = "urn:ietf:params:scim:api:messages:2.0:Error";
const webhookSecret = "a secret of the whole instance";
/** Requests of those who have a signature in place of a credential. */
const signed: Record<string, () => CallOptions> = Object.fromEntries(
  (["github", "gitlab", "gitea", "forgejo", "bitbucket"] as const)
    .map((dialect): [string, typeof dialect] => [dialect, dialect])
    .concat([["codehost", "github"]])
    .map(([door, dialect]) => [
      `postV1WebhooksConnectors${door[0]!.toUpperCase()}${door.slice(1)}`,
      () => ({
        method: "POST",
        body: "{}",
        headers: signedHeaders[dialect](webhookSecret, "{}", { event: "ping" }),
      }),
    ]),
);

/** Bodies that cannot be made up from their schema alone, by operation. */
const bodies: Record<string, (server: TestServer, workspace: Workspace) => unknown> = {
  patchV1MembersById: () => ({ role: "admin" }),
  postV1MeActiveOrganization: (_server, { orgId }) => ({ organizationId: orgId }),
  postV1Connectors: () => connectorBody(),
  postV1McpConnections: () => ({ url: `http://127.0.0.1:60998/${newName()}`, registration: "none" }),
  postV1McpConnectionsImportPreview: () => ({ text: '{"mcpServers":{}}' }),
  postV1McpConnectionsImport: () => ({
    items: [{ url: `http://127.0.0.1:60998/${newName()}`, registration: "none" }],
  }),
  postV1McpConnectionsByIdDriftApprove: () => ({ revision: seededDriftRevision }),
  putV1McpConnectionsByIdCredential: () => ({ bearerToken: "another" }),
  postV1McpConnectionsByIdConnectClaim: () => ({ code: seededClaimCode }),
  postV1AutomationRunsByIdEvents: () => event(0),
  postV1AutomationRunsByIdEventsBatch: () => ({ events: [event(0)] }),
  postV1AutomationRunsByIdComplete: () => ({ attempt: 1, status: "succeeded" }),
  postV1AutomationRunsByIdUsageCorrections: () => ({
    ...{ attempt: 1, sequence: null, inputTokens: 2, outputTokens: 2, costMicros: 2, reason: "A sample." },
  }),
  postV1TelemetryEvents: () => ({ events: [{ id: "1", type: "a.type", at: Date.now() }] }),
  postV1LlmProviders: () => ({ kind: "openai", name: newName(), apiKey: "sk-sample" }),
  putV1LlmPrices: () => ({
    provider: "openai",
    model: newName(),
    validFrom: Date.now(),
    rates: { input: 1 },
  }),
  postV1LlmBudgets: () => ({ subject: { kind: "organization" }, period: "day", limitMicros: 1_000_000_000 }),
  postScimV2Users: () => userBody(newName()),
  putScimV2UsersById: () => userBody(newName()),
  patchScimV2UsersById: () => ({ Operations: [{ op: "replace", path: "title", value: "Engineer" }] }),
  postScimV2Groups: () => ({ displayName: newName() }),
  putScimV2GroupsById: () => ({ displayName: newName() }),
  patchScimV2GroupsById: () => ({ Operations: [{ op: "replace", path: "externalId", value: "ext" }] }),
  postV1WebhookEndpoints: () => ({ url: "http://127.0.0.1:60999/hook" }),
  postV1SsoOidc: () => oidcBody,
  postV1SsoDomains: () => ({ domain: newDomain() }),
  patchV1WebhookEndpointsById: () => ({}),
  postV1OauthProvidersByProviderIdConnectClaim: () => ({ code: seededClaimCode }),
  putV1OauthProvidersByProviderIdClient: () => ({ clientId: "sample", endConnections: true }),
  postV1Workers: () => workerBody(),
  patchV1WorkersById: () => ({}),
  postV1WorkersByIdPause: () => ({ note: "A sample." }),
  putV1WorkersByIdRuntime: () => runtimeBody(),
  postV1WorkersByIdActivityHeartbeat: () => ({ sequence: 1, at: 1, status: "idle" }),
  postV1WorkersRegister: () => ({ instanceId: newName().replace("@", "-") }),
  postV1WorkersByIdRuntimeUpgrade: () => ({ version: "2.0.0" }),
  postV1WorkerRollouts: () => ({ version: "2.0.0", percent: 10 }),
  patchV1WorkerRolloutsById: () => ({ percent: 50 }),
  postV1WorkerRegistrationTokens: () => ({ name: "Machines", kind: "remote" }),
};

/** Routes that leave no entry in the audit log when they are called like this, and why. */
const unaudited: Record<string, string> = {
  postOauthConsentByUid: "needs the cookie of a browser; its own tests check the entry",
  postOauthConsentByUidDeny: "changes nothing",
  postV1McpConnectionsDiscover: "changes nothing",
  postV1McpConnectionsImportPreview: "changes nothing",
  postV1McpConnectionsImport:
    "each saved connection has its entry, but the call of this test ends the stream",
  postV1McpConnectionsByIdDiscover: "the connection itself tells what was found",
  postV1McpConnectionsByIdTest: "the connection itself tells what was found",
  putV1McpConnectionsByIdAuthorizationServer: "needs a server with a sign-in; its own tests check the entry",
  postV1McpDiscoveries: "the kept verdict tells it",
  postV1AutomationSchedulesPreview: "changes nothing",
  postV1ConnectorsByIdTest: "changes nothing",
  postV1MeActiveOrganization: "says where a session acts, and nothing else",
  postApiAuthReauthenticate: "signs in, as at the beginning of the session",
  postApiAuthSignOut: "the person's own session, ended by themselves",
  postApiAuthSendVerificationEmail: "a mail to oneself",
  postV1TelemetryEvents: "reports, and changes nothing else",
  postOtlpV1Traces: "reports, and changes nothing else",
  postOtlpV1Logs: "reports, and changes nothing else",
  postOtlpV1Metrics: "reports, and changes nothing else",
  postV1AutomationRunsByIdClaim: "the run itself tells it",
  postV1AutomationRunsByIdHeartbeat: "the run itself tells it",
  postV1AutomationRunsByIdComplete: "the run itself tells it",
  postV1AutomationRunsByIdEvents: "the run itself tells it",
  postV1AutomationRunsByIdEventsBatch: "the run itself tells it",
  postV1OauthProvidersByProviderIdToken: "the connection's own events tell it",
  postV1LlmProvidersByIdKeysByKeyIdEnable: "the key is enabled already",
  postV1MeSessionsEndOthers: "there are no others here",
  postV1MeTwoFactor: "begins what another step confirms",
  postV1MePasskeysOptions: "begins what another step confirms",
  postV1MePasskeys: "takes the answer of an authenticator",
  postV1MeTwoFactorConfirm: "takes a code of the moment",
  postV1MeTwoFactorBackupCodes: "takes a code of the moment",
  deleteV1MeTwoFactor: "takes a code of the moment",
  postV1SsoByIdTest: "the log of the connector tells it",
  postV1SsoDomainsByIdVerify: "needs a TXT record",
  postV1SsoSaml: "needs the metadata of a provider",
  postV1SsoByIdMetadataRefresh: "is for SAML",
  postV1SsoByIdMetadataApprove: "is for SAML",
  postV1SsoByIdSamlCertificate: "is for SAML",
  postV1SsoLink: "takes a link",
  postV1SsoConfirm: "takes a link",
  deleteV1Me: "takes a confirmation",
  deleteV1Organization: "takes a confirmation",
  postV1BootstrapClaims: "is for provisional workspaces",
  postV1BootstrapClaimsAccept: "takes a link",
  postV1InvitationsAccept: "takes a link",
  postV1OrganizationLeave: "the only owner stays",
  postV1WorkersByIdResume: "it is not paused",
};

/** Bodies that do change something, where one made up from the schema would not. */
const auditedBodies: Record<string, unknown> = {
  postV1Invitations: { email: "grace@example.com", role: "member" },
  postV1OauthProviders: {
    id: "our-own",
    name: "Our own",
    authorizationEndpoint: "https://id.example.com/authorize",
    tokenEndpoint: "https://id.example.com/token",
  },
  patchV1AutomationsById: { name: "Another name" },
  patchV1Scim: { name: "Another name" },
  patchV1AutomationSettings: { eventRetentionDays: 30 },
  patchV1TemplatesById: { name: "Another name" },
  patchV1ConnectorsById: { name: "Another name" },
  patchV1McpConnectionsById: { name: "Another name" },
  putV1McpConnectionsByIdAccess: { organization: false },
  putV1McpConnectionsByIdToolsPolicy: { onDrift: "warn" },
  patchV1WebhookEndpointsById: { description: "Another one" },
  patchV1LlmProvidersById: { name: "Another name" },
  patchV1LlmBudgetsById: { limitMicros: 2_000_000_000 },
  putV1LlmProvidersByIdAccess: { organization: false },
  patchV1SsoById: { name: "Another name" },
  postV1SsoOidc: oidcBody,
  postV1SsoDomains: { domain: "told.example" },
  putV1AdminOrganizationsByIdLimits: { limits: { teams: 5 } },
  patchV1WorkersById: { labels: ["another"] },
};

/** What must be confirmed to be done. */
const queries: Record<string, string> = {
  deleteV1OauthProvidersByProviderId: "?endConnections=true",
  deleteV1OauthProvidersByProviderIdClient: "?endConnections=true",
};

/** Routes whose contract answers 400 for an unknown id. An id of another tenant gets the same reply. */
const unknownIsInvalid = new Set(["getV1OauthProvidersByProviderIdConnectStart"]);

/** Routes that need something of the world outside to succeed: a DNS record, an identity provider, a browser's cookie. */
const needsOutside = new Set([
  "putV1McpConnectionsByIdAuthorizationServer",
  "getOauthConsentByUid",
  "postOauthConsentByUid",
  "postOauthConsentByUidDeny",
  "postV1SsoDomainsByIdVerify",
  "getV1SsoByIdMetadata",
  "postV1SsoByIdMetadataRefresh",
  "postV1SsoByIdMetadataApprove",
  "postV1SsoByIdSamlCertificate",
]);

/** Public pages accept any query, and explain in words what is wrong with it. */
const isPage = ({ raw, method, access }: RouteSpec) =>
  raw === "text/html" && method === "get" && access.kind === "public";

/** The operations that other programs call: they ignore what they do not know, so that a newer caller gets through. */
const lenient = new Set([
  "getScimV2Users",
  "postScimV2Users",
  "postScimV2UsersSearch",
  "getScimV2UsersById",
  "putScimV2UsersById",
  "patchScimV2UsersById",
  "getScimV2Groups",
  "postScimV2Groups",
  "postScimV2GroupsSearch",
  "getScimV2GroupsById",
  "putScimV2GroupsById",
  "patchScimV2GroupsById",
  "postV1McpConnectionsDiscover",
  "getV1OauthProvidersByProviderIdConnectStart",
  "getV1McpConnectionsByIdConnectStart",
  "postV1AutomationRunsByIdComplete",
  "postV1AutomationRunsByIdEvents",
  "postV1AutomationRunsByIdEventsBatch",
  "putV1WorkersByIdRuntime",
  "postV1WorkersByIdActivityHeartbeat",
  "postV1WorkersByIdRunnerToken",
  "postV1WorkersRegister",
  ...Object.keys(signed),
]);

/** Checks a refusal. Protocols have error bodies of their own. */
function expectRefusal(
  { protocol }: RouteSpec,
  reply: Reply,
  { status, body }: Pick<Reply, "status" | "body">,
) {
  expect(reply.status, JSON.stringify(reply.body)).toBe(status);
  if (protocol?.error) expect(protocol.error.schema.parse(reply.body)).toEqual(reply.body);
  else if (status === 401) expect(reply.body).toEqual(body);
  else expect(reply.body).toMatchObject(body);
}

/** Routes of other protocols ignore parameters that they do not know. */
const takesAnyQuery = ({ query }: RouteSpec) => query?.safeParse({ surprise: "1" }).success === true;

/** Pages and files of the console are no operations of the API. `test/browser/console` tests them. */
const specs = routes.map(({ spec }) => spec).filter(({ path }) => !path.endsWith("{*}"));
const guarded = specs.filter(({ access }) => access.kind !== "public");
const withParams = specs.filter(({ path }) => path.includes("{"));
const nameSpecs = (list: readonly RouteSpec[]) => list.map((spec) => [operationId(spec), spec] as const);
const fill = (path: string, ids: Record<string, string> = {}) =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids[name] ?? "x"));

describe("every route", () => {
  const server = useServer({ env: { CODEHOST_WEBHOOK_SECRET: webhookSecret } });
  let acme: Workspace;
  let shared: Workspace;
  beforeAll(async () => {
    acme = await createWorkspace(server, "Acme");
    shared = await createWorkspace(server, "Globex");
    await makeAdmin(server, acme.owner);
  });

  /** A credential of the organization that the route takes. */
  const authFor = async ({ access }: RouteSpec, workspace: Workspace): Promise<Record<string, string>> => {
    if (access.kind !== "machine") return workspace.owner.auth;
    if (access.credentials.includes("worker")) return (await openWorker(server, workspace)).auth;
    if (access.credentials.includes("scim")) return (await openDirectory(server, workspace)).auth;
    await server.platform.db.run(
      sql`delete from worker_registration_tokens where org_id = ${workspace.orgId}`,
    );
    return (await createRegistrationToken(server, workspace.owner.auth)).auth;
  };

  /** The example that the API reference shows for a refusal of the route. */
  function exampleOfRefusal(spec: RouteSpec, status: number): { error: string } {
    type Described = {
      responses: Record<string, { content: Record<string, { example: { error: string } }> }>;
    };
    const { paths } = api() as { paths: Record<string, Record<string, Described>> };
    return paths[spec.path]![spec.method]!.responses[status]!.content["application/json"]!.example;
  }

  /** Calls a route and holds whatever comes back to what openapi.json says may come back. */
  async function callRoute(
    spec: RouteSpec,
    { ids, query = "", ...options }: CallOptions & { ids?: Record<string, string>; query?: string } = {},
  ): Promise<Reply> {
    // A walk knocks more often than a person may.
    if (spec.limit) await server.platform.db.run(sql`delete from rate_limits`);
    const reply = await server.call(fill(spec.path, ids) + query, {
      method: spec.method.toUpperCase(),
      ...options,
    });
    const { paths } = api() as { paths: Record<string, Record<string, { responses: object }>> };
    const described = Object.keys(paths[spec.path]![spec.method]!.responses);
    expect(described, `${operationId(spec)} gave ${JSON.stringify(reply.body)}`).toContain(
      String(reply.status),
    );
    const requestId = reply.headers.get("x-request-id")!;
    expect(requestId).toMatch(/^req_/);
    // It was this route that answered, and not another one that its path fits as well.
    const line = server.logLines.findLast(
      (one) => one.includes(requestId) && one.includes('"msg":"request"'),
    );
    expect(JSON.parse(line!).operation).toBe(operationId(spec));
    expect(reply.headers.get("x-content-type-options")).toBe("nosniff");
    if (spec.path.startsWith("/v1/")) expect(reply.headers.get("cache-control")).toBe("no-store");
    return reply;
  }

  const createIds = async (spec: RouteSpec, workspace: Workspace): Promise<Record<string, string>> => {
    const ids: Record<string, string> = {};
    for (const [prefix, name] of listParameters(spec.path)) {
      const make = createByRoute[spec.path] ?? createByPrefix[prefix];
      if (!make)
        throw new Error(`Add to \`createByPrefix\` of this test how to create an object for ${prefix}.`);
      ids[name] = await make(server, workspace);
    }
    return ids;
  };

  const bodyFor = (spec: RouteSpec, workspace: Workspace): { body?: unknown } =>
    spec.body
      ? { body: bodies[operationId(spec)]?.(server, workspace) ?? createSample(toSchema(spec.body)) }
      : {};

  describe("is described without contradiction", () => {
    test("no two routes have one operation id", () => {
      const ids = specs.map(operationId);
      expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([]);
    });

    test("no two paths differ only in the name of a parameter", () => {
      const paths = [...new Set(specs.map(({ path }) => path))];
      const bare = paths.map((path) => path.replace(/\{\w+\}/g, "{}"));
      expect(paths.filter((_, i) => bare.indexOf(bare[i]!) !== i)).toEqual([]);
    });

    test.each(nameSpecs(specs))("%s declares its access", (name, { access, path }) => {
      expect(["public", "user", "member", "machine", "operator"]).toContain(access.kind);
      if ((access.kind === "member" || access.kind === "machine") && access.permission)
        expect(permissions).toContain(access.permission);
      // Nothing under /v1 is public by accident: those that are say so here.
      if (access.kind === "public" && !publicRoutes[name]) expect(path).not.toMatch(/^\/v1\//);
    });

    test("every permission of the catalogue is used by a route or a rule", () => {
      const byRoute = specs.flatMap(({ access }) => (access.kind === "member" ? [access.permission] : []));
      const services = readdirSync(join(import.meta.dirname, "../../src/features"), { recursive: true })
        .map(String)
        .filter((file) => file.endsWith("service.ts"))
        .map((file) => readFileSync(join(import.meta.dirname, "../../src/features", file), "utf8"))
        .join("\n");
      const unused = permissions.filter(
        (name) => !byRoute.includes(name) && !services.includes(`permissions.has("${name}")`),
      );
      expect(unused).toEqual([]);
    });
  });

  describe("refuses unknown callers", () => {
    const bad: Record<string, Record<string, string>> = {};
    /** Good tokens of machines, each for few routes. */
    const machines: Partial<Record<CredentialKind, Record<string, Record<string, string>>>> = {};
    beforeAll(async () => {
      const { db } = server.platform;
      const goodKey = await createKey(server, acme.owner);
      const revoked = await createKey(server, acme.owner);
      await server.call(`/v1/api-keys/${revoked.id}`, { method: "DELETE", headers: acme.owner.auth });
      const expired = await createKey(server, acme.owner);
      await db.run(
        sql`update api_keys set expires_at = now() - interval '1 second' where id = ${expired.id}`,
      );
      const old = await signUp(server);
      await db.run(
        sql`update sessions set expires_at = now() - interval '1 second' where user_id = ${old.userId}`,
      );
      const gone = await signUp(server);
      await server.call("/api/auth/sign-out", { method: "POST", headers: gone.auth });
      Object.assign(bad, {
        "no credential": {},
        "an API key as Bearer": { authorization: `Bearer ${goodKey.key}` },
        "a session as x-api-key": { "x-api-key": acme.owner.token },
        "a session as x-api-key beside a good session": {
          "x-api-key": acme.owner.token,
          ...acme.owner.auth,
        },
        "a session without Bearer": { authorization: acme.owner.token },
        "garbage as Bearer": { authorization: "Bearer garbage" },
        "an empty Bearer": { authorization: "Bearer " },
        Basic: { authorization: "Basic dXNlcjpwYXNz" },
        "garbage as x-api-key": { "x-api-key": "garbage" },
        "an empty x-api-key": { "x-api-key": "" },
        "a well-formed key that nobody made": { "x-api-key": newToken("sbx_") },
        "an expired session": old.auth,
        "a session that signed out": gone.auth,
        "an expired key": expired.auth,
        "a removed key": revoked.auth,
        "a cookie that nobody got": { cookie: "signalbox_session=garbage", "sec-fetch-site": "same-origin" },
        "a key whose member was removed": await keyOfRemoved(),
        "the key of a workspace that is gone": await keyOfGone(),
        "a session whose account is deleted": await sessionOfDeleted(),
        ...(await machinesThatEnded()),
      });
      const directory = await openDirectory(server, acme);
      const [runner, mcp, run] = [
        await createRunner(server, acme.owner.auth),
        await createMcpToken(server, acme.owner),
        await runCredential(),
      ];
      const worker = await createWorker(server, acme.owner.auth);
      const registration = await createRegistrationToken(server, acme.owner.auth);
      Object.assign(machines, {
        runner: {
          "a runner token": runner.auth,
          "a runner token as x-api-key": { "x-api-key": runner.token },
        },
        mcp: { "an MCP token": mcp.auth, "an MCP token as x-api-key": { "x-api-key": mcp.token } },
        scim: {
          "a SCIM token": directory.auth,
          "a SCIM token as x-api-key": { "x-api-key": directory.token },
        },
        worker: {
          "a worker token": worker.auth,
          "a worker token as x-api-key": { "x-api-key": worker.token },
        },
        worker_registration: { "a registration token": registration.auth },
        run: {
          "a run credential": run.auth,
          "a run credential as x-api-key": { "x-api-key": run.credential },
        },
      });
    });

    async function keyOfRemoved() {
      const member = await joinWorkspace(server, acme, "admin");
      const key = await createKey(server, member);
      await server.call(`/v1/members/${member.memberId}`, { method: "DELETE", headers: acme.owner.auth });
      return key.auth;
    }

    async function keyOfGone() {
      const provisional = await bootstrap(server);
      await server.platform.db.run(sql`delete from organizations where id = ${provisional.orgId}`);
      return provisional.auth;
    }

    async function sessionOfDeleted() {
      const person = await signUp(server);
      await server.call("/v1/me", {
        method: "DELETE",
        body: { confirm: person.email },
        headers: person.auth,
      });
      return person.auth;
    }

    async function runCredential() {
      const { id } = await queueRun(server, acme.owner.auth);
      const { credential } = await claim(server, acme.owner.auth, id);
      // The tests of all routes take longer than a lease.
      await server.platform.db.run(
        sql`update automation_runs set lease_expires_at = now() + interval '1 hour' where id = ${id}`,
      );
      return { id, credential, auth: { authorization: `Bearer ${credential}` } };
    }

    async function runCredentialsThatEnded() {
      const [ended, cancelled] = [await runCredential(), await runCredential()];
      const { auth: headers } = acme.owner;
      await server.call(`/v1/automation-runs/${ended.id}/complete`, {
        body: { attempt: 1, status: "succeeded" },
        headers,
      });
      await server.call(`/v1/automation-runs/${cancelled.id}/cancel`, { method: "POST", headers });
      return {
        "the credential of a run that is over, so it has expired": ended.auth,
        "the credential of a run that was cancelled, so it has expired": cancelled.auth,
        "a well-formed run credential that nobody made": { authorization: `Bearer ${newToken("sbt_")}` },
      };
    }

    async function endedDirectory(method: "POST" | "DELETE") {
      const workspace = await createWorkspace(server);
      const { auth } = await connectDirectory(server, workspace);
      const ending = { method, headers: workspace.owner.auth };
      await (method === "DELETE"
        ? server.call("/v1/scim", ending)
        : server.call("/v1/scim/token", { ...ending, body: { endEarlierTokens: true } }));
      return auth;
    }

    async function endedWorker() {
      const { id, auth } = await createWorker(server, acme.owner.auth);
      await server.call(`/v1/workers/${id}`, { method: "DELETE", headers: acme.owner.auth });
      return auth;
    }

    /** Tokens of machines after their time, and after somebody ended them. */
    async function machinesThatEnded() {
      const { db } = server.platform;
      const expiredMcp = await createMcpToken(server, acme.owner);
      await db.run(
        sql`update mcp_tokens set expires_at = now() - interval '1 second' where id = ${expiredMcp.id}`,
      );
      const endedMcp = await createMcpToken(server, acme.owner);
      await server.call(`/v1/mcp/tokens/${endedMcp.id}`, { method: "DELETE", headers: acme.owner.auth });
      const runners: Record<string, string>[] = [];
      for (const end of [
        (id: string) =>
          db.run(
            sql`update automation_runner_tokens set expires_at = now() - interval '1 second' where runner_id = ${id}`,
          ),
        (id: string) =>
          server.call(`/v1/automation-runners/${id}`, { method: "DELETE", headers: acme.owner.auth }),
      ]) {
        runners.push((await createRunner(server, acme.owner.auth)).auth);
        const { items } = (await server.call("/v1/automation-runners?limit=1", { headers: acme.owner.auth }))
          .body;
        await end(items[0].id);
      }
      return {
        "an expired MCP token": expiredMcp.auth,
        "a removed MCP token": endedMcp.auth,
        "a well-formed token of an MCP client that nobody made": {
          authorization: `Bearer ${newToken("sba_")}`,
        },
        "a well-formed MCP token that nobody made": { authorization: `Bearer ${newToken("sbm_")}` },
        "an expired runner token": runners[0],
        "the token of a removed runner": runners[1],
        "a SCIM token that was rotated and has expired": await endedDirectory("POST"),
        "the SCIM token of a removed connector": await endedDirectory("DELETE"),
        "the token of a removed worker": await endedWorker(),
        "a well-formed worker token that nobody made": { authorization: `Bearer ${newToken("sbw_")}` },
        "a well-formed registration token that nobody made": { authorization: `Bearer ${newToken("sbg_")}` },
        "a well-formed SCIM token that nobody made": { authorization: `Bearer ${newToken("sbs_")}` },
        ...(await runCredentialsThatEnded()),
      };
    }

    // The statements that find a credential are the same for all routes. So on PostgreSQL, one route of each kind of
    // access is enough.
    const byAccess = new Map(guarded.map((spec) => [describeAccess(spec), spec]));
    const checked = inject("engine") === "postgres" ? [...byAccess.values()] : guarded;
    test.each(nameSpecs(checked))("%s", async (_, spec) => {
      const taken = spec.access.kind === "public" ? [] : (spec.access.credentials ?? []);
      const elsewhere = Object.entries(machines).filter(([kind]) => !taken.includes(kind as CredentialKind));
      const all = Object.assign({}, bad, ...elsewhere.map(([, tokens]) => tokens));
      for (const [what, headers] of Object.entries<Record<string, string>>(all)) {
        const reply = await callRoute(spec, { headers });
        expect({ what, status: reply.status }).toEqual({ what, status: 401 });
        expectRefusal(spec, reply, { status: 401, body: { error: "unauthorized" } });
        const challenge = reply.headers.get("www-authenticate") ?? "";
        // The challenge for an API key names its own scheme.
        expect({ what, challenge }).toEqual({
          what,
          challenge: expect.stringMatching(
            "x-api-key" in headers ? /^ApiKey realm="signalbox", / : /^Bearer realm="signalbox"/,
          ),
        });
        // An ended credential must look like one that never existed.
        if (/expired|removed|nobody|signed out|gone|deleted/.test(what))
          expect(challenge).toMatch(/is unknown, has expired or was (?:removed|revoked)\."$/);
      }
    });

    // Without an id in the path, the room tests what the credential reaches.
    const forRuns = withParams.filter(
      (spec) => spec.access.kind === "member" && spec.access.credentials?.includes("run"),
    );
    test.each(nameSpecs(forRuns))(
      "%s: a run credential reaches only the resources of its run",
      async (_, spec) => {
        const ids = await createIds(spec, acme);
        expect(Object.keys(ids)).toHaveLength(1);
        const [byRun, byOwner] = [
          await callRoute(spec, { ids, headers: machines.run!["a run credential"]!, ...bodyFor(spec, acme) }),
          await callRoute(spec, { ids, headers: acme.owner.auth, ...bodyFor(spec, acme) }),
        ];
        expect({ byRun: byRun.status, byOwner: byOwner.status }).toEqual({ byRun: 404, byOwner: 200 });
      },
    );
  });

  describe("refuses a cursor of another list", () => {
    const lists = specs.filter(({ query }) => query && "cursor" in query.shape);
    test.each(nameSpecs(lists))("%s", async (_, spec) => {
      expect(lists.length).toBeGreaterThan(20);
      const ids = await createIds(spec, acme);
      const positions = [newId("aaa"), newId("zzz"), "7", "1.2", "1 2", "2026-01-01", "github"];
      const ofOtherLists = positions.map((position) => Buffer.from(position).toString("base64url"));
      for (const cursor of ["bogus", "%00", "e30", ...ofOtherLists]) {
        const headers = await authFor(spec, acme);
        const reply = await callRoute(spec, { ids, headers, query: `?cursor=${cursor}` });
        expect({ cursor, status: reply.status }).toEqual({ cursor, status: 400 });
        if (spec.protocol) {
          expect(["invalidCursor", "invalidValue"]).toContain(reply.body.scimType);
          continue;
        }
        expect(reply.body.details[0].path).toEqual(["cursor"]);
      }
    });
  });

  describe("refuses callers without permission", () => {
    // A refusal comes before the first statement of a route. So on PostgreSQL, one route of each access and permission
    // is enough.
    const byTerms = new Map(guarded.map((spec) => [JSON.stringify([spec.access, !spec.protocol]), spec]));
    const checked = inject("engine") === "postgres" ? [...byTerms.values()] : guarded;
    const forMembers = checked.filter(({ access }) => access.kind === "member");
    const byPermission = forMembers.filter(({ access }) => access.kind === "member" && access.permission);
    const terms = ({ access }: RouteSpec) =>
      access.kind === "public" ? { credentials: undefined, fresh: false } : access;
    const sessionOnly = checked.filter((spec) => terms(spec).credentials?.join() === "session");
    // Only administrators of the instance get as far as the age of the session.
    const fresh = checked.filter((spec) => terms(spec).fresh && spec.access.kind !== "operator");
    const takesKeys = (spec: RouteSpec) => terms(spec).credentials?.includes("key") ?? true;

    type Permitted = { permission: string };
    const narrow: { permission: string; auth: Record<string, string> }[] = [];
    let provisional: Record<string, string>;
    let removed: Person;
    let deactivated: Person;
    let powerless: Person;
    let stranger: Person;
    let early: Person;
    let key: { auth: Record<string, string> };
    /** An owner here, in a session of another organization's single sign-on. */
    let bound: Person;
    beforeAll(async () => {
      const { db } = server.platform;
      bound = await joinWorkspace(server, acme, "owner");
      await db.run(sql`
        update sessions set signed_in_by = 'sso', sso_org_id = ${shared.orgId} where user_id = ${bound.userId}`);
      const roleId = newId("role");
      await db.run(
        sql`insert into roles (id, org_id, name, permissions) values (${roleId}, ${acme.orgId}, 'Nothing', '{}')`,
      );
      powerless = await joinWorkspace(server, acme, roleId);
      stranger = await signUp(server, "Stranger");
      early = await joinWorkspace(server, acme, "owner");
      key = await createKey(server, acme.owner);
      for (const permission of ["organization:read", "members:read"]) {
        const { auth } = await createKey(server, acme.owner, { permissions: [permission] });
        narrow.push({ permission, auth });
      }
      provisional = (await bootstrap(server)).auth;
      const leaver = await joinWorkspace(server, acme, "admin");
      await server.call(`/v1/members/${leaver.memberId}`, { method: "DELETE", headers: acme.owner.auth });
      removed = leaver;
      const absent = await joinWorkspace(server, acme, "owner");
      await server.call(`/v1/members/${absent.memberId}/deactivate`, {
        method: "POST",
        headers: acme.owner.auth,
      });
      deactivated = absent;
      await db.run(
        sql`update sessions set created_at = now() - interval '16 minutes' where user_id = ${early.userId}`,
      );
    });

    test.each(nameSpecs(byPermission))("%s: a role without the permission gets 403", async (_, spec) => {
      expectRefusal(spec, await callRoute(spec, { headers: powerless.auth }), {
        status: 403,
        body: { error: "forbidden", reason: "missing_permission" },
      });
    });

    test.each(nameSpecs(byPermission))(
      "%s: a key that is limited to other permissions gets 403",
      async (_, spec) => {
        const limited = narrow.find(
          ({ permission }) => permission !== (spec.access as Permitted).permission,
        )!;
        const reason = takesKeys(spec) ? "missing_permission" : "session_required";
        expectRefusal(spec, await callRoute(spec, { headers: limited.auth }), {
          status: 403,
          body: { error: "forbidden", reason },
        });
      },
    );

    test.each(nameSpecs(byPermission))(
      "%s: the key of an unclaimed workspace gets 403, except for reading and for automations",
      async (_, spec) => {
        const { permission } = spec.access as Permitted;
        if (takesKeys(spec) && ["organization:read", "automations:create"].includes(permission)) return;
        const reason = takesKeys(spec) ? "missing_permission" : "session_required";
        expectRefusal(spec, await callRoute(spec, { headers: provisional }), {
          status: 403,
          body: { error: "forbidden", reason },
        });
      },
    );

    test.each(nameSpecs(forMembers))("%s: a removed or deactivated member gets 403", async (_, spec) => {
      for (const { auth } of [removed, deactivated])
        expectRefusal(spec, await callRoute(spec, { headers: auth }), {
          status: 403,
          body: { error: "forbidden", reason: "no_active_organization" },
        });
    });

    test.each(nameSpecs(forMembers))("%s: a person without an organization gets 403", async (_, spec) => {
      const refusal = { status: 403, body: { error: "forbidden", reason: "no_active_organization" } };
      expectRefusal(spec, await callRoute(spec, { headers: stranger.auth }), refusal);
      for (const orgId of [acme.orgId, newId("org"), "garbage", "%00", "é", "x".repeat(5000)]) {
        const headers = { ...stranger.auth, "x-organization-id": orgId };
        expectRefusal(spec, await callRoute(spec, { headers }), refusal);
      }
    });

    test.each(nameSpecs(forMembers))(
      "%s: a session of another organization's single sign-on gets 403",
      async (_, spec) => {
        const refusal = { status: 403, body: { error: "forbidden", reason: "no_active_organization" } };
        for (const more of [{}, { "x-organization-id": acme.orgId }] as Record<string, string>[])
          expectRefusal(spec, await callRoute(spec, { headers: { ...bound.auth, ...more } }), refusal);
      },
    );

    const ofAccount = checked.filter(({ access }) => access.kind === "user" && access.account);
    test.each(nameSpecs(ofAccount))(
      "%s: a session of single sign-on does not govern the account",
      async (_, spec) => {
        expectRefusal(spec, await callRoute(spec, { headers: bound.auth }), {
          status: 403,
          body: { error: "forbidden", reason: "sso_session" },
        });
      },
    );

    const forOperators = checked.filter(({ access }) => access.kind === "operator");
    test.runIf(forOperators.length > 0).each(nameSpecs(forOperators))(
      "%s: a person who does not administer the instance gets 403",
      async (_, spec) => {
        for (const { auth } of [stranger, early, powerless])
          expectRefusal(spec, await callRoute(spec, { headers: auth }), {
            status: 403,
            body: { error: "forbidden", reason: "operator_required" },
          });
      },
    );

    test.each(nameSpecs(sessionOnly))("%s: a key gets 403 session_required", async (_, spec) => {
      expect(await callRoute(spec, { headers: key.auth })).toMatchObject({
        status: 403,
        body: { error: "forbidden", reason: "session_required" },
      });
    });

    test.each(nameSpecs(fresh))(
      "%s: a session that is 16 minutes old, or a key, gets 403 reauth",
      async (_, spec) => {
        const refusal = { status: 403, body: { error: "reauth", reason: "session_too_old" } };
        expect(await callRoute(spec, { headers: early.auth })).toMatchObject(refusal);
        if (takesKeys(spec)) expect(await callRoute(spec, { headers: key.auth })).toMatchObject(refusal);
      },
    );
  });

  describe("that changes data writes an audit entry", () => {
    const changing = guarded.filter(
      ({ method, access }) => method !== "get" && ["user", "member", "operator"].includes(access.kind),
    );
    const entries = async () =>
      (await server.platform.db.row<{ count: number }>(sql`select count(*) as count from audit_events`))!
        .count;

    const prepare: Record<string, (ids: Record<string, string>, globex: Workspace) => Promise<unknown>> = {
      postV1AutomationsByIdActivate: ({ id }, { owner }) =>
        server.call(`/v1/automations/${id}/deactivate`, { method: "POST", headers: owner.auth }),
      postV1AdminOrganizationsByIdRestore: async ({ id }) => suspend(server, acme.owner, id!),
      postV1AdminUsersByIdResetSecondFactor: ({ id }) =>
        server.platform.db.run(
          sql`insert into two_factors (user_id, secret, confirmed_at) values (${id}, 'x', now())`,
        ),
      postV1MembersByIdReactivate: ({ id }, { owner }) =>
        server.call(`/v1/members/${id}/deactivate`, { method: "POST", headers: owner.auth }),
      patchV1Scim: (_, globex) => connectDirectory(server, globex),
      deleteV1Scim: (_, globex) => connectDirectory(server, globex),
      deleteV1TeamsByIdMembersByMemberId: ({ id, memberId }, { owner }) =>
        server.call(`/v1/teams/${id}/members/${memberId}`, { method: "PUT", headers: owner.auth }),
    };

    test.each(nameSpecs(changing))("%s", async (name, spec) => {
      const globex = await createWorkspace(server, "Globex");
      const ids = await createIds(spec, globex);
      await prepare[name]?.(ids, globex);
      const before = await entries();
      const reply = await callRoute(spec, {
        ids,
        query: queries[name] ?? "",
        headers: (spec.access.kind === "operator" ? acme : globex).owner.auth,
        ...(auditedBodies[name] ? { body: auditedBodies[name] } : bodyFor(spec, globex)),
      });
      if (unaudited[name]) return;
      expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300);
      expect(await entries()).toBeGreaterThan(before);
    });
  });

  describe("separates organizations", () => {
    // An operator's routes are about all organizations.
    const guardedWithParams = withParams.filter(
      ({ access }) => access.kind === "user" || access.kind === "member",
    );
    let key: { auth: Record<string, string> };
    let provisional: { auth: Record<string, string> };
    beforeAll(async () => {
      key = await createKey(server, acme.owner);
      provisional = await bootstrap(server);
    });

    test.each(nameSpecs(guardedWithParams))("%s: another organization's id is not found", async (_, spec) => {
      // What must be fresh can take an organization away from its owner: each gets one of its own.
      const isFinal = spec.access.kind !== "public" && spec.access.fresh;
      const globex = isFinal ? await createWorkspace(server, "Globex") : shared;
      const theirs = await createIds(spec, globex);
      const refused = await callRoute(spec, {
        ids: theirs,
        headers: acme.owner.auth,
        ...bodyFor(spec, acme),
      });
      const invalid = unknownIsInvalid.has(operationId(spec));
      expect(refused.status).toBe(invalid ? 400 : 404);
      expect(refused.body.error).toMatch(invalid ? /^invalid_request$/ : /_not_found$/);
      for (const headers of [key.auth, provisional.auth]) {
        const byKey = await callRoute(spec, { ids: theirs, headers, ...bodyFor(spec, acme) });
        expect([403, invalid ? 400 : 404]).toContain(byKey.status);
      }
      // The same call in the organization it belongs to, so that the refusal above means something.
      const answered = await callRoute(spec, {
        ids: theirs,
        query: queries[operationId(spec)] ?? "",
        headers: globex.owner.auth,
        ...bodyFor(spec, globex),
      });
      if (!needsOutside.has(operationId(spec)))
        expect(Object.keys(spec.replies)).toContain(String(answered.status));
    });

    const forDirectories = withParams.filter(
      ({ access, path }) => access.kind === "machine" && /^\/scim\/v2\/(?:Users|Groups)\//.test(path),
    );
    test.each(nameSpecs(forDirectories))(
      "%s: another organization's directory does not find it",
      async (_, spec) => {
        const theirs = await createIds(spec, shared);
        const call = async (workspace: Workspace) =>
          callRoute(spec, {
            ids: theirs,
            headers: await authFor(spec, workspace),
            ...bodyFor(spec, workspace),
          });
        expect(await call(acme)).toMatchObject({
          status: 404,
          body: { schemas: [scimErrorUrn], status: "404" },
        });
        expect(Object.keys(spec.replies)).toContain(String((await call(shared)).status));
      },
    );

    test.each(nameSpecs(withParams))("%s: a malformed id gets 404 or 400", async (_, spec) => {
      const garbage = [
        "garbage",
        "x".repeat(5000),
        "%00",
        "%00%00",
        "é",
        "\u{1f4a9}",
        "usr_01h455vb4pex5vsknk084sn02q",
        "mem_zzzzzzzzzzzzzzzzzzzzzzzzzz",
        "../..",
        "null",
        "-1",
        "' or 1=1 --",
        newId("org"),
      ];
      for (const id of garbage) {
        const ids = Object.fromEntries(listParameters(spec.path).map(([, name]) => [name, id]));
        const reply = await callRoute(spec, {
          ids,
          headers: await authFor(spec, acme),
          ...bodyFor(spec, acme),
        });
        expect([400, 404], `${id} gave ${reply.status}`).toContain(reply.status);
        if (
          id === garbage[0] &&
          !spec.protocol &&
          reply.status === 404 &&
          listParameters(spec.path).length === 1
        )
          expect(reply.body.error).toBe(exampleOfRefusal(spec, 404).error);
      }
      // Written into the path as they are, where the client library would have escaped them.
      for (const raw of ["%", "%zz", "%ff", "%c0%ae", "%ed%a0%80", ";a=b", "a%2fb"]) {
        const path = spec.path.replace(/\{\w+\}/g, raw);
        const reply = await server.call(path, {
          method: spec.method.toUpperCase(),
          headers: await authFor(spec, acme),
          ...bodyFor(spec, acme),
        });
        expect([400, 404], `${raw} gave ${reply.status}`).toContain(reply.status);
      }
    });
  });

  describe("accepts only what it describes", () => {
    const withBody = specs.filter(({ body }) => body);
    // A refusal of these comes before the first statement of a route, so on PostgreSQL only the others are called.
    const reachesDatabase = (spec: RouteSpec) =>
      inject("engine") === "pglite" || lenient.has(operationId(spec));

    test.each(nameSpecs(specs.filter(reachesDatabase)))(
      "%s: an unknown query parameter is refused, except by protocols that ignore it",
      async (_, spec) => {
        for (const name of ["surprise", "__proto__", "constructor"]) {
          const ids = lenient.has(operationId(spec)) ? await createIds(spec, acme) : {};
          const reply = await callRoute(spec, {
            ids,
            query: `?${name}=1`,
            headers: await authFor(spec, acme),
            ...bodyFor(spec, acme),
            ...signed[operationId(spec)]?.(),
          });
          if (lenient.has(operationId(spec)) && (!spec.protocol || takesAnyQuery(spec))) {
            expect(reply.status).toBeLessThan(300);
            continue;
          }
          if (spec.protocol && takesAnyQuery(spec)) {
            expect([200, 404, 501]).toContain(reply.status);
            continue;
          }
          if (spec.protocol) {
            expectRefusal(spec, reply, { status: 400, body: {} });
            continue;
          }
          if (isPage(spec)) {
            expect(reply.headers.get("content-type")).toContain("text/html");
            continue;
          }
          expect(reply).toMatchObject({ status: 400, body: { error: "invalid_request" } });
          expect(reply.body.details).toContainEqual(expect.objectContaining({ path: [name] }));
        }
      },
    );

    test.each(nameSpecs(withBody.filter(reachesDatabase)))(
      "%s: an unknown field is refused, except on routes that newer clients must be able to call",
      async (_, spec) => {
        for (const name of ["surprise", "__proto__", "constructor"]) {
          const body = JSON.stringify(bodyFor(spec, acme).body);
          const extended = `${body.slice(0, -1)}${body === "{}" ? "" : ","}"${name}":{}}`;
          const ids = lenient.has(operationId(spec)) ? await createIds(spec, acme) : {};
          const headers = await authFor(spec, acme);
          const reply = await callRoute(spec, { ids, headers, body: extended });
          if (lenient.has(operationId(spec))) {
            expect(reply.status).toBeLessThan(300);
            continue;
          }
          expect(reply).toMatchObject({ status: 400, body: { error: "invalid_request" } });
          expect(reply.body.details).toContainEqual(expect.objectContaining({ path: [name] }));
        }
      },
    );

    test.each(nameSpecs(withBody.filter(reachesDatabase)))(
      "%s: a value of another type is refused",
      async (_, spec) => {
        for (const { what, body } of listWrongBodies(toSchema(spec.body!))) {
          const reply = await callRoute(spec, { headers: await authFor(spec, acme), body });
          expect({ what, status: reply.status }).toEqual({ what, status: 400 });
          expect(spec.protocol ? reply.body.detail : reply.body.details[0].message).toBeTypeOf("string");
        }
      },
    );

    test.each(nameSpecs(withBody))("%s: no body causes a server error", async (_, spec) => {
      await fc.assert(
        fc.asyncProperty(createHostileBody(toSchema(spec.body!)), async (body) => {
          const reply = await callRoute(spec, { headers: await authFor(spec, acme), body });
          expect(reply.status).toBeLessThan(500);
        }),
        { numRuns: 40 },
      );
    });
  });
});

/** Each parameter of a path, with the path up to it. */
function listParameters(path: string): [prefix: string, name: string][] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => [
    path.slice(0, match.index + match[0].length),
    match[1]!,
  ]);
}

/** What decides which credentials a route takes. */
const describeAccess = ({ access, protocol }: RouteSpec): string =>
  access.kind === "public"
    ? access.kind
    : [access.kind, access.credentials?.join() ?? "", access.fresh ?? false, protocol !== undefined].join(
        " ",
      );
