import type { Egress } from "../../../platform/egress/index.ts";
import type { Discovery, Evidence } from "../contract.ts";
import type { RequirementCode, WarningCode } from "./codes.ts";

export interface DiscoveryOptions {
  /** Already checked: http or https, no user-info, no fragment. */
  url: string;
  egress: Egress;
  /** Where an authorization server sends the browser back to, for a provider saved under this id. */
  redirectUri: (providerId: string) => string;
  clientInfo?: { name: string; version: string };
  limits?: Partial<Limits>;
}

export interface Limits {
  /** Over everything. The verdict then says what is known so far. */
  deadlineMs: number;
  requests: number;
  responseBytes: number;
  authorizationServers: number;
  toolPages: number;
  tools: number;
}

export const DEFAULT_LIMITS: Limits = {
  deadlineMs: 15_000,
  requests: 20,
  responseBytes: 1024 * 1024,
  authorizationServers: 5,
  toolPages: 10,
  tools: 1000,
};

export interface DiscoveryOutcome {
  result: Discovery;
  /** The requests so far, in the order in which they were sent. Made when it is asked for. */
  readonly evidence: Evidence[];
  /** Settles when every session that had to be opened is closed again, or could not be within a few seconds. */
  closed: Promise<void>;
}

/** Discovery itself could not be carried out: nothing can be said about the server. */
export class DiscoveryError extends Error {
  override name = "DiscoveryError";
}

interface Requirement {
  code: RequirementCode;
  label: string;
  reason: string;
  required: boolean;
}

interface Warning {
  code: WarningCode;
  message: string;
}

/** Collects what a person has to know. The same thing seen twice is said once. */
export interface Findings {
  warn(code: WarningCode, message: string): void;
  require(code: RequirementCode, label: string, reason: string): void;
  readonly warnings: Warning[];
  readonly requirements: Requirement[];
}

/** Takes over what was found aside. */
export function adopt(findings: Findings, aside: Findings) {
  for (const { code, message } of aside.warnings) findings.warn(code, message);
  for (const { code, label, reason } of aside.requirements) findings.require(code, label, reason);
}

export function createFindings(): Findings {
  const warnings: Warning[] = [];
  const requirements: Requirement[] = [];
  return {
    warnings,
    requirements,
    warn(code, message) {
      if (!warnings.some((known) => known.code === code && known.message === message))
        warnings.push({ code, message });
    },
    require(code, label, reason) {
      if (!requirements.some((known) => known.code === code))
        requirements.push({ code, label, reason, required: true });
    },
  };
}
