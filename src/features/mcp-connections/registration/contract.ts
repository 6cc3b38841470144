import { z } from "zod";
import { open, route } from "../../../platform/http/index.ts";

const ClientMetadata = z
  .strictObject({
    client_id: z.string().describe("The URL of this document."),
    client_name: z.string().describe("The name that authorization servers show."),
    client_uri: z.string().describe("The address of this instance."),
    redirect_uris: z.array(z.string()).describe("Where authorization servers send members back to."),
    grant_types: z.array(z.string()).describe("The grants that this instance uses."),
    response_types: z.array(z.string()).describe("The responses that this instance uses."),
    token_endpoint_auth_method: z.string().describe("How this instance authenticates: it has no secret."),
    application_type: z.literal("web").describe("A server, not an app on a device."),
    software_id: z.string().describe("The name of the software."),
  })
  .meta({ id: "OauthClientMetadata" });
export type ClientMetadata = z.output<typeof ClientMetadata>;

export const clientMetadata = route({
  method: "get",
  path: "/oauth/client-metadata.json",
  tag: "MCP Connections",
  summary: "Read the client metadata document of this instance",
  description:
    "Authorization servers that support client metadata documents read it; its URL is the client id of this instance. It is the same for all organizations and contains no secret.",
  access: open,
  replies: { 200: ClientMetadata },
});
