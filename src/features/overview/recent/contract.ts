import { z } from "zod";
import { route } from "../../../platform/http/index.ts";
import { idSchema } from "../../../platform/ids.ts";
import { can } from "../../permissions/index.ts";

const Change = z
  .strictObject({
    type: z.literal("change"),
    id: z.string().describe("The audit entry."),
    at: z.int(),
    action: z.string().describe("The action, such as `member.removed`."),
    actorName: z.string().nullable().describe("The name of the person at that time. Null for a directory."),
    actorMemberId: z.string().nullable(),
    target: z.strictObject({
      type: z.string(),
      id: z.string().nullable(),
      name: z
        .string()
        .nullable()
        .describe(
          "The name in the audit entry. If the entry has none: the present name, or the last one of a deleted target.",
        ),
    }),
  })
  .meta({ id: "RecentChange" });
export type Change = z.output<typeof Change>;

const EndedRun = z
  .strictObject({
    type: z.literal("run"),
    id: idSchema("run"),
    at: z.int().describe("When the run ended, in milliseconds since 1970."),
    automationId: idSchema("aut"),
    automationName: z.string(),
    status: z.enum(["succeeded", "failed", "cancelled", "skipped"]),
    reason: z.string().nullable(),
    memberName: z.string().nullable(),
  })
  .meta({ id: "RecentRun" });
export type EndedRun = z.output<typeof EndedRun>;

export const recentQuery = z.strictObject({
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(50)
    .default(20)
    .describe("The maximum number of items to return."),
  type: z.enum(["change", "run"]).optional().describe("Only changes, or only runs. Default: both."),
});

export const list = route({
  method: "get",
  path: "/v1/overview/recent",
  tag: "Overview",
  summary: "List what happened lately, newest first",
  description:
    "Changes by people, from the audit log, need `audit:read`. Runs that ended need `automations:create`, and `automations:manage` for those of other members. What the caller may not read is left out.",
  access: can("organization:read"),
  query: recentQuery,
  replies: {
    200: z
      .strictObject({ items: z.array(z.discriminatedUnion("type", [Change, EndedRun])) })
      .meta({ id: "RecentItems" }),
  },
});
