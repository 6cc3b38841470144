import { createHmac } from "node:crypto";

export interface SignedMessage {
  id: string;
  /** Seconds since 1970. */
  timestamp: number;
  body: string;
}

/** The headers of Standard Webhooks, with a signature for each secret: receivers may still use the previous secret. */
export function createSignatureHeaders(
  { id, timestamp, body }: SignedMessage,
  secrets: readonly string[],
): Record<string, string> {
  const content = `${id}.${timestamp}.${body}`;
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": secrets.map((secret) => `v1,${sign(secret, content)}`).join(" "),
  };
}

const sign = (secret: string, content: string) =>
  createHmac("sha256", Buffer.from(secret.slice("whsec_".length), "base64"))
    .update(content)
    .digest("base64");
