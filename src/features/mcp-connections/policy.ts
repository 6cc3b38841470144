import { z } from "zod";

const pattern = z
  .string()
  .min(1)
  .max(200)
  .describe("The name of a tool as the server has it, or the beginning of names followed by `*`.");
const patterns = z.array(pattern).max(500);

export const onDriftChoices = ["warn", "hold_changed", "hold_all"] as const;
export const destructiveChoices = ["allow", "approve", "deny"] as const;

/** What may be done with the tools of a connection. */
export const Policy = z
  .strictObject({
    allow: patterns
      .nullable()
      .describe("The only tools that may be called. Null: all tools, apart from those in `deny`."),
    deny: patterns.describe("Tools that may not be called. It wins over `allow`."),
    hide: patterns.describe(
      "Tools that are not listed and not found by a search. They can be called by name, unless denied.",
    ),
    onDrift: z
      .enum(onDriftChoices)
      .describe(
        "What happens when the server changes its tools. `warn`: people are told, and calls go on. `hold_changed`: changed and new tools cannot be called until a person approves them. `hold_all`: no tool can be called until then.",
      ),
    destructive: z
      .enum(destructiveChoices)
      .describe(
        "Tools that destroy: `allow` calls, `approve` each call by a person, or `deny` them. Tools say themselves whether they destroy.",
      ),
    treatUnknownAsDestructive: z
      .boolean()
      .describe("Tools that say neither that they only read nor whether they destroy count as destructive."),
  })
  .meta({ id: "McpToolPolicy" });
export type Policy = z.output<typeof Policy>;

export const defaultPolicy: Policy = {
  allow: null,
  deny: [],
  hide: [],
  onDrift: "hold_changed",
  destructive: "allow",
  treatUnknownAsDestructive: false,
};

/** The stored policy has only what differs from the defaults. */
export const readPolicy = (stored: Partial<Policy>): Policy => ({ ...defaultPolicy, ...stored });

/** What is stored of a policy. A default that changes later applies to connections that did not choose. */
export function cutPolicy(policy: Policy): Partial<Policy> {
  const stored: Partial<Policy> = {};
  if (policy.allow !== null) stored.allow = policy.allow;
  if (policy.deny.length > 0) stored.deny = policy.deny;
  if (policy.hide.length > 0) stored.hide = policy.hide;
  if (policy.onDrift !== defaultPolicy.onDrift) stored.onDrift = policy.onDrift;
  if (policy.destructive !== defaultPolicy.destructive) stored.destructive = policy.destructive;
  if (policy.treatUnknownAsDestructive) stored.treatUnknownAsDestructive = true;
  return stored;
}

/** A pattern is an exact name, or the beginning of names followed by `*`. */
export const matchesPattern = (pattern: string, name: string): boolean =>
  pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;

const matchesAny = (patterns: readonly string[], name: string) =>
  patterns.some((pattern) => matchesPattern(pattern, name));

export const isDenied = ({ allow, deny }: Pick<Policy, "allow" | "deny">, name: string): boolean =>
  matchesAny(deny, name) || (allow !== null && !matchesAny(allow, name));

export const isHidden = ({ hide }: Pick<Policy, "hide">, name: string): boolean => matchesAny(hide, name);

interface Hints {
  readOnlyHint?: unknown;
  destructiveHint?: unknown;
}

/** Whether a tool counts as destructive. A hint that is no boolean counts as missing. */
export function isDestructive(
  { treatUnknownAsDestructive }: Pick<Policy, "treatUnknownAsDestructive">,
  { readOnlyHint, destructiveHint }: Hints = {},
): boolean {
  if (typeof destructiveHint === "boolean") return destructiveHint;
  return treatUnknownAsDestructive && readOnlyHint !== true;
}
