import { z } from "zod";
import { definePage, pageQuery, route } from "../../../platform/http/index.ts";
import { idSchema } from "../../../platform/ids.ts";
import { can } from "../../permissions/index.ts";

const ScimCall = z
  .strictObject({
    id: idSchema("scl"),
    method: z.string(),
    path: z.string().describe("The path and the query, without tokens. Bodies are not kept."),
    status: z.int().describe("The HTTP status of the reply."),
    error: z.string().nullable().describe("What the directory was told, if it was refused."),
    durationMs: z.int().describe("How long the reply took."),
    requestId: z.string().describe("Finds the call in the service's log."),
    calledAt: z.int().describe("When the call began."),
  })
  .meta({ id: "ScimCall" });
export type ScimCall = z.output<typeof ScimCall>;

export const list = route({
  method: "get",
  path: "/v1/scim/calls",
  tag: "SCIM connectors",
  summary: "The latest calls of the directory",
  description:
    "The last 200 calls, newest first. They appear within a few seconds. Calls without a valid token are not listed, because their organization is not known.",
  access: can("scim:read"),
  query: pageQuery,
  replies: { 200: definePage(ScimCall).meta({ id: "ScimCallPage" }) },
});
