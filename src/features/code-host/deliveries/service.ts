import { isUtf8 } from "node:buffer";
import type { MemberCtx } from "../../../platform/context.ts";
import { conflict, notFound, Refusal } from "../../../platform/errors.ts";
import { readPage } from "../../../platform/http/index.ts";
import { isId } from "../../../platform/ids.ts";
import { record } from "../../audit/index.ts";
import { listCodeHosts, parseAnySize } from "../dialects/index.ts";
import { applyEvent, findTargets } from "../events/index.ts";
import { addTargetsAcrossOrganizations, setVerdictAcrossOrganizations } from "../ingress/index.ts";
import { secretCache } from "../secrets/index.ts";
import type { ListQuery, WebhookDeliveryDetail } from "./contract.ts";
import * as store from "./store.ts";

export async function list({ db, orgId }: MemberCtx, query: ListQuery) {
  return readPage(store.list(db, orgId, query), query, "whd");
}

/** The body of a large push can have 25 MiB. */
const maxShownBytes = 1024 * 1024;

export async function get(ctx: MemberCtx, id: string): Promise<{ delivery: WebhookDeliveryDetail }> {
  const delivery = await find(ctx, id);
  const contents = ctx.member.permissions.has("connectors:manage")
    ? await store.findContents(ctx.db, ctx.orgId, delivery.id, maxShownBytes)
    : undefined;
  if (!contents?.body) {
    const headers = contents?.headers ?? null;
    return { delivery: { ...delivery, headers, body: null, bodyEncoding: null, bodyTruncated: false } };
  }
  const bytes = Buffer.from(contents.body.buffer, contents.body.byteOffset, contents.body.byteLength);
  const bodyTruncated = (delivery.bodyBytes ?? 0) > bytes.length;
  // A body that was cut inside a character is still text.
  const bodyEncoding =
    isUtf8(bytes) || (bodyTruncated && isUtf8(cutToWholeCharacters(bytes))) ? "utf-8" : "base64";
  const shown =
    bodyEncoding === "utf-8"
      ? await redactSecrets(ctx, contents.scope, cutToWholeCharacters(bytes).toString("utf8"))
      : bytes.toString("base64");
  return { delivery: { ...delivery, headers: contents.headers, body: shown, bodyEncoding, bodyTruncated } };
}

/** Some code hosts include the secret in the body. */
async function redactSecrets(ctx: MemberCtx, scope: string, text: string): Promise<string> {
  const secrets =
    scope === "instance"
      ? ctx.config.codehostWebhookSecrets
      : (await ctx.state.get(secretCache).find(ctx.db, scope)).secrets.map(({ secret }) => secret);
  // With the quotes, so that other text that contains the same word is not changed.
  return secrets.reduce((shown, secret) => shown.replaceAll(JSON.stringify(secret), '"[redacted]"'), text);
}

/** Removes an incomplete character at the end. */
function cutToWholeCharacters(bytes: Buffer): Buffer {
  for (let cut = 0; cut < 4 && cut < bytes.length; cut++) {
    const whole = bytes.subarray(0, bytes.length - cut);
    if (isUtf8(whole)) return whole;
  }
  return bytes;
}

async function find({ db, orgId }: MemberCtx, id: string) {
  const delivery = isId("whd", id) ? await store.find(db, orgId, id) : undefined;
  if (!delivery) throw notFound("webhook_delivery");
  return delivery;
}

export async function replay(ctx: MemberCtx, id: string) {
  const { orgId } = ctx;
  const stored = isId("whd", id) ? await store.findToReplay(ctx.db, orgId, id) : undefined;
  if (!stored || !isId("whd", id)) throw notFound("webhook_delivery");
  const deliveryId = id;
  if (!stored.isBodyStored && stored.outcome !== "invalid") {
    throw conflict(
      "delivery_body_not_stored",
      "The body of a delivery that was ignored is not stored. Send it again from the code host.",
    );
  }
  // A large body is parsed in a thread, so no transaction waits for it.
  const { event } = await parseAgain(ctx, stored);
  if (event.type === "ignored") return { delivery: await find(ctx, id), queued: false, reason: event.reason };
  const outcome = await ctx.db.transaction(async (tx) => {
    const connectorId = stored.scope === "instance" ? null : stored.scope;
    // Only connectors of the organization that requested the replay.
    const scope = { codehosts: listCodeHosts(stored.dialect), connectorId, orgId };
    const targets = await findTargets(tx, event, scope);
    if (typeof targets === "string") return { queued: false, reason: targets };
    // Connectors are locked before the delivery, like when it arrived.
    if (!(await store.lock(tx, orgId, deliveryId))) throw notFound("webhook_delivery");
    const queued = await applyEvent(ctx, tx, event, targets, {
      isRepeated: false,
      headUnproven: connectorId === null,
    });
    await addTargetsAcrossOrganizations(tx, deliveryId, targets, queued);
    await setVerdictAcrossOrganizations(tx, deliveryId, { outcome: "accepted", reason: null });
    await record(ctx, tx, {
      action: "webhook_delivery.replayed",
      target: { type: "webhook_delivery", id },
      after: { queued: queued.size > 0 },
    });
    return { queued: queued.size > 0, reason: null };
  });
  return { delivery: await find(ctx, id), ...outcome };
}

type StoredDelivery = NonNullable<Awaited<ReturnType<typeof store.findToReplay>>>;

async function parseAgain({ sandbox }: MemberCtx, { dialect, event, contentType, body }: StoredDelivery) {
  try {
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    return await parseAnySize(sandbox, { dialect, event, contentType: contentType ?? "", body: bytes });
  } catch (error) {
    if (error instanceof Refusal && error.status === 400)
      throw conflict(
        "delivery_invalid",
        "What is stored is not what its event says. Send it again from the code host.",
      );
    throw error;
  }
}
