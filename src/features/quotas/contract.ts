import { z } from "zod";
import { route } from "../../platform/http/index.ts";
import { can } from "../permissions/index.ts";

const Quota = z
  .strictObject({
    name: z.string(),
    unit: z
      .enum(["count", "bytes", "per_day"])
      .describe("`count`: things that exist. `bytes`: storage. `per_day`: since midnight UTC."),
    description: z.string(),
    limit: z.int().nullable().describe("Null: no limit."),
    used: z
      .int()
      .nullable()
      .describe("Null where the limit holds for each thing by itself. Bytes are some seconds behind."),
    overridden: z.boolean().describe("The operator set this limit for this organization alone."),
    measuredAt: z.int().nullable().describe("Bytes: when they were last measured exactly."),
  })
  .meta({ id: "Quota" });
export type Quota = z.output<typeof Quota>;

export const list = route({
  method: "get",
  path: "/v1/organization/quotas",
  tag: "Organizations",
  summary: "What the organization may use, and what it uses",
  description:
    "What would go over a limit is refused with 409 `quota_exceeded`, which names the quota, its limit and the use.",
  access: can("organization:read"),
  replies: {
    200: z
      .strictObject({
        items: z.array(Quota),
        provisional: z.boolean().describe("Nobody has claimed this workspace: its limits are small."),
      })
      .meta({ id: "Quotas" }),
  },
});
