import { z } from "zod";
import { definePage, pageQuery, route } from "../../platform/http/index.ts";
import { can } from "../permissions/index.ts";

const tag = "Audit";

const credentials = ["session", "key", "runner", "run", "worker", "scim", "mcp", "system"] as const;

const state = z.record(z.string(), z.unknown()).nullable();

const AuditEvent = z
  .strictObject({
    id: z.string(),
    sequence: z.int().describe("Its place in the organization's chain, from 1, without gaps."),
    at: z.int(),
    action: z.string().describe("What happened: `member.removed`."),
    actor: z
      .strictObject({
        userId: z.string().nullable(),
        memberId: z.string().nullable(),
        name: z.string().nullable().describe("As it was then."),
        credential: z.enum(credentials).describe("How they were known; `system`: nobody asked."),
        credentialId: z.string().nullable(),
      })
      .meta({ id: "AuditActor" }),
    address: z.string().nullable(),
    userAgent: z.string().nullable(),
    requestId: z.string().nullable(),
    target: z.strictObject({ type: z.string(), id: z.string().nullable() }).meta({ id: "AuditTarget" }),
    before: state.describe("What it was, of that which changed. No secrets."),
    after: state.describe("What it became."),
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
    .describe("An action, or what all of a kind begin with: `member`."),
  actorId: z.string().max(60).optional().describe("A user's or a member's id."),
  credential: z.enum(credentials).optional(),
  targetType: z.string().max(60).optional(),
  targetId: z.string().max(200).optional(),
  from: time.optional().describe("Not before this moment."),
  to: time.optional().describe("Before this moment."),
};
export const filterQuery = z.strictObject(filters);
export type Filter = z.output<typeof filterQuery>;
export const listQuery = z.strictObject({ ...pageQuery.shape, ...filters });

export const list = route({
  method: "get",
  path: "/v1/audit-events",
  tag,
  summary: "What was changed, by whom and from where",
  description: "Newest first. Filters can be combined.",
  access: can("audit:read"),
  query: listQuery,
  replies: { 200: definePage(AuditEvent).meta({ id: "AuditEventPage" }) },
});

export const read = route({
  method: "get",
  path: "/v1/audit-events/{id}",
  tag,
  summary: "One entry",
  description: "Includes the state before and after the change.",
  access: can("audit:read"),
  params: z.strictObject({ id: z.string() }),
  replies: { 200: z.strictObject({ auditEvent: AuditEvent }) },
});

export const exportAll = route({
  method: "get",
  path: "/v1/audit-export",
  tag,
  summary: "Every entry that the filters let through, oldest first, as a file",
  description:
    'JSON lines, or CSV with `format=csv`. It is sent as it is read, however long it is. A file that was cut off lacks its last line: JSON lines end with `{"complete":true}`, CSV with `# complete`.',
  access: can("audit:read"),
  query: z.strictObject({ format: z.enum(["jsonl", "csv"]).default("jsonl"), ...filters }),
  raw: "application/x-ndjson",
  replies: { 200: z.string() },
});

const Chain = z
  .strictObject({
    sequence: z.int().describe("Of the newest entry."),
    hash: z
      .string()
      .describe("Its hash. Noted elsewhere, it shows later that nothing up to here was changed."),
    prunedSequence: z.int().describe("Entries up to this one were removed when their time was over."),
    retentionDays: z.int(),
  })
  .meta({ id: "AuditChain" });
export type Chain = z.output<typeof Chain>;

export const readChain = route({
  method: "get",
  path: "/v1/audit-chain",
  tag,
  summary: "The end of the chain, and how long entries are kept",
  description: "Store the hash elsewhere to prove later that nothing was changed.",
  access: can("audit:read"),
  replies: { 200: z.strictObject({ chain: Chain }) },
});

export const changeChain = route({
  method: "patch",
  path: "/v1/audit-chain",
  tag,
  summary: "Say how long entries are kept",
  description: "Older entries are removed once a day. The rest of the chain can still be verified.",
  access: can("audit:manage", { fresh: true }),
  body: z.strictObject({ retentionDays: z.int().min(90).max(36_500) }),
  replies: { 200: z.strictObject({ chain: Chain }) },
});
