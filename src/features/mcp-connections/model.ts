import { z } from "zod";
import type { MemberId, OrgId } from "../../platform/context.ts";
import type { Id } from "../../platform/ids.ts";

export type ConnectionId = Id<"mcn">;

export const credentialKinds = ["shared", "per_member"] as const;
export type CredentialKind = (typeof credentialKinds)[number];

export const registrations = ["none", "client_metadata", "dynamic", "pre_registered", "bearer"] as const;
export type Registration = (typeof registrations)[number];

/** The ways that use OAuth. The others send a fixed credential, or none. */
export const isOauth = (registration: Registration): boolean =>
  registration === "client_metadata" || registration === "dynamic" || registration === "pre_registered";

/** The name of a tool. `*` at the end stands for any rest. */
const toolPattern = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[^*]*\*?$/, "An asterisk is only allowed at the end.");
const toolPatterns = z.array(toolPattern).max(500);

export const Policy = z
  .strictObject({
    allow: toolPatterns
      .nullable()
      .describe(
        "The only tools that may be called. `*` at the end of a name stands for any rest. Null: all tools.",
      ),
    deny: toolPatterns.describe("Tools that may not be called, even when `allow` names them."),
    hide: toolPatterns.describe(
      "Tools that are in no list and in no search. They can still be called by name.",
    ),
    onDrift: z
      .enum(["warn", "hold_changed", "hold_all"])
      .describe(
        "What happens when the server changes a tool after it was approved. `warn`: people are told. `hold_changed`: changed and new tools cannot be called until they are approved. `hold_all`: no tool can be called until then.",
      ),
    destructive: z
      .enum(["allow", "approve", "deny"])
      .describe("Whether tools that say they destroy or overwrite may be called, or only with approval."),
    treatUnknownAsDestructive: z
      .boolean()
      .describe("Tools that do not say whether they only read count as destructive."),
  })
  .meta({ id: "McpToolPolicy" });
export type Policy = z.output<typeof Policy>;

export const Limits = z
  .strictObject({
    callsPerMinute: z.int().min(1).max(100_000).describe("Calls per minute, of all callers."),
    concurrency: z.int().min(1).max(1_000).describe("Calls at the same time, of all callers."),
    timeoutSeconds: z.int().min(1).max(900).describe("How long a call may take."),
    maxRequestBytes: z
      .int()
      .min(1024)
      .max(16 * 1024 * 1024)
      .describe("The largest arguments of a call, in bytes."),
    maxResultBytes: z
      .int()
      .min(1024)
      .max(64 * 1024 * 1024)
      .describe("The largest result of a call, in bytes."),
    listingSeconds: z
      .int()
      .min(0)
      .max(3600)
      .describe(
        "How old the list of tools may be before it is read again. Policies that hold tools read it before every call.",
      ),
  })
  .meta({ id: "McpConnectionLimits" });
export type Limits = z.output<typeof Limits>;

const ids = z
  .array(z.string().min(1).max(160))
  .max(500)
  .transform((given) => [...new Set(given)]);

export const Access = z
  .strictObject({
    organization: z.boolean().describe("Every member, and every run, may use it."),
    teamIds: z.array(z.string()).describe("The teams whose members may use it."),
    memberIds: z.array(z.string()).describe("The members who may use it."),
    automationIds: z
      .array(z.string())
      .describe("The automations whose runs may use it, with the credential of their owner."),
  })
  .meta({ id: "McpConnectionAccess" });
export type Access = z.output<typeof Access>;

export const NewAccess = z.strictObject({
  organization: z.boolean().default(false).describe("Every member, and every run, may use it."),
  teamIds: ids.default([]).describe("The teams whose members may use it."),
  memberIds: ids.default([]).describe("The members who may use it."),
  automationIds: ids.default([]).describe("The automations whose runs may use it."),
});
export type NewAccess = z.output<typeof NewAccess>;

const defaultPolicy: Policy = {
  allow: null,
  deny: [],
  hide: [],
  onDrift: "hold_changed",
  destructive: "allow",
  treatUnknownAsDestructive: false,
};

const defaultLimits: Limits = {
  callsPerMinute: 600,
  concurrency: 20,
  timeoutSeconds: 60,
  maxRequestBytes: 1024 * 1024,
  maxResultBytes: 4 * 1024 * 1024,
  listingSeconds: 60,
};

/** The stored values are those that differ from the defaults. */
export const fillPolicy = (stored: Partial<Policy>): Policy => ({ ...defaultPolicy, ...stored });
export const fillLimits = (stored: Partial<Limits>): Limits => ({ ...defaultLimits, ...stored });

/** The member whose own account is used, or null when all members use the same credential or none. */
export const findAccount = (
  { credential, registration }: Pick<UsableConnection, "credential" | "registration">,
  memberId: MemberId,
): MemberId | null => (credential === "per_member" && registration !== "none" ? memberId : null);

/** A connection that the caller may use now. */
export interface UsableConnection {
  id: ConnectionId;
  orgId: OrgId;
  /** The name of the organization in addresses of the console. */
  orgSlug: string;
  name: string;
  slug: string;
  url: string;
  credential: CredentialKind;
  registration: Registration;
  protocolVersion: string | null;
  policy: Policy;
  limits: Limits;
  logPayloads: boolean;
  payloadDays: number;
  resource: string | null;
}
