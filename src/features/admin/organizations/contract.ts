import { z } from "zod";
import { definePage, lineOfText, operator, pageQuery, route } from "../../../platform/http/index.ts";
import { idSchema } from "../../../platform/ids.ts";
import { Quota } from "../../quotas/index.ts";
import { figures, maxDays } from "../usage/index.ts";

const tag = "Admin reporting";

const states = ["active", "suspended", "provisional"] as const;

const AdminOrganization = z
  .strictObject({
    id: idSchema("org"),
    name: z.string(),
    slug: z.string(),
    state: z.enum(states).describe("`provisional`: a workspace that nobody has claimed yet."),
    suspendedAt: z
      .int()
      .nullable()
      .describe("When it was suspended, in milliseconds since 1970. Null when it is not suspended."),
    suspendedReason: z.string().nullable().describe("Why it was suspended. Null when it is not."),
    members: z.int().describe("All members, also deactivated ones."),
    runs: figures.runs,
    failures: figures.failures,
    costMicros: figures.costMicros,
    storageBytes: z
      .int()
      .describe("Estimated bytes of runs, templates, webhook deliveries and the audit log."),
    limits: z
      .record(z.string(), z.int())
      .describe("The limits that are set for this organization only, by the name of the quota."),
    createdAt: z.int(),
  })
  .meta({ id: "AdminOrganization" });
export type AdminOrganization = z.output<typeof AdminOrganization>;

const params = z.strictObject({ id: z.string() });
const days = z.coerce
  .number()
  .int()
  .min(1)
  .max(maxDays)
  .default(30)
  .describe("How many days the figures of runs and costs cover, with today.");
const one = z.strictObject({ organization: AdminOrganization });
const quotas = z.array(Quota).describe("All quotas, with the limit and the use of each.");

export const listQuery = z.strictObject({
  ...pageQuery.shape,
  days,
  state: z.enum(states).optional().describe("Only organizations in this state."),
  search: z.string().trim().min(1).max(100).optional().describe("The beginning of the name or of the slug."),
});

export const list = route({
  method: "get",
  path: "/v1/admin/organizations",
  tag,
  summary: "List all organizations",
  description: "Newest first, with members, runs and cost of the last days, storage and limits.",
  access: operator(),
  query: listQuery,
  replies: { 200: definePage(AdminOrganization).meta({ id: "AdminOrganizationPage" }) },
});

export const read = route({
  method: "get",
  path: "/v1/admin/organizations/{id}",
  tag,
  summary: "Read an organization, with its quotas",
  description: "The quotas show what the organization uses of each limit.",
  access: operator(),
  params,
  query: z.strictObject({ days }),
  replies: { 200: z.strictObject({ organization: AdminOrganization, quotas }) },
});

export const suspend = route({
  method: "post",
  path: "/v1/admin/organizations/{id}/suspend",
  tag,
  summary: "Suspend an organization",
  description:
    "From now on, every request in the organization is refused, whatever the credential, and open streams end. Schedules do not start runs, webhooks of code hosts are refused, and outgoing webhooks, syncs and mails wait. Nothing is deleted.",
  access: operator({ fresh: true }),
  params,
  body: z.strictObject({
    reason: lineOfText(500).describe(
      "Why. It is recorded in the log of the instance and in the audit log of the organization.",
    ),
  }),
  replies: { 200: one },
  errors: { 409: "`organization_suspended`: it is suspended already." },
});

export const restore = route({
  method: "post",
  path: "/v1/admin/organizations/{id}/restore",
  tag,
  summary: "Restore a suspended organization",
  description:
    "Sessions, keys and tokens that have not expired are accepted again, and what waited continues. An automation that was due meanwhile has one missed run, however often it was due.",
  access: operator({ fresh: true }),
  params,
  replies: { 200: one },
  errors: { 409: "`organization_not_suspended`: it is not suspended." },
});

export const setLimits = route({
  method: "put",
  path: "/v1/admin/organizations/{id}/limits",
  tag,
  summary: "Set the limits of an organization",
  description:
    "Replaces all limits that are set for this organization only. A quota that is not named has the limit of the instance again. Objects above a new limit stay. Limits of storage take effect within five seconds.",
  access: operator({ fresh: true }),
  params,
  body: z.strictObject({
    limits: z
      .record(z.string().max(60), z.int().min(0))
      .describe("Limits by the name of the quota. `GET /v1/admin/organizations/{id}` lists the names."),
  }),
  replies: { 200: z.strictObject({ quotas }) },
});
