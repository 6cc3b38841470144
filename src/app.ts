import * as apiKeys from "./features/api-keys/index.ts";
import * as audit from "./features/audit/index.ts";
import * as auth from "./features/auth/index.ts";
import * as automations from "./features/automations/index.ts";
import * as bootstrap from "./features/bootstrap/index.ts";
import * as connectors from "./features/connectors/index.ts";
import * as invitations from "./features/invitations/index.ts";
import * as mcpConnections from "./features/mcp-connections/index.ts";
import * as mcpTokens from "./features/mcp-tokens/index.ts";
import * as members from "./features/members/index.ts";
import * as notifications from "./features/notifications/index.ts";
import * as oauthProviders from "./features/oauth-providers/index.ts";
import * as organizations from "./features/organizations/index.ts";
import * as quotas from "./features/quotas/index.ts";
import * as roles from "./features/roles/index.ts";
import * as system from "./features/system/index.ts";
import * as teams from "./features/teams/index.ts";
import * as templates from "./features/templates/index.ts";
import * as users from "./features/users/index.ts";
import * as webhooks from "./features/webhooks/index.ts";
import type { Platform } from "./platform/context.ts";
import { housekeeping } from "./platform/housekeeping.ts";
import {
  createAuthenticator,
  createHttp,
  describeApi,
  type Route,
  sealedReplies,
} from "./platform/http/index.ts";
import { type Job, job } from "./platform/jobs/index.ts";
import type { SealedColumn } from "./platform/keyring.ts";
import { createLastUsed } from "./platform/last-used.ts";
import * as mail from "./platform/mail/index.ts";
import { upgradeSealing } from "./platform/reseal/index.ts";

/** The order of the API reference. */
const tags = [
  { name: "System", description: "Health, versions, this description." },
  { name: "Authentication", description: "Accounts and sessions." },
  { name: "Users", description: "The signed-in person." },
  { name: "Organizations", description: "Organizations, also called workspaces." },
  { name: "Bootstrap", description: "Workspaces that agents make for themselves, and claiming them." },
  { name: "Invitations", description: "Asking people in." },
  { name: "Members", description: "Who belongs to an organization." },
  { name: "Roles", description: "What can be allowed, and to whom together." },
  { name: "Teams", description: "Members who are granted things together." },
  { name: "API Keys", description: "Keys that act for a member." },
  { name: "MCP Tokens", description: "Tokens that MCP clients call with." },
  { name: "Automations", description: "What should happen when." },
  { name: "Automation Runs", description: "Each time it did, and what was reported about it." },
  { name: "Automation Runners", description: "The machines that do runs." },
  { name: "Automation Usage", description: "What runs used and cost." },
  { name: "Audit", description: "What was changed, by whom and from where." },
  { name: "Templates", description: "What agents are given to work with." },
  { name: "Connectors", description: "Repositories that templates follow." },
  { name: "Connector Syncs", description: "Making templates equal to what a repository holds." },
  { name: "Webhooks", description: "What code hosts send, and what became of it." },
  { name: "Notifications", description: "Outgoing webhooks and mails about events, and who receives them." },
  { name: "MCP Connections", description: "Outside MCP servers, and what connecting them takes." },
  { name: "OAuth Providers", description: "Accounts at outside providers, and tokens of them for agents." },
  { name: "OAuth Connections", description: "How those are, who may use them, and their end." },
];

const rooms = [
  auth,
  users,
  organizations,
  quotas,
  bootstrap,
  invitations,
  members,
  roles,
  teams,
  apiKeys,
  mcpTokens,
  mcpConnections,
  automations,
  templates,
  connectors,
  webhooks,
  oauthProviders,
  notifications,
  audit,
];

