import type { Limits } from "./options.ts";

/** The reason why a request has no usable answer: a code, and a sentence for a person. */
export interface RequestFailure {
  failure: string;
  explanation: string;
}

/** Less time than this is not enough for a request. */
const minRequestMs = 20;

/** The time and the number of requests that one discovery may use. */
export class Budget {
  readonly #deadline: number;
  #requestsLeft: number;
  #isExhausted = false;

  constructor({ deadlineMs, requests }: Pick<Limits, "deadlineMs" | "requests">) {
    this.#deadline = performance.now() + deadlineMs;
    this.#requestsLeft = requests;
  }

  get remainingMs(): number {
    return Math.max(0, this.#deadline - performance.now());
  }

  /** True when the deadline or the number of requests cut the discovery short. */
  get isExhausted(): boolean {
    return this.#isExhausted;
  }

  /** Reserves one request. Returns the time it may take, or the reason why it must not be sent. */
  reserveRequest(timeoutMs: number): { timeoutMs: number } | RequestFailure {
    const available = Math.min(timeoutMs, this.remainingMs);
    if (available < minRequestMs) {
      this.#isExhausted = true;
      return { failure: "deadline", explanation: "The time for this discovery was over." };
    }
    if (this.#requestsLeft <= 0) {
      this.#isExhausted = true;
      return { failure: "budget", explanation: "The number of requests for one discovery was used up." };
    }
    this.#requestsLeft -= 1;
    return { timeoutMs: available };
  }

  /** A request that timed out before its own limit was cut short by the deadline of the discovery. */
  recordFailure({ failure }: RequestFailure, allowedMs: number, requestedMs: number) {
    if (failure === "timeout" && allowedMs < requestedMs) this.#isExhausted = true;
  }
}
