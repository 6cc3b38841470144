import type { HttpAddress } from "./address.ts";
import type { DiscoveryProgress, Evidence } from "./result.ts";

/** For each step whose request may be sent early: the reason why its answer can turn out to be unnecessary. */
const unnecessaryReasons: Record<string, string> = {
  probe_discover:
    "MCP 2025-11-25, Lifecycle › Initialization: the handshake had answered, and only servers of 2026-07-28 have server/discover",
  probe_initialize:
    "MCP 2026-07-28, Discovery: server/discover had answered, and that revision has no handshake",
  resource_metadata:
    "RFC 9728 §5.1: the metadata that the challenge names takes precedence over the well-known place",
  server_metadata:
    "RFC 8414 §3.1 and MCP 2025-11-25, Authorization › Server Metadata Discovery: an earlier place in the order had the document",
};

/** The log of all requests of a discovery: URLs, codes and times, but no header, body or session id. */
export class EvidenceLog {
  readonly #startedAt = performance.now();
  readonly #entries: EvidenceEntry[] = [];
  readonly #onProgress: ((progress: DiscoveryProgress) => void) | undefined;

  constructor(onProgress?: (progress: DiscoveryProgress) => void) {
    this.#onProgress = onProgress;
  }

  /** Adds a request that is about to be sent. */
  begin(step: string, method: string, address: HttpAddress): EvidenceEntry {
    const index = this.#entries.length;
    const notify = this.#onProgress;
    const entry = new EvidenceEntry(
      step,
      method,
      address,
      this.#startedAt,
      notify && ((phase) => notify({ index, phase, evidence: entry.format() })),
    );
    this.#entries.push(entry);
    notify?.({ index, phase: "sent", evidence: entry.format() });
    return entry;
  }

  /**
   * Marks unanswered requests as abandoned, except those that close sessions, and returns true if there are any. Called
   * after the verdict.
   */
  abandonPending(): boolean {
    return this.#entries.filter((entry) => entry.abandon()).length > 0;
  }

  /** Returns the requests in the order in which they were sent. */
  list(): Evidence[] {
    return this.#entries.map((entry) => entry.format());
  }
}

/** One request in the log. The conclusion is added once the answer has been interpreted. */
export class EvidenceEntry {
  readonly #address: HttpAddress;
  readonly #begunAt = performance.now();
  readonly #record: Omit<Evidence, "url" | "step" | "method">;
  readonly #step: string;
  readonly #method: string;
  readonly #onChange: ((phase: DiscoveryProgress["phase"]) => void) | undefined;
  #isOver = false;

  constructor(
    step: string,
    method: string,
    address: HttpAddress,
    startedAt: number,
    onChange?: (phase: DiscoveryProgress["phase"]) => void,
  ) {
    this.#onChange = onChange;
    this.#step = step;
    this.#method = method;
    this.#address = address;
    this.#record = {
      startedMs: roundToTenth(this.#begunAt - startedAt),
      ms: 0,
      learned: "The answer was not needed for the verdict.",
      rule: unnecessaryReasons[step] ?? "The verdict was made without it.",
      decided: [],
    };
  }

  end({ status, failure }: { status?: number; failure?: string }) {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#record.ms = roundToTenth(performance.now() - this.#begunAt);
    if (status !== undefined) this.#record.status = status;
    if (failure !== undefined) this.#record.failure = failure;
    this.#onChange?.("answered");
  }

  /** Records what the answer means, the rule that says so, and the fields of the result that it decided. */
  conclude(learned: string, rule: string, ...decided: string[]) {
    if (this.#record.failure === "abandoned") return;
    Object.assign(this.#record, { learned, rule, decided });
    this.#onChange?.("interpreted");
  }

  /** Returns false for a request that was answered, or that closes a session. */
  abandon(): boolean {
    if (this.#isOver || this.#step === "close_session") return false;
    this.end({ failure: "abandoned" });
    this.#record.learned = "Abandoned without an answer: the verdict did not need it.";
    this.#onChange?.("interpreted");
    return true;
  }

  // URLs are redacted only here, because most callers do not read the evidence.
  format(): Evidence {
    return { step: this.#step, method: this.#method, url: this.#address.display, ...this.#record };
  }
}

function roundToTenth(ms: number): number {
  return Math.round(ms * 10) / 10;
}