export const jobs: readonly Job[] = [
  mail.deliver as Job,
  mail.tidy,
  housekeeping,
  job({
    name: "platform.seal",
    schedule: "*/10 * * * *",
    handle: (platform) => upgradeSealing(platform, sealedColumns),
  }),
  ...auth.jobs,
  ...quotas.jobs,
  ...bootstrap.jobs,
  ...mcpTokens.jobs,
  ...automations.jobs,
  ...audit.jobs,
  ...connectors.jobs,
  ...webhooks.jobs,
  ...oauthProviders.jobs,
  ...notifications.jobs,
];

/** Every column that holds a sealed value: what `signalbox reseal` walks. */
export const sealedColumns: readonly SealedColumn[] = [
  mail.sealedMails,
  sealedReplies,
  auth.sealedSecrets,
  ...connectors.sealedColumns,
  ...oauthProviders.sealedColumns,
  ...notifications.sealedColumns,
];

/** The columns that show which secret a database was used with. */
export const columnsUnderSecret: readonly SealedColumn[] = [...sealedColumns, audit.signedChains];

const roomRoutes: readonly Route[] = rooms.flatMap((room) => room.routes);
const routes: readonly Route[] = [...system.createRoutes(() => api()), ...roomRoutes];

let described: Record<string, unknown> | undefined;
/** The API description, made when somebody first asks for it. */
export function api(): Record<string, unknown> {
  described ??= describeApi(
    routes.map(({ spec }) => spec),
    {
      version: "dev",
      description: "Self-hosted control plane for organizations that run AI agents.",
      tags,
      fields: system.fieldGuide,
      tokenSchemes: {
        mcp: { scheme: "mcpAuth", description: "MCP token, `sbm_…`, for seven days." },
        runner: { scheme: "runnerAuth", description: "Runner token, `sbr_…`, for twelve hours." },
        run: { scheme: "runAuth", description: "Run credential, `sbt_…`, for one attempt of a run." },
      },
    },
  );
  return described;
}

export { resetTwoFactor } from "./features/auth/index.ts";
export { fillDemo, removeDemo } from "./features/demo/index.ts";
export { routes };

export interface AppOptions {
  /** `worker`: only what operators look at; the API is answered elsewhere. */
  role?: "all" | "api" | "worker";
  /** In tests: a reply that its contract does not describe becomes a fault. */
  checkReplies?: boolean;
  /** Routes beside the rooms' own, that are no part of the API: what the benchmarks measure. */
  moreRoutes?: readonly Route[];
}

export function createApp(
  platform: Platform,
  { role = "all", checkReplies = false, moreRoutes = [] }: AppOptions = {},
) {
  quotas.checkQuotaNames(platform.config);
  const meter = quotas.meterOf(platform);
  const closing = new AbortController();
  const endWebhooks = webhooks.start(platform);
  const lastUsed = createLastUsed(platform.db, platform.log, {
    session: auth.touchSessions,
    key: apiKeys.touchKeys,
    mcp: mcpTokens.touchMcpTokensOfAll,
    runner: automations.touchRunnersOfAll,
  });
  const authenticate = createAuthenticator(
    platform.bus,
    {
      session: auth.resolveSession,
      key: { prefix: apiKeys.keyPrefix, resolve: apiKeys.resolveKey },
      tokens: {
        [automations.runnerPrefix]: automations.resolveRunner,
        [mcpTokens.mcpPrefix]: mcpTokens.resolveMcpToken,
      },
      unrememberedTokens: { [automations.runPrefix]: automations.resolveRun },
    },
    auth.cookieName(platform.config.publicUrl),
  );
  const http = createHttp({
    platform,
    routes: [
      ...(role === "worker" ? routes.filter(({ spec }) => spec.tag === "System") : routes),
      ...moreRoutes,
    ],
    checkReplies,
    idempotencyLimits: quotas.idempotencyLimits,
    closing: closing.signal,
    async authenticate(ctx, request) {
      const caller = await authenticate(ctx, request);
      if (caller) lastUsed.note(caller);
      return caller;
    },
  });
  return {
    answer: http.answer,
    lastUsed,
    closing: () => closing.abort(),
    async close() {
      await lastUsed.stop();
      await meter.flush();
      await endWebhooks();
    },
  };
}
