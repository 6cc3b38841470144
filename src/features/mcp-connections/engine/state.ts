import type { Egress } from "../../../platform/egress/index.ts";
import type { HttpAddress } from "./address.ts";
import { Budget } from "./budget.ts";
import { EvidenceLog } from "./evidence.ts";
import { Findings } from "./findings.ts";
import { type DiscoveryOptions, defaultLimits, type Limits } from "./options.ts";
import type { ClientInfo } from "./protocol.ts";

/** Everything that one discovery collects and uses up. Each step receives this value and its own input. */
export interface DiscoveryState {
  readonly limits: Limits;
  readonly clientInfo: ClientInfo;
  readonly redirectUri: DiscoveryOptions["redirectUri"];
  readonly egress: Egress;
  /** For addresses that the server names. They are not the caller's choice, so fewer of them may be reached. */
  readonly namedEgress: Egress;
  readonly budget: Budget;
  readonly findings: Findings;
  readonly evidence: EvidenceLog;
  readonly sessions: SessionRecord;
  /** Aborts requests whose answers the verdict does not need. */
  readonly verdictReached: AbortController;
}

/** The sessions that servers opened. A discovery that left one open would have a side effect. */
interface SessionRecord {
  readonly seen: Set<string>;
  readonly open: Map<string, { address: HttpAddress; version: string | undefined }>;
  readonly closing: Set<Promise<void>>;
  /** Messages whose answers may still open a session. */
  readonly messagesInFlight: Set<Promise<unknown>>;
  /** Set once closing has begun: sessions that open later are closed at once. */
  closeNew?: { fallbackVersion: string | undefined };
}

export function startDiscovery(options: DiscoveryOptions, namedEgress: Egress): DiscoveryState {
  const limits = { ...defaultLimits, ...options.limits };
  return {
    limits,
    clientInfo: options.clientInfo ?? { name: "signalbox-discovery", version: "0.1.0" },
    redirectUri: options.redirectUri,
    egress: options.egress,
    namedEgress,
    budget: new Budget(limits),
    findings: new Findings(),
    evidence: new EvidenceLog(),
    sessions: { seen: new Set(), open: new Map(), closing: new Set(), messagesInFlight: new Set() },
    verdictReached: new AbortController(),
  };
}
