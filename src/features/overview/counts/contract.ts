import { z } from "zod";
import { route } from "../../../platform/http/index.ts";
import { can } from "../../permissions/index.ts";

const Counts = z
  .strictObject({
    runs: z
      .strictObject({ queued: z.int(), running: z.int() })
      .nullable()
      .describe("Runs that wait or run now. Without `automations:manage`, the caller's own."),
    automations: z
      .strictObject({ active: z.int(), inactive: z.int() })
      .nullable()
      .describe("Without `automations:manage`, the caller's own."),
    workers: z
      .strictObject({
        total: z.int(),
        present: z.int().describe("Those whose heartbeats arrive, also paused ones."),
        busy: z.int().describe("Those that execute runs."),
      })
      .nullable()
      .describe("A change can take some seconds to appear here. Needs `workers:read`."),
    people: z
      .strictObject({
        members: z.int().describe("Members who are not deactivated."),
        deactivated: z.int().describe("Deactivated members."),
        teams: z.int(),
        roles: z.int().describe("Roles, with the three built-in ones."),
      })
      .nullable()
      .describe("Needs `members:read`."),
    invitations: z
      .int()
      .nullable()
      .describe("Open invitations that have not expired. Needs `members:invite`."),
    templates: z.int().nullable().describe("Needs `templates:read`."),
    connectors: z.int().nullable().describe("Needs `connectors:read`."),
    connections: z
      .int()
      .nullable()
      .describe(
        "Connections that have not ended. Needs `connections:use`; without `connections:manage`, those that the caller may use.",
      ),
  })
  .meta({ id: "OverviewCounts" });
export type Counts = z.output<typeof Counts>;

export const read = route({
  method: "get",
  path: "/v1/overview/counts",
  tag: "Overview",
  summary: "Count what the organization has and does now",
  description: "A section is null when the caller lacks the permission for it.",
  access: can("organization:read"),
  replies: { 200: z.strictObject({ counts: Counts }) },
});
