import { createHmac, timingSafeEqual } from "node:crypto";
import type { HttpHeaders } from "../../../platform/http/index.ts";
import { isSameSecret } from "../../../platform/secrets.ts";
import type { Dialect } from "./dialect.ts";

/** Whether these bytes were signed with that secret. Takes the same time wherever the two differ. */
export type Proof = (body: Buffer, secret: string) => boolean;

/**
 * Returns the check of the request's signature, in the scheme of its dialect only. Undefined when the signature is
 * missing or malformed.
 */
export function createProof(dialect: Dialect, headers: HttpHeaders, now: number): Proof | undefined {
  switch (dialect) {
    case "github":
      return hexProof(headers["x-hub-signature-256"], "sha256=");
    case "bitbucket":
      return hexProof(headers["x-hub-signature"], "sha256=");
    case "gitea":
      return hexProof(headers["x-gitea-signature"], "");
    case "forgejo":
      return hexProof(headers["x-forgejo-signature"], "");
    case "gitlab":
      return isSigned(headers) ? signedProof(headers, now) : tokenProof(headers["x-gitlab-token"]);
  }
}

/** Why a delivery was refused. Shown to people who can read the connector, never to the sender. */
export const refusalReasons = [
  "unknown_code_host",
  "other_code_host",
  "signature_missing",
  "signature_malformed",
  "timestamp_out_of_range",
  "signature_mismatch",
  "no_webhook_secret",
] as const;
export type RefusalReason = (typeof refusalReasons)[number];

/** Finds out why `createProof` returned undefined. */
export function findMissingProof(dialect: Dialect, headers: HttpHeaders, now: number): RefusalReason {
  if (dialect === "gitlab" && isSigned(headers)) {
    const timestamp = headers["webhook-timestamp"];
    if (!headers["webhook-id"] || !timestamp || !headers["webhook-signature"]) return "signature_missing";
    return isWithinTolerance(timestamp, now) ? "signature_malformed" : "timestamp_out_of_range";
  }
  return headers[signatureHeader[dialect]] ? "signature_malformed" : "signature_missing";
}

const signatureHeader: Record<Dialect, string> = {
  github: "x-hub-signature-256",
  gitlab: "x-gitlab-token",
  gitea: "x-gitea-signature",
  forgejo: "x-forgejo-signature",
  bitbucket: "x-hub-signature",
};

const hexDigest = /^[0-9a-f]{64}$/i;

function hexProof(header: string | undefined, prefix: string): Proof | undefined {
  if (!header?.startsWith(prefix) || !hexDigest.test(header.slice(prefix.length))) return undefined;
  const sentDigest = Buffer.from(header.slice(prefix.length), "hex");
  return (body, secret) => timingSafeEqual(createHmac("sha256", secret).update(body).digest(), sentDigest);
}

function tokenProof(header: string | undefined): Proof | undefined {
  if (!header) return undefined;
  // Node decodes headers as Latin-1, and GitLab sends UTF-8.
  const token = Buffer.from(header, "latin1").toString("utf8");
  return (_body, secret) => isSameSecret(token, secret);
}

const isSigned = (headers: HttpHeaders) =>
  ["webhook-signature", "webhook-timestamp", "webhook-id"].some((name) => headers[name] !== undefined);

/** How far the sender's clock and ours may be apart, and how long a signed request can be sent again. */
const toleranceSeconds = 5 * 60;
const maxSignatures = 10;

const isWithinTolerance = (timestamp: string, now: number) =>
  /^\d{1,12}$/.test(timestamp) && Math.abs(now / 1000 - Number(timestamp)) <= toleranceSeconds;

/** Standard Webhooks: id, time and body are signed. There are several signatures while keys change. */
function signedProof(headers: HttpHeaders, now: number): Proof | undefined {
  const id = headers["webhook-id"];
  const timestamp = headers["webhook-timestamp"];
  const signatures = headers["webhook-signature"];
  if (!id || !timestamp || !signatures || !isWithinTolerance(timestamp, now)) return undefined;
  const parsedSignatures = signatures
    .split(" ", maxSignatures)
    .flatMap((entry) =>
      /^v1,[A-Za-z0-9+/]{43}=$/.test(entry) ? [Buffer.from(entry.slice(3), "base64")] : [],
    );
  if (parsedSignatures.length === 0) return undefined;
  const head = Buffer.from(`${id}.${timestamp}.`, "latin1");
  return (body, secret) => {
    const expected = createHmac("sha256", signingKey(secret)).update(head).update(body).digest();
    let isValid = false;
    for (const one of parsedSignatures) isValid = timingSafeEqual(expected, one) || isValid;
    return isValid;
  };
}

/** A signing token of GitLab is `whsec_` and the key in base64. Any other text is the key itself. */
function signingKey(secret: string): Buffer {
  const encoded = /^whsec_([A-Za-z0-9+/]{16,}={0,2})$/.exec(secret)?.[1];
  return encoded ? Buffer.from(encoded, "base64") : Buffer.from(secret);
}
