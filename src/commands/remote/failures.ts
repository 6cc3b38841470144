import { RefusedError, UnreachableError } from "@signalbox/client";
import { cleanText } from "@signalbox/command-line";
import { exit } from "../io.ts";

interface Failure {
  sentence: string;
  code: number;
}

/** Translates a failed request into a sentence for a person and an exit code for scripts. */
export function describeFailure(error: unknown): Failure | undefined {
  if (error instanceof UnreachableError) {
    const where = error.url || "the server";
    return {
      sentence: `No usable answer from ${where} (${cleanText(error.message)}). Check that the server runs and that the URL is right.`,
      code: exit.failed,
    };
  }
  return error instanceof RefusedError ? describeRefusal(error) : undefined;
}

function describeRefusal({ status, code, body, message, retryAfterMs }: RefusedError): Failure {
  const reason = cleanText(message);
  switch (status) {
    case 401:
      return {
        sentence:
          "The server does not accept this API key: it is unknown, expired or revoked. Run `signalbox login`.",
        code: exit.refused,
      };
    case 403:
      return {
        sentence: `Not allowed${typeof body.reason === "string" ? ` (${cleanText(body.reason)})` : ""}: ${reason}`,
        code: exit.refused,
      };
    case 404:
      return {
        sentence: `There is no such ${cleanText(parseThing(code))} that you can see. Check the id, and with \`signalbox whoami\` the organization.`,
        code: exit.notFound,
      };
    case 429:
      return {
        sentence: `Too many requests. Try again in ${retryAfterMs === undefined ? 60 : Math.ceil(retryAfterMs / 1000)} s.`,
        code: exit.failed,
      };
    case 400:
      return { sentence: `The server does not accept the request. ${reason}`, code: exit.failed };
    case 409:
      return { sentence: reason, code: exit.failed };
    default:
      return {
        sentence:
          status >= 500
            ? `The server failed (HTTP ${status}: ${reason}). Try again; if it stays like this, look at its log.`
            : `The server refused the request (HTTP ${status}: ${reason}).`,
        code: exit.failed,
      };
  }
}

/** `automation_run_not_found` → `automation run`. */
const parseThing = (code: string) => code.replace(/_not_found$/, "").replaceAll("_", " ");
