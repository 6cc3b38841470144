import { z } from "zod";
import { definePage, pageQuery, route } from "../../platform/http/index.ts";
import { idSchema } from "../../platform/ids.ts";
import { can } from "../permissions/index.ts";
import { NamedConnection, NamedTemplate, resourceIds } from "./resources/index.ts";
import { LastRun, Model, NamedRun } from "./runs/index.ts";
import { Schedule, ScheduleInput } from "./schedules/index.ts";

const tag = "Automations";

const words = {
  name: z.string().trim().min(1).max(120),
  instructions: z.string().min(1).max(100_000),
};
const settings = {
  schedule: ScheduleInput,
  model: z.strictObject({ providerId: z.string().min(1).max(160), modelId: z.string().min(1).max(200) }),
  maxRuntimeSeconds: z.int().min(1).max(86_400),
};

const Automation = z
  .strictObject({
    id: idSchema("aut"),
    memberId: idSchema("mem").nullable().describe("The member who owns it. Null when that member has left."),
    status: z.enum(["active", "inactive", "archived"]),
    revision: z.int(),
    name: z.string(),
    instructions: z.string(),
    schedule: Schedule,
    model: Model.nullable(),
    maxRuntimeSeconds: z.int(),
    templateIds: z.array(z.string()),
    connectionIds: z.array(z.string()),
    templates: z.array(NamedTemplate).describe("The templates of `templateIds`, with their names."),
    connections: z
      .array(NamedConnection)
      .describe("The connections of `connectionIds`, with their providers and labels."),
    nextRunAt: z
      .int()
      .nullable()
      .describe("The next time in the schedule, in milliseconds since 1970. Null when no run is scheduled."),
    lastRun: LastRun.nullable().describe("The newest run. Null when there is none."),
    createdAt: z.int(),
    updatedAt: z.int(),
  })
  .meta({ id: "Automation" });
export type Automation = z.output<typeof Automation>;

const Revision = Automation.pick({
  revision: true,
  name: true,
  instructions: true,
  schedule: true,
  model: true,
  maxRuntimeSeconds: true,
  templateIds: true,
  connectionIds: true,
  createdAt: true,
})
  .extend({ createdBy: z.string().describe("The member who wrote it.") })
  .meta({ id: "AutomationRevision" });
export type Revision = z.output<typeof Revision>;

const one = z.strictObject({ automation: Automation });
const params = z.strictObject({ id: z.string().min(1).max(160) });
const access = can("automations:create");

export const listQuery = pageQuery.extend({
  status: z
    .enum(["active", "inactive", "archived"])
    .optional()
    .describe("Without it, all but archived automations are listed."),
  memberId: z.string().max(160).optional(),
});

export const list = route({
  method: "get",
  path: "/v1/automations",
  tag,
  summary: "List my automations; with `automations:manage` those of every member",
  description: "Newest first. Archived automations are listed only with `status=archived`.",
  access,
  query: listQuery,
  replies: { 200: definePage(Automation).meta({ id: "AutomationPage" }) },
});

export const create = route({
  method: "post",
  path: "/v1/automations",
  tag,
  summary: "Create an automation of my own",
  description: "The automation is active unless `active` is false.",
  access,
  body: z.strictObject({
    ...words,
    schedule: settings.schedule,
    model: settings.model.nullish(),
    maxRuntimeSeconds: settings.maxRuntimeSeconds.optional().describe("Defaults to 3600."),
    templateIds: resourceIds.templateIds.optional(),
    connectionIds: resourceIds.connectionIds.optional(),
    active: z.boolean().default(true),
  }),
  replies: { 201: one },
});

export const read = route({
  method: "get",
  path: "/v1/automations/{id}",
  tag,
  summary: "Read an automation",
  description: "The current state of the automation. Earlier states are in its revisions.",
  access,
  params,
  replies: { 200: one },
});

export const change = route({
  method: "patch",
  path: "/v1/automations/{id}",
  tag,
  summary: "Change an automation; this creates a revision",
  description: "Earlier revisions and their runs do not change. An inactive automation stays inactive.",
  access,
  params,
  body: z.strictObject({
    name: words.name.optional(),
    instructions: words.instructions.optional(),
    schedule: settings.schedule.optional(),
    model: settings.model.nullish(),
    maxRuntimeSeconds: settings.maxRuntimeSeconds.optional(),
    templateIds: resourceIds.templateIds.optional(),
    connectionIds: resourceIds.connectionIds.optional(),
    expectedRevision: z
      .int()
      .min(1)
      .optional()
      .describe("The current revision or version. When it has changed meanwhile, the request is refused."),
    memberId: z
      .string()
      .max(160)
      .optional()
      .describe("The new owner of the automation. Needs `automations:manage`."),
  }),
  replies: { 200: one },
  errors: {
    409: "`revision_conflict`: somebody else changed it meanwhile. `automation_archived`: it is archived.",
  },
});

const act = <const Verb extends string>(verb: Verb, summary: string, description: string) =>
  route({
    method: "post",
    path: `/v1/automations/{id}/${verb}`,
    tag,
    summary,
    description,
    access,
    params,
    replies: { 200: one },
    errors: {
      409: "`automation_archived`: it is archived. `owner_left`, `owner_deactivated`: give it a new owner first.",
    },
  });

export const activate = act(
  "activate",
  "Activate the schedule of an automation",
  "The next occurrence is computed from now. Missed occurrences are not run.",
);
export const deactivate = act(
  "deactivate",
  "Deactivate the schedule of an automation; it can still be run by hand",
  "Queued and running runs continue.",
);
export const archive = act(
  "archive",
  "Archive an automation permanently",
  "It cannot be activated again. Its queued runs are cancelled; running ones continue. Runs and revisions can still be read.",
);

export const run = route({
  method: "post",
  path: "/v1/automations/{id}/run",
  tag,
  summary: "Run an automation now",
  description: "Queues a run, also when the automation is inactive. A runner must claim the run.",
  access,
  params,
  replies: { 202: z.strictObject({ run: NamedRun }) },
  errors: {
    409: "`automation_archived`, `owner_left`, `owner_deactivated`, or `monthly_budget_exceeded`, `budget_exceeded`: a budget is spent.",
  },
});

export const listRevisions = route({
  method: "get",
  path: "/v1/automations/{id}/revisions",
  tag,
  summary: "List the revisions of an automation, newest first",
  description:
    "Every change of its content creates a revision, and a run names the revision that it uses. Old revisions that no run uses are deleted beyond the quota `automation_revisions`.",
  access,
  params,
  query: pageQuery,
  replies: { 200: definePage(Revision).meta({ id: "AutomationRevisionPage" }) },
});
