import type { Platform } from "./platform/context.ts";
import type { Route } from "./platform/http/index.ts";
import { assembleRooms, type ServeOptions, serveRooms } from "./platform/rooms.ts";

export { resetTwoFactor } from "./features/auth/index.ts";

/** No part of a server, so it is loaded when its command runs. */
export const loadDemo = () => import("./features/demo/index.ts");

/** Every room, in the order of the API reference. */
const product = assembleRooms(
  await Promise.all([
    import("./features/system/index.ts").then(({ room }) => room),
    import("./features/auth/index.ts").then(({ room }) => room),
    import("./features/users/index.ts").then(({ room }) => room),
    import("./features/organizations/index.ts").then(({ room }) => room),
    import("./features/quotas/index.ts").then(({ room }) => room),
    import("./features/overview/index.ts").then(({ room }) => room),
    import("./features/bootstrap/index.ts").then(({ room }) => room),
    import("./features/invitations/index.ts").then(({ room }) => room),
    import("./features/members/index.ts").then(({ room }) => room),
    import("./features/roles/index.ts").then(({ room }) => room),
    import("./features/teams/index.ts").then(({ room }) => room),
    import("./features/sso/index.ts").then(({ room }) => room),
    import("./features/scim/index.ts").then(({ room }) => room),
    import("./features/api-keys/index.ts").then(({ room }) => room),
    import("./features/mcp-tokens/index.ts").then(({ room }) => room),
    import("./features/mcp-authorization/index.ts").then(({ room }) => room),
    import("./features/llm-providers/index.ts").then(({ room }) => room),
    import("./features/automations/index.ts").then(({ room }) => room),
    import("./features/workers/index.ts").then(({ room }) => room),
    import("./features/audit/index.ts").then(({ room }) => room),
    import("./features/templates/index.ts").then(({ room }) => room),
    import("./features/code-host/index.ts").then(({ room }) => room),
    import("./features/notifications/index.ts").then(({ room }) => room),
    import("./features/telemetry/index.ts").then(({ room }) => room),
    import("./features/mcp-connections/index.ts").then(({ room }) => room),
    import("./features/mcp-endpoint/index.ts").then(({ room }) => room),
    import("./features/mcp-discoveries/index.ts").then(({ room }) => room),
    import("./features/oauth-providers/index.ts").then(({ room }) => room),
    import("./features/admin/index.ts").then(({ room }) => room),
    import("./features/documentation/index.ts").then(({ room }) => room),
    import("./features/console/index.ts").then(({ room }) => room),
  ]),
  "Self-hosted control plane for organizations that run AI agents.",
);

export const { api, columnsUnderSecret, jobs, removeLeftovers, rooms, routes, sealedColumns } = product;

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
  });
