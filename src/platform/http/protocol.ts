import type { z } from "zod";
import { Refusal } from "../errors.ts";
import { weighMediaType } from "./accept.ts";
import { type Answer, createJsonReply } from "./reply.ts";
import type { HttpHeaders } from "./request.ts";

/** The rules of a protocol that the API carries beside its own. Routes name it in their contract. */
export interface Protocol {
  /** All routes of the protocol are below this path. Unknown paths below it get the errors of the protocol too. */
  prefix: string;
  /** Media types of bodies. Replies have the first, unless the caller prefers another one. */
  mediaTypes: readonly [string, ...string[]];
  /** Replies have the media type of the request's body, and not the one that `Accept` prefers. */
  repliesLikeRequest?: true;
  /** Encodes the bodies of replies in media types that are not JSON. */
  encode?: Readonly<Record<string, (body: unknown) => Uint8Array>>;
  /** The body of every refusal. Without it, refusals look as in the rest of the API. */
  error?: { render(refusal: Refusal): unknown; schema: z.ZodType };
  /** The address of the protected resource metadata (RFC 9728), which 401 and 403 replies then name. */
  resourceMetadata?(publicUrl: string): string;
}

export function protocol<const Rules extends Omit<Protocol, "mediaTypes"> & Partial<Protocol>>(
  rules: Rules,
): Protocol {
  if (!/^(?:\/[\w.-]+)+$/.test(rules.prefix)) throw new Error(`"${rules.prefix}" is not a path prefix.`);
  return Object.freeze({ mediaTypes: ["application/json"] as const, ...rules });
}

export const isBelow = (prefix: string, path: string): boolean =>
  path === prefix || path.startsWith(`${prefix}/`);

/** Refuses a body whose media type is not one of the protocol. */
export function checkMediaType({ mediaTypes }: Protocol, headers: HttpHeaders): void {
  const given = readMediaType(headers);
  if (mediaTypes.includes(given)) return;
  throw new Refusal(415, {
    error: "unsupported_media_type",
    message: `The content type must be ${mediaTypes.join(" or ")}, not ${given ? `"${given.slice(0, 100)}"` : "absent"}.`,
  });
}

/** The media type of the request's body, without parameters. */
export const readMediaType = (headers: HttpHeaders): string =>
  (headers["content-type"] ?? "").toLowerCase().split(/\s*;/, 1)[0]!;

/** Returns the media type of a reply: the one that the caller prefers, or the one of the request. */
function chooseMediaType({ mediaTypes, repliesLikeRequest }: Protocol, headers: HttpHeaders): string {
  const given = readMediaType(headers);
  if (repliesLikeRequest && mediaTypes.includes(given)) return given;
  let [best] = mediaTypes;
  const { accept } = headers;
  if (accept !== undefined) {
    for (const type of mediaTypes)
      if (weighMediaType(accept, type) > weighMediaType(accept, best)) best = type;
  }
  return best;
}

/** Builds a reply in a media type of the protocol. */
export function createProtocolReply(
  rules: Protocol,
  requestHeaders: HttpHeaders,
  status: number,
  body: unknown,
  requestId: string,
  headers: Record<string, string>,
): Answer {
  const type = chooseMediaType(rules, requestHeaders);
  const contentType = type === "application/json" ? "application/json; charset=UTF-8" : type;
  const encode = rules.encode?.[type];
  const reply = createJsonReply(status, encode ? undefined : body, requestId, {
    ...headers,
    "content-type": contentType,
  });
  return encode && body !== undefined ? { ...reply, body: encode(body) } : reply;
}

/** Builds the reply to a refused request in the form of the protocol. */
export function refuseByProtocol(
  rules: Protocol,
  refusal: Refusal,
  { headers, publicUrl, requestId }: { headers: HttpHeaders; publicUrl: string; requestId: string },
): Answer {
  const reply = createProtocolReply(
    rules,
    headers,
    refusal.status,
    rules.error ? rules.error.render(refusal) : refusal.body,
    requestId,
    refusal.headers,
  );
  const challenge = refusal.headers["www-authenticate"];
  if (rules.resourceMetadata && (refusal.status === 401 || challenge !== undefined)) {
    reply.headers["www-authenticate"] = addParameter(
      challenge ?? "",
      `resource_metadata="${rules.resourceMetadata(publicUrl)}"`,
    );
  }
  return reply;
}

/** Adds a parameter to the Bearer challenge, which is created if the header has none. */
function addParameter(challenge: string, parameter: string): string {
  const bearer = /\bBearer realm="[^"]*"/.exec(challenge);
  if (!bearer) return challenge ? `Bearer ${parameter}, ${challenge}` : `Bearer ${parameter}`;
  const end = bearer.index + bearer[0].length;
  return `${challenge.slice(0, end)}, ${parameter}${challenge.slice(end)}`;
}
