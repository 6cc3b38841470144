import type { EgressStream } from "../../../../platform/egress/index.ts";
import { asksForCredentials, isProtocolVersion, readOfferedVersions } from "../protocol.ts";
import { noChallenges, readChallenges } from "./challenge.ts";
import { discardShortBody } from "./chunks.ts";
import { readHostCheck } from "./host-check.ts";
import { describeFailure } from "./http.ts";
import type { Exchange, RpcOutcome } from "./outcomes.ts";
import { type BodyRead, readAnswer } from "./reply-body.ts";

const errorBodyMs = 2000;

type Headers = EgressStream["headers"];
type Answered = Exchange & { status: number };

/** Reads as much of a reply as its meaning requires. `id` is absent for the reply to a notification. */
export async function interpretReply(
  { address, entry }: Exchange,
  stream: EgressStream,
  id: number | undefined,
  maxBytes: number,
): Promise<{ outcome: RpcOutcome; version?: string | undefined }> {
  const { status, headers } = stream;
  const answered = { address, entry, status };
  const botProtection = findBotProtection(headers);
  if (botProtection !== undefined) {
    stream.close();
    return { outcome: { ...answered, kind: "http_status", botProtection } };
  }
  if (status >= 300 && status < 400) {
    stream.close();
    const location = headers.location?.[0];
    const target = location === undefined ? undefined : address.resolve(location);
    return { outcome: { ...answered, kind: "redirect", ...(target ? { target } : {}) } };
  }
  const challenges = status >= 400 ? readChallenges(headers["www-authenticate"]) : noChallenges;
  // RFC 9110 §15.5.20: 421 means that the server does not answer for this host.
  if (status === 421 || (status === 403 && challenges.list.length === 0)) {
    const hostCheck = await readHostCheck(stream, address.url);
    if (hostCheck || status === 421) return { outcome: { ...answered, kind: "wrong_host", ...hostCheck } };
    return { outcome: { ...answered, kind: "credentials_required", challenges } };
  }
  // RFC 6750 §3.1 also sends a challenge with 400.
  const isRefusal = status === 401 || status === 403 || (status === 400 && challenges.token !== undefined);
  if (isRefusal || id === undefined) {
    await discardShortBody(stream);
    return {
      outcome: isRefusal
        ? { ...answered, kind: "credentials_required", challenges }
        : { ...answered, kind: "accepted" },
    };
  }
  // The body of an error may name the protocol, but it is not worth a long wait.
  const timer = status >= 400 ? setTimeout(() => stream.close(), errorBodyMs) : undefined;
  const read = await readAnswer(stream, id, maxBytes);
  clearTimeout(timer);
  return { outcome: classifyAnswer(read, answered, headers), version: readVersion(read) };
}

function classifyAnswer(read: BodyRead, answered: Answered, headers: Headers): RpcOutcome {
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
    const retryAfter = formatRetryAfter(headers["retry-after"]?.[0]);
    return { ...answered, kind: "http_status", ...(retryAfter ? { retryAfter } : {}) };
  }
  if (read.fault === undefined) return { ...answered, kind: "unreadable", received: read.received };
  const failed = describeFailure(read.fault);
  answered.entry.end({ failure: failed.failure, status: answered.status });
  return { ...answered, kind: "failed", ...failed };
}

/** Formats `Retry-After`, if its value is valid (RFC 9110 §10.2.3). */
function formatRetryAfter(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,7}$/.test(value)) return `after ${value} seconds`;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : `after ${new Date(date).toISOString()}`;
}

/** Names the bot protection that answered in place of the server, if a header says so. */
function findBotProtection(headers: Headers): string | undefined {
  if (headers["cf-mitigated"]) return "Cloudflare";
  if (headers["x-amzn-waf-action"]) return "AWS WAF";
  return headers["x-vercel-mitigated"] ? "Vercel" : undefined;
}

/** Returns the protocol version that the server chose, if the answer names one. */
function readVersion({ message }: BodyRead): string | undefined {
  const version = message?.kind === "result" ? message.result.protocolVersion : undefined;
  return isProtocolVersion(version) ? version : undefined;
}
