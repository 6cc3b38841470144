import { RefusedError, UnreachableError } from "@signalbox/client";
import { exit } from "../io.ts";
import { clean } from "../text.ts";

interface Failure {
  sentence: string;
  code: number;
}

/** Translates a failed request into a sentence for a person and an exit code for scripts. */
export function describeFailure(error: unknown): Failure | undefined {
  if (error instanceof UnreachableError) {
    const where = error.url || "the server";
    return {
      sentence: `No usable answer from ${where} (${clean(error.message)}). Check that the server runs and that the URL is right.`,
      code: exit.failed,
    };
  }
  return error instanceof RefusedError ? describeRefusal(error) : undefined;
}

function describeRefusal({ status, code, body, message, retryAfterMs }: RefusedError): Failure {
  const said = clean(message);
  switch (status) {
    case 401:
      return {
        sentence:
          "The server does not accept this API key: it is unknown, expired or revoked. Run `signalbox login`.",
        code: exit.refused,
      };
    case 403:
      return {
        sentence: `Not allowed${typeof body.reason === "string" ? ` (${clean(body.reason)})` : ""}: ${said}`,
        code: exit.refused,
      };
    case 404:
      return {
        sentence: `There is no such ${clean(thingIn(code))} that you can see. Check the id, and with \`signalbox whoami\` the organization.`,
        code: exit.notFound,
      };
    case 429:
      return {
        sentence: `Too many requests. Try again in ${retryAfterMs === undefined ? 60 : Math.ceil(retryAfterMs / 1000)} s.`,
        code: exit.failed,
      };
    case 400:
      return { sentence: `The server does not accept the request. ${said}`, code: exit.failed };
    case 409:
      return { sentence: said, code: exit.failed };
    default:
      return {
        sentence:
          status >= 500
            ? `The server failed (HTTP ${status}: ${said}). Try again; if it stays like this, look at its log.`
            : `The server refused the request (HTTP ${status}: ${said}).`,
        code: exit.failed,
      };
  }
}

/** `automation_run_not_found` → `automation run`. */
const thingIn = (code: string) => code.replace(/_not_found$/, "").replaceAll("_", " ");
