import type { EgressStream } from "../../egress/index.ts";
import { discardShortBody, readAnswer, readTextWithin } from "./body.ts";
import { noChallenges, readChallenges } from "./challenge.ts";
import { findHostCheck } from "./host-check.ts";
import { classifyAnswer, type Exchange, type RpcOutcome } from "./outcomes.ts";

const errorBodyMs = 2000;
/** How much of an error is read to recognize a refused Host header. */
const hostCheckLimits = { maxBytes: 4096, maxMs: 1000 };

/** Reads as much of a reply as its meaning requires. `id` is absent for the reply to a notification. */
export async function interpretReply(
  { address, entry }: Exchange,
  stream: EgressStream,
  id: number | undefined,
  maxBytes: number,
): Promise<RpcOutcome> {
  const { status, headers } = stream;
  const answered = { address, entry, status };
  const botProtection = findBotProtection(headers);
  if (botProtection !== undefined) {
    stream.close();
    return { ...answered, kind: "http_status", botProtection };
  }
  if (status >= 300 && status < 400) {
    stream.close();
    const location = headers.location?.[0];
    const target = location === undefined ? undefined : address.resolve(location);
    return { ...answered, kind: "redirect", ...(target ? { target } : {}) };
  }
  const challenges = status >= 400 ? readChallenges(headers["www-authenticate"]) : noChallenges;
  // RFC 9110 §15.5.20: 421 means that the server does not answer for this host.
  if (status === 421 || (status === 403 && challenges.list.length === 0)) {
    const hostCheck = findHostCheck(await readTextWithin(stream, hostCheckLimits), address.url);
    if (hostCheck || status === 421) return { ...answered, kind: "wrong_host", ...hostCheck };
    return { ...answered, kind: "credentials_required", challenges };
  }
  // RFC 6750 §3.1 also sends a challenge with 400.
  const isRefusal = status === 401 || status === 403 || (status === 400 && challenges.token !== undefined);
  if (isRefusal || id === undefined) {
    await discardShortBody(stream);
    return isRefusal
      ? { ...answered, kind: "credentials_required", challenges }
      : { ...answered, kind: "accepted" };
  }
  // The body of an error may name the protocol, but it is not worth a long wait.
  const timer = status >= 400 ? setTimeout(() => stream.close(), errorBodyMs) : undefined;
  const read = await readAnswer(stream, id, maxBytes);
  clearTimeout(timer);
  return classifyAnswer(answered, read, headers["retry-after"]?.[0]);
}

/** Names the bot protection that answered in place of the server, if a header says so. */
function findBotProtection(headers: EgressStream["headers"]): string | undefined {
  if (headers["cf-mitigated"]) return "Cloudflare";
  if (headers["x-amzn-waf-action"]) return "AWS WAF";
  return headers["x-vercel-mitigated"] ? "Vercel" : undefined;
}
