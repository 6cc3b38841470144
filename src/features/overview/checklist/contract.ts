import { z } from "zod";
import { route } from "../../../platform/http/index.ts";
import { can, permissions } from "../../permissions/index.ts";

const steps = [
  "discover_server",
  "connect_account",
  "run_automation",
  "connect_repository",
  "invite_someone",
] as const;
export type StepName = (typeof steps)[number];

const Step = z
  .strictObject({
    step: z.enum(steps),
    done: z.boolean(),
    doneAt: z
      .int()
      .nullable()
      .describe("When it was first done, in milliseconds since 1970. Null while it is not done."),
    permission: z.enum(permissions as [string, ...string[]]).describe("What the step needs."),
    allowed: z.boolean().describe("Whether the caller has the permission."),
  })
  .meta({ id: "ChecklistStep" });
export type Step = z.output<typeof Step>;

export const read = route({
  method: "get",
  path: "/v1/overview/checklist",
  tag: "Overview",
  summary: "Read which first steps are done",
  description:
    "Each step is done when the organization has what it makes: a kept verdict, a connected account, a run, a connector, an invitation or a second member. What was deleted since does not count.",
  access: can("organization:read"),
  replies: {
    200: z
      .strictObject({ steps: z.array(Step), done: z.int().describe("How many steps are done.") })
      .meta({ id: "Checklist" }),
  },
});
