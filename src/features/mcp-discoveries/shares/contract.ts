import { z } from "zod";
import { definePage, open, pageQuery, route } from "../../../platform/http/index.ts";
import { idSchema } from "../../../platform/ids.ts";
import { can } from "../../permissions/index.ts";
import { KeptDiscovery } from "../contract.ts";

const tag = "MCP Discoveries";
const access = can("mcp:discover");

const maxShareDays = 30;
export const maxShares = 20;

const Share = z
  .strictObject({
    id: idSchema("mcs"),
    discoveryId: idSchema("mcd"),
    createdBy: z.string().nullable().describe("The member who created it. Null when that member has left."),
    expiresAt: z.int(),
    createdAt: z.int(),
  })
  .meta({ id: "McpDiscoveryShare" });
export type Share = z.output<typeof Share>;

const params = z.strictObject({ id: z.string().min(1).max(160) });
const notFound = { 404: "`mcp_discovery_not_found`" };

export const create = route({
  method: "post",
  path: "/v1/mcp-discoveries/{id}/shares",
  tag,
  summary: "Create a link that shares a verdict",
  description: `Whoever has the link can read the verdict and its evidence without an account, until the link expires. It contains nothing about the organization. A verdict has at most ${maxShares} links.`,
  access,
  params,
  body: z.strictObject({
    expiresInDays: z
      .int()
      .min(1)
      .max(maxShareDays)
      .default(7)
      .describe("When the link expires: after so many days."),
  }),
  replies: {
    201: z.strictObject({
      share: Share,
      token: z.string().describe("The token in the link. It is shown once."),
      url: z
        .string()
        .describe(
          "The link for people. The token is in its fragment, which browsers do not send to servers.",
        ),
    }),
  },
  errors: { ...notFound, 409: "`too_many_shares`: remove a link first." },
});

export const list = route({
  method: "get",
  path: "/v1/mcp-discoveries/{id}/shares",
  tag,
  summary: "List the links that share a verdict",
  description: "Newest first, without their tokens. Expired links are not listed.",
  access,
  params,
  query: pageQuery,
  replies: { 200: definePage(Share).meta({ id: "McpDiscoverySharePage" }) },
  errors: notFound,
});

export const remove = route({
  method: "delete",
  path: "/v1/mcp-discoveries/{id}/shares/{shareId}",
  tag,
  summary: "Remove a link that shares a verdict",
  description: "It stops working at once.",
  access,
  params: z.strictObject({ id: z.string().min(1).max(160), shareId: z.string().min(1).max(160) }),
  replies: { 204: null },
  errors: { 404: "`mcp_discovery_share_not_found`" },
});

const SharedDiscovery = KeptDiscovery.omit({ id: true, memberId: true, memberName: true })
  .extend({ expiresAt: z.int() })
  .meta({ id: "SharedMcpDiscovery" });
export type SharedDiscovery = z.output<typeof SharedDiscovery>;

export const readShared = route({
  method: "get",
  path: "/v1/mcp-discoveries/shared",
  tag,
  summary: "Read a shared verdict by its token",
  description:
    "For people without an account. It contains the verdict and its evidence, and no organization or person.",
  access: open,
  limit: { attempts: 600, perSeconds: 600 },
  query: z.strictObject({ token: z.string().min(1).max(200).describe("The token of the link.") }),
  replies: { 200: z.strictObject({ discovery: SharedDiscovery }) },
  errors: { 404: "`shared_discovery_not_found`: the link is not complete, has expired or was removed." },
});
