import { z } from "zod";
import { definePage, pageQuery, route } from "../../../platform/http/index.ts";
import { idSchema } from "../../../platform/ids.ts";
import { can } from "../../permissions/index.ts";

const LateReport = z
  .strictObject({
    id: idSchema("late"),
    kind: z.enum(["event", "completion"]),
    attempt: z.int(),
    sequence: z.int().nullable(),
    reporter: z.string().describe("The runner or member that sent it."),
    body: z.record(z.string(), z.unknown()).describe("The report as it was sent."),
    receivedAt: z.int(),
  })
  .meta({ id: "AutomationLateReport" });
export type LateReport = z.output<typeof LateReport>;

export const list = route({
  method: "get",
  path: "/v1/automation-runs/{id}/late-reports",
  tag: "Automation Runs",
  summary: "List the reports that came after the lease was lost",
  description:
    "Such reports are refused with `runner_lease_lost` and change nothing. At most 1,000 different ones are kept for each run. A page also ends when it has about 2 MiB of reports.",
  access: can("automations:create"),
  params: z.strictObject({ id: z.string().min(1).max(160) }),
  query: pageQuery,
  replies: { 200: definePage(LateReport).meta({ id: "AutomationLateReportPage" }) },
});
