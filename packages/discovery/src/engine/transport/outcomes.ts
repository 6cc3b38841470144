import { parseRetryAfter } from "@signalbox/flow-control";
import type { HttpAddress } from "../address.ts";
import { describeFailure } from "../budget.ts";
import type { EvidenceEntry } from "../evidence.ts";
import type { JsonObject } from "../json.ts";
import { asksForCredentials, readOfferedVersions } from "../protocol.ts";
import type { BodyRead } from "./body.ts";
import type { Challenges } from "./challenge.ts";

export interface Exchange {
  /** The address that answered, after the redirects that were followed. */
  address: HttpAddress;
  entry: EvidenceEntry;
}

/** The outcome of one message to the server. */
export type RpcOutcome = Exchange &
  (
    | { kind: "result"; status: number; result: JsonObject; truncated: boolean; session?: string }
    | {
        kind: "error";
        status: number;
        code: number;
        /** The protocol versions that the error lists as supported. */
        offeredVersions: string[];
        /** True when the error asks for credentials, although the HTTP status does not. */
        asksForCredentials: boolean;
      }
    | { kind: "accepted"; status: number }
    | { kind: "credentials_required"; status: number; challenges: Challenges }
    /** The server refuses the Host header; `acceptedHost` is the host that it names instead. */
    | { kind: "wrong_host"; status: number; acceptedHost?: string }
    | { kind: "redirect"; status: number; target?: HttpAddress }
    /** `botProtection` names the product that answered in place of the server. */
    | { kind: "http_status"; status: number; retryAfter?: string; botProtection?: string }
    | { kind: "unreadable"; status: number; received: string }
    | { kind: "failed"; failure: string; explanation: string; status?: number }
  );

export type CredentialsRequired = Extract<RpcOutcome, { kind: "credentials_required" }>;

export type MetadataOutcome = Exchange &
  (
    | { kind: "document"; document: JsonObject }
    | { kind: "absent"; why: string; failure?: string; status?: number }
  );

/** Returns the outcome of a reply that may contain an answer. */
export function classifyAnswer(
  answered: Exchange & { status: number },
  read: BodyRead,
  retryAfterHeader: string | undefined,
): RpcOutcome {
  if (read.message?.kind === "error") {
    const { code, message, data } = read.message;
    return {
      ...answered,
      kind: "error",
      code,
      offeredVersions: readOfferedVersions(data),
      asksForCredentials: asksForCredentials(code, message),
    };
  }
  const isSuccess = answered.status >= 200 && answered.status < 300;
  if (read.message && isSuccess)
    return { ...answered, kind: "result", result: read.message.result, truncated: read.truncated };
  if (!isSuccess) {
    const retryAfter = formatRetryAfter(retryAfterHeader);
    return { ...answered, kind: "http_status", ...(retryAfter ? { retryAfter } : {}) };
  }
  if (read.fault === undefined) return { ...answered, kind: "unreadable", received: read.received };
  const failed = describeFailure(read.fault);
  answered.entry.end({ failure: failed.failure, status: answered.status });
  return { ...answered, kind: "failed", ...failed };
}

function formatRetryAfter(header: string | undefined): string | undefined {
  const retryAfter = parseRetryAfter(header);
  if (!retryAfter) return undefined;
  return "at" in retryAfter ? `after ${retryAfter.at.toISOString()}` : `after ${retryAfter.seconds} seconds`;
}

/** Describes an outcome in one sentence that contains nothing of the reply except numbers and hosts. */
export function describeOutcome(outcome: RpcOutcome): string {
  switch (outcome.kind) {
    case "result":
      return `Answered ${outcome.status} with a result of another kind.`;
    case "error":
      return `Answered ${outcome.status} with the JSON-RPC error ${outcome.code}.`;
    case "accepted":
    case "credentials_required":
      return `Answered ${outcome.status}.`;
    case "redirect":
      return `Redirected (${outcome.status})${outcome.target ? ` to ${outcome.target.host}` : ""}.`;
    case "wrong_host":
      return `Answered ${outcome.status}: it refuses the Host header${outcome.acceptedHost ? ` and names ${outcome.acceptedHost}` : ""}.`;
    case "http_status":
      return outcome.botProtection
        ? `${outcome.botProtection} answered ${outcome.status} in place of the server.`
        : `Answered ${outcome.status} without a JSON-RPC message.`;
    case "unreadable":
      return `Answered ${outcome.status} with ${outcome.received}.`;
    case "failed":
      return outcome.explanation;
  }
}
