import { Refusal } from "../../../platform/errors.ts";
import type { UpstreamError } from "../upstream/index.ts";
import type { Outcome } from "./contract.ts";

/** How a call without a result ended: for the log, for the caller, and for the breaker. */
export interface Failure {
  outcome: Exclude<Outcome, "ok">;
  code: string;
  error: unknown;
  /** Whether the server works. Undefined: this call does not show it. */
  worked: boolean | undefined;
}

const refuse = (status: number, code: string, message: string, more: Record<string, unknown> = {}) =>
  new Refusal(status, { error: code, message, ...more });

/** Describes a failure of the server. Challenges are handled before. */
export function describeUpstreamError(error: UpstreamError, name: string): Failure {
  const { kind, message, rpc, status } = error;
  const fail = (outcome: Failure["outcome"], refusal: Refusal, worked: Failure["worked"]): Failure => ({
    outcome,
    code: refusal.body.error,
    error: refusal,
    worked,
  });
  switch (kind) {
    case "cancelled":
      return fail("cancelled", refuse(499, "mcp_cancelled", "The call was cancelled."), undefined);
    case "busy":
      return fail("refused", refuse(503, "mcp_busy", `${message} Try again shortly.`), undefined);
    case "unanswered":
      return fail(
        "refused",
        refuse(409, "mcp_question_refused", `${name} asked your client, which did not answer. ${message}`),
        // The server works. A client that never answers must not pause it for others.
        undefined,
      );
    case "timed_out":
      return fail(
        "timed_out",
        refuse(
          504,
          "mcp_server_timeout",
          `${name} did not answer in time. The call may still have been executed.`,
        ),
        // A slow tool of a server that answers is not a broken server.
        error.hadAnswer ? undefined : false,
      );
    case "too_large":
      return fail(
        "failed",
        refuse(502, "mcp_result_too_large", `The result of ${name} is larger than its connection allows.`),
        true,
      );
    case "rejected":
      return rpc
        ? fail(
            "tool_error",
            refuse(502, "mcp_call_rejected", `${name} answered: ${rpc.message}`, { rpc }),
            true,
          )
        : fail(
            "refused",
            refuse(502, "mcp_server_refused", `${name} refused the call. ${message}`, {
              upstreamStatus: status,
            }),
            true,
          );
    default:
      return fail(
        "failed",
        refuse(502, "mcp_server_failed", `${name} failed. ${message} Test the connection to see more.`, {
          ...(status === undefined ? {} : { upstreamStatus: status }),
        }),
        // Many servers count per account, so this may concern one member only.
        status === 429 ? undefined : false,
      );
  }
}

export const requestTooLarge = (name: string, maxBytes: number) =>
  refuse(413, "mcp_request_too_large", `${name} takes arguments of at most ${maxBytes} bytes. Send less.`);

export const serverPaused = (name: string, pauseMs: number) => {
  const seconds = Math.ceil(pauseMs / 1000);
  return new Refusal(
    503,
    {
      error: "mcp_server_paused",
      message: `${name} failed several times in a row and is not called for now. Try again in ${seconds} s.`,
      retryAfterSeconds: seconds,
    },
    { "retry-after": String(seconds) },
  );
};
