import { EgressError } from "../egress/index.ts";
import type { Limits } from "./options.ts";

/** The reason why a request has no usable answer: a code, and a sentence for a person. */
export interface RequestFailure {
  failure: string;
  explanation: string;
}

type Spent<Reply> = { reply: Reply } | { failed: RequestFailure };

/** Less time than this is not enough for a request. */
const minRequestMs = 20;

/** The time and the number of requests that one discovery may use. */
export class Budget {
  #deadline: number;
  #requestsLeft: number;
  #isExhausted = false;

  constructor({ deadlineMs, requests }: Pick<Limits, "deadlineMs" | "requests">) {
    this.#deadline = performance.now() + deadlineMs;
    this.#requestsLeft = requests;
  }

  get remainingMs(): number {
    return Math.max(0, this.#deadline - performance.now());
  }

  /** Ends the time now. */
  end() {
    this.#deadline = 0;
  }

  /** True when the deadline or the number of requests cut the discovery short. */
  get isExhausted(): boolean {
    return this.#isExhausted;
  }

  /** Sends one request, if time and number allow it, and returns its reply or the reason why there is none. */
  async spendRequest<Reply>(
    timeoutMs: number,
    send: (timeoutMs: number) => Promise<Reply>,
  ): Promise<Spent<Reply>> {
    const allowedMs = Math.min(timeoutMs, this.remainingMs);
    if (allowedMs < minRequestMs) {
      this.#isExhausted = true;
      return { failed: { failure: "deadline", explanation: "The time for this discovery was over." } };
    }
    if (this.#requestsLeft <= 0) {
      this.#isExhausted = true;
      const explanation = "The number of requests for one discovery was used up.";
      return { failed: { failure: "budget", explanation } };
    }
    this.#requestsLeft -= 1;
    const spent = await sendAgainAfterReset(allowedMs, send);
    // A request that timed out before its own limit was cut short by the deadline of the discovery.
    if ("failed" in spent && spent.failed.failure === "timeout" && allowedMs < timeoutMs)
      this.#isExhausted = true;
    return spent;
  }
}

/**
 * Sends a request, and once more when its connection was reset. A server may drop a kept connection at the moment of
 * its reuse, and every request of a discovery may be sent twice (RFC 9112 §9.3.1).
 */
export async function sendAgainAfterReset<Reply>(
  timeoutMs: number,
  send: (timeoutMs: number) => Promise<Reply>,
): Promise<Spent<Reply>> {
  const started = performance.now();
  try {
    return { reply: await send(timeoutMs) };
  } catch (error) {
    const failed = describeFailure(error);
    const leftMs = timeoutMs - (performance.now() - started);
    if (failed.failure !== "connection_reset" || leftMs < minRequestMs) return { failed };
    return send(leftMs).then(
      (reply) => ({ reply }),
      (second) => ({ failed: describeFailure(second) }),
    );
  }
}

/** Returns the kind and the sentence of an egress error. Any other error is a fault of this program. */
export function describeFailure(error: unknown): RequestFailure {
  if (!(error instanceof EgressError)) throw error;
  return { failure: error.kind, explanation: error.message };
}
