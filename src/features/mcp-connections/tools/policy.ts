import type { Policy } from "../model.ts";
import type { DriftKind, Reason, ToolDefinition } from "./contract.ts";

/** A pattern is an exact name, or the beginning of names followed by `*`. */
const matchesPattern = (pattern: string, name: string): boolean =>
  pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;

const matchesAny = (patterns: readonly string[], name: string) =>
  patterns.some((pattern) => matchesPattern(pattern, name));

export const isDenied = ({ allow, deny }: Pick<Policy, "allow" | "deny">, name: string): boolean =>
  matchesAny(deny, name) || (allow !== null && !matchesAny(allow, name));

export const isHidden = ({ hide }: Pick<Policy, "hide">, name: string): boolean => matchesAny(hide, name);

/** Whether a tool counts as destructive. A hint that is no boolean counts as missing. */
export function isDestructive(
  { treatUnknownAsDestructive }: Pick<Policy, "treatUnknownAsDestructive">,
  { annotations = {} }: Pick<ToolDefinition, "annotations">,
): boolean {
  const { destructiveHint, readOnlyHint } = annotations;
  if (typeof destructiveHint === "boolean") return destructiveHint;
  return treatUnknownAsDestructive && readOnlyHint !== true;
}

/** Whether agents get what the server says now, and not what was approved. */
export const servesLatest = ({ onDrift }: Pick<Policy, "onDrift">): boolean => onDrift === "warn";

/** How many tools cannot be called because of drift. `present` are those that the server lists. */
export function countHeld(
  { onDrift }: Pick<Policy, "onDrift">,
  { present, drifted, all }: { present: number; drifted: number; all: number },
): number {
  if (onDrift === "warn") return 0;
  return onDrift === "hold_changed" ? drifted : all > 0 ? present : 0;
}

export interface ToolFacts {
  name: string;
  definition: Pick<ToolDefinition, "annotations">;
  drift: readonly DriftKind[];
  isRemoved: boolean;
  /** Whether any tool of the connection is held. */
  isConnectionHeld: boolean;
}

/** Whether a tool is held because it, or with `hold_all` any other, was changed. */
export const isHeld = (
  { onDrift }: Pick<Policy, "onDrift">,
  { drift, isConnectionHeld }: Pick<ToolFacts, "drift" | "isConnectionHeld">,
): boolean =>
  (onDrift === "hold_changed" && drift.length > 0) || (onDrift === "hold_all" && isConnectionHeld);

/** Why a tool cannot be called now. Null: it can. */
export function findObstacle(policy: Policy, tool: ToolFacts): Reason | null {
  if (tool.isRemoved) return "removed";
  if (isDenied(policy, tool.name)) return "denied";
  if (isHeld(policy, tool)) return "held";
  if (policy.destructive === "allow" || !isDestructive(policy, tool.definition)) return null;
  return policy.destructive === "deny" ? "denied" : "needs_approval";
}

/** What is stored of a policy. A default that changes later applies to connections that did not choose. */
export function cutPolicy(policy: Policy, defaults: Policy): Partial<Policy> {
  const isDefault = (name: keyof Policy) => JSON.stringify(policy[name]) === JSON.stringify(defaults[name]);
  return {
    ...(isDefault("allow") ? {} : { allow: policy.allow }),
    ...(isDefault("deny") ? {} : { deny: policy.deny }),
    ...(isDefault("hide") ? {} : { hide: policy.hide }),
    ...(isDefault("onDrift") ? {} : { onDrift: policy.onDrift }),
    ...(isDefault("destructive") ? {} : { destructive: policy.destructive }),
    ...(isDefault("treatUnknownAsDestructive")
      ? {}
      : { treatUnknownAsDestructive: policy.treatUnknownAsDestructive }),
  };
}
