import { z } from "zod";
import { definePage, pageQuery, route } from "../../platform/http/index.ts";
import { idSchema } from "../../platform/ids.ts";
import { can } from "../permissions/index.ts";
import { fields } from "./fields.ts";

const tag = "Templates";

const Source = z
  .strictObject({
    connectorId: idSchema("con"),
    connectorName: z.string(),
    path: z.string().describe("The path of the file from the root of the repository."),
    commit: z.string().describe("The commit that this version was read from."),
    author: z.string().nullable().describe("The author of the commit."),
  })
  .meta({ id: "TemplateSource" });

const TemplateSummary = z
  .strictObject({
    id: idSchema("tpl"),
    slug: z.string().describe("The name for programs, unique in the organization."),
    name: z.string(),
    description: z.string(),
    tags: z.array(z.string()),
    version: z.int().describe("Each change adds 1."),
    source: Source.nullable().describe(
      "The file of a repository that it follows. Null when it was created by hand.",
    ),
    createdBy: z.string().nullable().describe("The member. Null for a sync."),
    updatedBy: z.string().nullable().describe("The member. Null for a sync."),
    createdAt: z.int(),
    updatedAt: z.int(),
  })
  .meta({ id: "TemplateSummary" });
export type TemplateSummary = z.output<typeof TemplateSummary>;

const Template = TemplateSummary.extend({
  body: z.string(),
  metadata: z.record(z.string(), z.unknown()).describe("Other fields of the template."),
}).meta({ id: "Template" });
export type Template = z.output<typeof Template>;

const VersionSummary = z
  .strictObject({
    version: z.int(),
    slug: z.string(),
    name: z.string(),
    description: z.string(),
    tags: z.array(z.string()),
    commit: z.string().nullable(),
    author: z.string().nullable(),
    createdBy: z.string().nullable().describe("The member. Null for a sync."),
    createdAt: z.int(),
  })
  .meta({ id: "TemplateVersionSummary" });
export type VersionSummary = z.output<typeof VersionSummary>;

const Version = VersionSummary.extend({
  body: z.string(),
  metadata: z.record(z.string(), z.unknown()),
}).meta({ id: "TemplateVersion" });
export type Version = z.output<typeof Version>;

const one = z.strictObject({ template: Template });
const params = z.strictObject({ id: z.string().min(1).max(160) });
const synced = "`template_is_synced`: it follows a file; change it there.";

export const listQuery = pageQuery.extend({
  q: z
    .string()
    .trim()
    .max(200)
    .optional()
    .describe(
      "At most 8 words. All of them must occur in the name, slug, description or tags; case is ignored.",
    ),
  tag: z.string().max(50).optional(),
  slug: z.string().max(200).optional(),
  connectorId: z.string().max(160).optional(),
});
export type ListQuery = z.output<typeof listQuery>;

export const list = route({
  method: "get",
  path: "/v1/templates",
  tag,
  summary: "List the templates of the organization, without their bodies",
  description: "Newest first. To get a body, read a single template.",
  access: can("templates:read"),
  query: listQuery,
  replies: { 200: definePage(TemplateSummary).meta({ id: "TemplatePage" }) },
});

export const create = route({
  method: "post",
  path: "/v1/templates",
  tag,
  summary: "Create a template by hand",
  description: "Templates of a repository are created by a connector instead.",
  access: can("templates:manage"),
  body: z.strictObject({
    name: fields.name,
    slug: fields.slug.optional().describe("Defaults to a slug made from the name."),
    description: fields.description.default(""),
    tags: fields.tags.default([]),
    body: fields.body,
    metadata: fields.metadata.default({}),
  }),
  replies: { 201: one },
  errors: {
    409: "`template_slug_taken`: another template has the slug. `quota_exceeded`: `templates` or `template_storage`; see `GET /v1/organization/quotas`.",
  },
});

export const read = route({
  method: "get",
  path: "/v1/templates/{id}",
  tag,
  summary: "Read a template",
  description:
    "Includes the body and the origin of the template. A run credential can read the templates of its run.",
  access: can("templates:read", { credentials: ["session", "key", "run"] }),
  params,
  replies: { 200: one },
});

export const change = route({
  method: "patch",
  path: "/v1/templates/{id}",
  tag,
  summary: "Change a template; this creates a version",
  description: "Omitted fields do not change. A request without an effect creates no version.",
  access: can("templates:manage"),
  params,
  body: z.strictObject({
    name: fields.name.optional(),
    slug: fields.slug.optional(),
    description: fields.description.optional(),
    tags: fields.tags.optional(),
    body: fields.body.optional(),
    metadata: fields.metadata.optional(),
    version: z
      .int()
      .min(1)
      .optional()
      .describe("The current revision or version. When it has changed meanwhile, the request is refused."),
  }),
  replies: { 200: one },
  errors: {
    409: `${synced} \`template_version_conflict\`: somebody changed it meanwhile. \`template_slug_taken\`: another template has the slug.`,
  },
});

export const remove = route({
  method: "delete",
  path: "/v1/templates/{id}",
  tag,
  summary: "Remove a template that was created by hand, with all its versions",
  description: "To remove a template that follows a repository, delete its file there.",
  access: can("templates:manage"),
  params,
  replies: { 204: null },
  errors: { 409: synced },
});

export const listVersions = route({
  method: "get",
  path: "/v1/templates/{id}/versions",
  tag,
  summary: "List the versions of a template, without their bodies",
  description: "Newest first. To get a body, read a single version.",
  access: can("templates:read"),
  params,
  query: pageQuery,
  replies: { 200: definePage(VersionSummary).meta({ id: "TemplateVersionPage" }) },
});

export const readVersion = route({
  method: "get",
  path: "/v1/templates/{id}/versions/{version}",
  tag,
  summary: "Read a version of a template",
  description: "Includes the body of this version.",
  access: can("templates:read"),
  params: params.extend({ version: z.string().max(20) }),
  replies: { 200: z.strictObject({ version: Version }) },
  errors: { 404: "`template_version_not_found`" },
});
