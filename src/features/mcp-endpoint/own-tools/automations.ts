import { z } from "zod";
import { room } from "../../automations/index.ts";
import { defineTool, findRoute, id, page, readOnly } from "./define.ts";

export const automationTools = [
  defineTool({
    name: "list_automations",
    title: "List automations",
    description:
      "Lists your automations: instructions for agents, with a schedule. With the permission automations:manage, those of every member. Newest first.",
    route: findRoute(room.routes, "getV1Automations"),
    input: z.strictObject({
      ...page,
      status: z
        .enum(["active", "inactive", "archived"])
        .optional()
        .describe("Without it, all but archived automations are listed."),
    }),
    annotations: readOnly,
    toInput: (query) => ({ query }),
  }),
  defineTool({
    name: "run_automation",
    title: "Run an automation",
    description:
      "Queues a run of an automation now, as if a person had pressed Run. A runner executes it. Use signalbox__watch_run to follow it.",
    route: findRoute(room.routes, "postV1AutomationsByIdRun"),
    input: z.strictObject({ automationId: id("automation, `aut_…`") }),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
    toInput: ({ automationId }) => ({ params: { id: automationId } }),
  }),
  defineTool({
    name: "list_runs",
    title: "List runs",
    description:
      "Lists the runs of your automations. With the permission automations:manage, those of every member. Newest first.",
    route: findRoute(room.routes, "getV1AutomationRuns"),
    input: z.strictObject({
      ...page,
      automationId: z.string().max(160).optional().describe("Only runs of this automation."),
      status: z
        .array(z.enum(["queued", "running", "succeeded", "failed", "cancelled", "skipped"]))
        .max(6)
        .optional()
        .describe("Only runs in one of these states."),
    }),
    annotations: readOnly,
    toInput: ({ status, ...query }) => ({
      query: { ...query, status: status?.length ? status.join(",") : undefined },
    }),
  }),
  defineTool({
    name: "read_run",
    title: "Read a run",
    description: "Reads a run with its attempts, its usage and the revision of the automation that it runs.",
    route: findRoute(room.routes, "getV1AutomationRunsById"),
    input: z.strictObject({ runId: id("run, `run_…`") }),
    annotations: readOnly,
    toInput: ({ runId }) => ({ params: { id: runId } }),
  }),
];
