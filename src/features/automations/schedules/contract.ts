import { z } from "zod";
import { route } from "../../../platform/http/index.ts";
import { can } from "../../permissions/index.ts";
import { ScheduleInput } from "./schedule.ts";

export const preview = route({
  method: "post",
  path: "/v1/automation-schedules/preview",
  tag: "Automations",
  summary: "Preview the next occurrences of a schedule",
  description:
    "Computes the next occurrences in the time zone of the schedule, with its clock changes. Nothing is saved.",
  access: can("automations:create"),
  body: z.strictObject({
    schedule: ScheduleInput,
    count: z.int().min(1).max(50).default(5),
    after: z
      .int()
      .min(0)
      .max(Date.UTC(9000, 0, 1))
      .optional()
      .describe("The time to start from. When omitted: now."),
  }),
  replies: {
    200: z.strictObject({
      occurrences: z.array(
        z.strictObject({
          at: z.int(),
          local: z.string().describe("The same time, as local time in the time zone."),
        }),
      ),
    }),
  },
});
