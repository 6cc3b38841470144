import { z } from "zod";
import { route } from "../../platform/http/index.ts";
import { can } from "../permissions/index.ts";

export const Quota = z
  .strictObject({
    name: z.string(),
    unit: z
      .enum(["count", "bytes", "per_day"])
      .describe("`count`: objects that exist now. `bytes`: storage. `per_day`: since midnight UTC."),
    description: z.string(),
    limit: z.int().nullable().describe("Null when there is no limit."),
    used: z
      .int()
      .nullable()
      .describe(
        "Null when the limit applies to each object separately. Bytes can be some seconds out of date.",
      ),
    overridden: z.boolean().describe("True when the operator set this limit for this organization only."),
    measuredAt: z
      .int()
      .nullable()
      .describe("When the bytes were last measured exactly. Null before that, and for other units."),
  })
  .meta({ id: "Quota" });
export type Quota = z.output<typeof Quota>;

export const list = route({
  method: "get",
  path: "/v1/organization/quotas",
  tag: "Organizations",
  summary: "List the quotas of the organization, and their usage",
  description:
    "A request that would exceed a limit is refused with 409 `quota_exceeded`. The error names the quota, its limit and the current usage.",
  access: can("organization:read"),
  replies: {
    200: z
      .strictObject({
        items: z.array(Quota),
        provisional: z
          .boolean()
          .describe("True while nobody has claimed this workspace. Its limits are small until then."),
      })
      .meta({ id: "Quotas" }),
  },
});
