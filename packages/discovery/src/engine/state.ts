import { createEgress, type Egress } from "../egress/index.ts";
import { createAddress, type HttpAddress } from "./address.ts";
import { Budget } from "./budget.ts";
import { EvidenceLog } from "./evidence.ts";
import { Findings } from "./findings.ts";
import { type DiscoveryOptions, defaultLimits, type Limits } from "./options.ts";
import type { ClientInfo } from "./protocol.ts";

/** Everything that one discovery collects and uses up. Each step receives this value and its own input. */
export interface DiscoveryState {
  /** The server that was asked for, as the caller wrote it and as an address. */
  readonly url: string;
  readonly target: HttpAddress;
  readonly limits: Limits;
  readonly clientInfo: ClientInfo;
  readonly userAgent: string;
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

export function startDiscovery(url: string, options: DiscoveryOptions): DiscoveryState {
  const limits = { ...defaultLimits, ...options.limits };
  const target = createAddress(url);
  const clientInfo = options.clientInfo ?? { name: "signalbox-discovery", version: "0.1.0" };
  const egress = options.egress ?? createEgress({ allow: [], allowLoopback: false });
  return {
    url,
    target,
    limits,
    clientInfo,
    userAgent: `${clientInfo.name}/${clientInfo.version}`,
    redirectUri: options.redirectUri,
    egress,
    namedEgress: egress.forAddressFrom(target.url),
    budget: new Budget(limits),
    findings: new Findings(),
    evidence: new EvidenceLog(options.onProgress),
    sessions: { seen: new Set(), open: new Map(), closing: new Set(), messagesInFlight: new Set() },
    verdictReached: new AbortController(),
  };
}
