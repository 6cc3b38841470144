import { z } from "zod";
import { definePage, pageQuery, route } from "../../platform/http/index.ts";
import { can } from "../permissions/index.ts";

const tag = "Audit";

const credentials = [
  "session",
  "key",
  "runner",
  "run",
  "worker",
  "worker_registration",
  "scim",
  "mcp",
  "mcp_client",
  "system",
] as const;

const state = z.record(z.string(), z.unknown()).nullable();

export const AuditEvent = z
  .strictObject({
    id: z.string(),
    sequence: z.int().describe("The position in the chain of the organization, from 1, without gaps."),
    at: z.int(),
    action: z.string().describe("The action, such as `member.removed`."),
    actor: z
      .strictObject({
        userId: z.string().nullable(),
        memberId: z.string().nullable(),
        name: z.string().nullable().describe("The name at that time."),
        credential: z
          .enum(credentials)
          .describe("The credential that was used. `system`: the service itself acted."),
        credentialId: z.string().nullable(),
      })
      .meta({ id: "AuditActor" }),
    address: z.string().nullable(),
    userAgent: z.string().nullable(),
    requestId: z.string().nullable(),
    target: z
      .strictObject({
        type: z.string(),
        id: z.string().nullable(),
        name: z
          .string()
          .nullable()
          .describe(
            "The name in this entry. If the entry has none: the present name, or the last one of a deleted target.",
          ),
      })
      .meta({ id: "AuditTarget" }),
    before: state.describe("The changed fields before the change, without secrets."),
    after: state.describe("The changed fields after the change, without secrets."),
    previousHash: z.string(),
    hash: z.string().describe("SHA-256 over this entry and the hash of the one before."),
  })
  .meta({ id: "AuditEvent" });
export type AuditEvent = z.output<typeof AuditEvent>;

const time = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
const filters = {
  action: z
    .string()
    .max(100)
    .regex(/^[a-z_]+(?:\.[a-z_]+)?$/, "An action such as member.removed, or the part before the dot.")
    .optional()
    .describe("An action, or the beginning of all actions of one kind, such as `member`."),
  actorId: z.string().max(60).optional().describe("The id of a user or of a member."),
  credential: z.enum(credentials).optional(),
  targetType: z.string().max(60).optional(),
  targetId: z.string().max(200).optional(),
  from: time.optional().describe("Only entries at this time or later, in milliseconds since 1970."),
  to: time.optional().describe("Only entries before this time, in milliseconds since 1970."),
};
export const filterQuery = z.strictObject(filters);
export type Filter = z.output<typeof filterQuery>;
export const listQuery = z.strictObject({ ...pageQuery.shape, ...filters });

export const list = route({
  method: "get",
  path: "/v1/audit-events",
  tag,
  summary: "List audit entries",
  description: "Newest first. Filters can be combined. A page also ends when it has about 2 MiB of states.",
  access: can("audit:read"),
  query: listQuery,
  replies: { 200: definePage(AuditEvent).meta({ id: "AuditEventPage" }) },
});

export const read = route({
  method: "get",
  path: "/v1/audit-events/{id}",
  tag,
  summary: "Read an entry",
  description: "Includes the state before and after the change.",
  access: can("audit:read"),
  params: z.strictObject({ id: z.string() }),
  replies: { 200: z.strictObject({ auditEvent: AuditEvent }) },
});

export const exportAll = route({
  method: "get",
  path: "/v1/audit-export",
  tag,
  summary: "Export every entry that matches the filters, oldest first",
  description:
    'JSON lines, or CSV with `format=csv`. The file is streamed, whatever its length. A complete file ends with the line `{"complete":true}`, or `# complete` in CSV.',
  access: can("audit:read"),
  query: z.strictObject({ format: z.enum(["jsonl", "csv"]).default("jsonl"), ...filters }),
  raw: "application/x-ndjson",
  replies: { 200: z.string() },
});

const Chain = z
  .strictObject({
    sequence: z.int().describe("The number of the newest entry."),
    hash: z
      .string()
      .describe(
        "The hash of the newest entry. Store it elsewhere to prove later that no earlier entry was changed.",
      ),
    prunedSequence: z.int().describe("Entries up to this one were deleted after their retention."),
    retentionDays: z.int(),
  })
  .meta({ id: "AuditChain" });
export type Chain = z.output<typeof Chain>;

export const readChain = route({
  method: "get",
  path: "/v1/audit-chain",
  tag,
  summary: "Read the end of the audit chain, and how long entries are kept",
  description: "Store the hash elsewhere to prove later that nothing was changed.",
  access: can("audit:read"),
  replies: { 200: z.strictObject({ chain: Chain }) },
});

export const changeChain = route({
  method: "patch",
  path: "/v1/audit-chain",
  tag,
  summary: "Set how long entries are kept",
  description: "Older entries are removed once a day. The rest of the chain can still be verified.",
  access: can("audit:manage", { fresh: true }),
  body: z.strictObject({ retentionDays: z.int().min(90).max(36_500) }),
  replies: { 200: z.strictObject({ chain: Chain }) },
});
