import { isUtf8 } from "node:buffer";
import type { MemberCtx } from "../../../platform/context.ts";
import { conflict, notFound, Refusal } from "../../../platform/errors.ts";
import { readPage } from "../../../platform/http/index.ts";
import { isId } from "../../../platform/ids.ts";
import { record } from "../../audit/index.ts";
import { findTargets, follow, secretsOf } from "../../connectors/index.ts";
import { codehostsOf, read } from "../dialects/index.ts";
import { addTargetsOfAll, setVerdictOfAll } from "../ingress/index.ts";
import type { ListQuery, WebhookDeliveryDetail } from "./contract.ts";
import * as store from "./store.ts";

export async function list({ db, orgId }: MemberCtx, query: ListQuery) {
  return readPage(store.list(db, orgId, query), query);
}

/** More than anybody reads; a push of many commits can have 25. */
const shownBytes = 1024 * 1024;

export async function get(ctx: MemberCtx, id: string): Promise<{ delivery: WebhookDeliveryDetail }> {
  const delivery = await find(ctx, id);
  const contents = ctx.member.permissions.has("connectors:manage")
    ? await store.findContents(ctx.db, ctx.orgId, delivery.id, shownBytes)
    : undefined;
  if (!contents?.body) {
    const headers = contents?.headers ?? null;
    return { delivery: { ...delivery, headers, body: null, bodyEncoding: null, bodyTruncated: false } };
  }
  const bytes = Buffer.from(contents.body.buffer, contents.body.byteOffset, contents.body.byteLength);
  const bodyTruncated = (delivery.bodyBytes ?? 0) > bytes.length;
  // Cut in the middle of a letter it is still text.
  const bodyEncoding = isUtf8(bytes) || (bodyTruncated && isUtf8(wholeLetters(bytes))) ? "utf-8" : "base64";
  const shown =
    bodyEncoding === "utf-8"
      ? await withoutSecrets(ctx, contents.scope, wholeLetters(bytes).toString("utf8"))
      : bytes.toString("base64");
  return { delivery: { ...delivery, headers: contents.headers, body: shown, bodyEncoding, bodyTruncated } };
}

/** Some code hosts wrote the secret into what they signed with it. */
async function withoutSecrets(ctx: MemberCtx, scope: string, text: string): Promise<string> {
  const secrets =
    scope === "instance"
      ? ctx.config.codehostWebhookSecrets
      : (await secretsOf(ctx, scope)).secrets.map(({ secret }) => secret);
  // Quoted: a secret that is also a word leaves the word alone.
  return secrets.reduce((shown, secret) => shown.replaceAll(JSON.stringify(secret), '"[redacted]"'), text);
}

/** Without the beginning of a letter at the end. */
function wholeLetters(bytes: Buffer): Buffer {
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
  const outcome = await ctx.db.transaction(async (tx) => {
    const stored = isId("whd", id) ? await store.findToReplay(tx, orgId, id) : undefined;
    if (!stored || !isId("whd", id)) throw notFound("webhook_delivery");
    const deliveryId = id;
    if (!stored.isBodyStored && stored.outcome !== "invalid") {
      throw conflict(
        "delivery_body_not_stored",
        "The body of a delivery that was ignored is not stored. Send it again from the code host.",
      );
    }
    const { news } = readAgain(stored);
    if (news.is === "ignored") return { queued: false, reason: news.reason };
    const connectorId = stored.scope === "instance" ? null : stored.scope;
    // Whoever asks for it, asks for their own connectors.
    const audience = { codehosts: codehostsOf(stored.dialect), connectorId, orgId };
    const targets = await findTargets(tx, news, audience);
    if (typeof targets === "string") return { queued: false, reason: targets };
    // Connectors first, as when it came.
    if (!(await store.hold(tx, orgId, deliveryId))) throw notFound("webhook_delivery");
    const queued = await follow(ctx, tx, news, targets, { again: false, headUnproven: connectorId === null });
    await addTargetsOfAll(tx, deliveryId, targets, queued);
    await setVerdictOfAll(tx, deliveryId, { outcome: "accepted", reason: null });
    await record(ctx, tx, {
      action: "webhook_delivery.replayed",
      target: { type: "webhook_delivery", id },
      after: { queued: queued.size > 0 },
    });
    return { queued: queued.size > 0, reason: null };
  });
  return { delivery: await find(ctx, id), ...outcome };
}

function readAgain({
  dialect,
  event,
  contentType,
  body,
}: NonNullable<Awaited<ReturnType<typeof store.findToReplay>>>) {
  try {
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    return read({ dialect, event, contentType: contentType ?? "", body: bytes });
  } catch (error) {
    if (error instanceof Refusal)
      throw conflict(
        "delivery_invalid",
        "What is stored is not what its event says. Send it again from the code host.",
      );
    throw error;
  }
}
