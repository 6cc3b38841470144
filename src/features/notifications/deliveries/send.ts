import { printableLine } from "@signalbox/command-line";
import { EgressError } from "@signalbox/discovery/egress";
import { readRetryAfter } from "@signalbox/flow-control";
import type { Platform } from "../../../platform/context.ts";
import { openSecret } from "../endpoints/index.ts";
import type { Outcome } from "./schedule.ts";
import { createSignatureHeaders } from "./signature.ts";
import type { ClaimedDelivery } from "./store.ts";

const timeoutMs = 15_000;
const maxStoredBytes = 1_024;

export interface SendResult extends Outcome {
  response: string | null;
  error: string | null;
}

/** Sends a delivery once. Never throws: the result contains the outcome. */
export async function send(
  { egress, keyring, log }: Platform,
  delivery: ClaimedDelivery,
): Promise<SendResult> {
  const { id, orgId, endpointId, eventId, body, url } = delivery;
  try {
    const secrets = [openSecret(keyring, orgId, endpointId, "secret", delivery.secret)];
    if (delivery.previousSecret !== null)
      secrets.push(openSecret(keyring, orgId, endpointId, "previous_secret", delivery.previousSecret));
    const timestamp = Math.floor(Date.now() / 1000);
    const reply = await egress.forOrganization(orgId).open(url, {
      method: "POST",
      headers: {
        ...createSignatureHeaders({ id: eventId, timestamp, body }, secrets),
        "content-type": "application/json",
        "user-agent": "signalbox-webhooks",
        // People read the stored part of the response, so it must not be compressed.
        "accept-encoding": "identity",
      },
      body,
      timeoutMs,
      redirects: 0,
      // Only the first bytes are read, so the size of the response does not matter.
      maxBytes: Number.MAX_SAFE_INTEGER,
    });
    const response = await readStart(reply.chunks);
    reply.close();
    const retryAfterSeconds = readRetryAfter(reply.headers["retry-after"]?.[0], Date.now());
    return { status: reply.status, retryAfterSeconds, response, error: describeFailure(reply.status) };
  } catch (error) {
    if (!(error instanceof EgressError)) log.error({ deliveryId: id, err: error }, "webhook delivery failed");
    const message =
      error instanceof EgressError ? error.message : "An error in this service. Its log has the details.";
    return {
      status: null,
      retryAfterSeconds: null,
      response: null,
      error: printableLine(message).slice(0, 500).toWellFormed(),
    };
  }
}

function describeFailure(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return "The endpoint answered with a redirect, which is not followed.";
  if (status === 410) return "The endpoint answered 410 Gone, so it was disabled.";
  return `The endpoint answered ${status}.`;
}

/** Reads the start of the body. A body that breaks off is no error, because only the status counts. */
async function readStart(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of chunks) {
      parts.push(chunk);
      bytes += chunk.length;
      if (bytes >= maxStoredBytes) break;
    }
  } catch {
    // The body broke off. The part that arrived is kept.
  }
  const text = new TextDecoder().decode(Buffer.concat(parts).subarray(0, maxStoredBytes));
  return text.split("\n").map(printableLine).join("\n").slice(0, maxStoredBytes).toWellFormed();
}
