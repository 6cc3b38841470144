import * as apiKeys from "./features/api-keys/index.ts";
import * as audit from "./features/audit/index.ts";
import * as auth from "./features/auth/index.ts";
import * as automations from "./features/automations/index.ts";
import * as bootstrap from "./features/bootstrap/index.ts";
import * as codeHost from "./features/code-host/index.ts";
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
import type { Platform } from "./platform/context.ts";
import type { Route } from "./platform/http/index.ts";
import { assembleRooms, type Product, type ServeOptions, serveRooms } from "./platform/rooms.ts";

export { resetTwoFactor } from "./features/auth/index.ts";
export { fillDemo, removeDemo } from "./features/demo/index.ts";

/** Every room, in the order of the API reference. */
const product: Product = assembleRooms(
  [
    system.createRoom(() => product.api()),
    auth.room,
    users.room,
    organizations.room,
    quotas.room,
    bootstrap.room,
    invitations.room,
    members.room,
    roles.room,
    teams.room,
    apiKeys.room,
    mcpTokens.room,
    automations.room,
    audit.room,
    templates.room,
    codeHost.room,
    notifications.room,
    mcpConnections.room,
    oauthProviders.room,
  ],
  {
    description: "Self-hosted control plane for organizations that run AI agents.",
    fields: system.fieldGuide,
  },
);

export const { api, columnsUnderSecret, jobs, rooms, routes, sealedColumns } = product;

export interface AppOptions extends Partial<Pick<ServeOptions, "checkReplies" | "moreCredentials">> {
  /** `worker`: only what operators look at; the API is answered elsewhere. */
  role?: "all" | "api" | "worker";
  /** Routes beside the rooms' own, that are no part of the API: what the benchmarks measure. */
  moreRoutes?: readonly Route[];
}

export const createApp = (
  platform: Platform,
  { role = "all", moreRoutes = [], ...options }: AppOptions = {},
) =>
  serveRooms(platform, product, {
    routes: [
      ...(role === "worker" ? routes.filter(({ spec }) => spec.tag === "System") : routes),
      ...moreRoutes,
    ],
    ...options,
    idempotencyLimits: quotas.idempotencyLimits,
  });
