import { randomBytes } from "node:crypto";
import type { Ctx } from "../../../platform/context.ts";
import { invalidField, Refusal } from "../../../platform/errors.ts";
import { type BodyAccount, type HttpHeaders, waitToParse } from "../../../platform/http/index.ts";
import { newId } from "../../../platform/ids.ts";
import { quotaMeter } from "../../quotas/index.ts";
import {
  type CodeHostEvent,
  createProof,
  type Dialect,
  detectDialect,
  findMissingProof,
  type IgnoredEvent,
  listCodeHosts,
  type ParsedDelivery,
  parseAnySize,
  type RefusalReason,
  readDeliveryId,
  readEventName,
  selectHeaders,
} from "../dialects/index.ts";
import { refusalLog } from "../refused/index.ts";
import { type SecretValue, secretCache } from "../secrets/index.ts";
import { accountForBody } from "./body-memory.ts";
import type { Reason } from "./contract.ts";
import { recordDelivery, type Sender, storageFull } from "./record-one.ts";
import { countBytes, pushRecorder } from "./recorder.ts";
import type { Delivery, Verdict } from "./store.ts";

interface IncomingDelivery {
  /** The only dialect that the URL accepts. Undefined when it accepts all. */
  only: Dialect | undefined;
  connector: string | undefined;
  headers: HttpHeaders;
  readBytes(account: BodyAccount): Promise<Buffer>;
}

const invalidSignature = {
  status: 401,
  body: { ok: false, error: "invalid signature" },
} as const;

export async function receiveDelivery(ctx: Ctx, { only, connector, headers, readBytes }: IncomingDelivery) {
  const arrivedAt = performance.now();
  if (connector === undefined && ctx.config.codehostWebhookSecrets.length === 0) throw notConfigured;
  const dialect = detectDialect(headers);
  const now = Date.now();
  const isAccepted = dialect !== undefined && (only === undefined || only === dialect);
  const proof = isAccepted ? createProof(dialect, headers, now) : undefined;
  const refuse = (reason: RefusalReason) => {
    const scope = connector === undefined ? "instance" : "connector";
    ctx.metrics.count("webhook_deliveries_refused_total", { scope, reason });
    // A delivery to the whole instance belongs to no organization that could read the record.
    if (connector !== undefined)
      ctx.state.get(refusalLog).note({
        connectorId: connector,
        address: ctx.address,
        dialect: dialect ?? null,
        reason,
      });
    return invalidSignature;
  };
  // Refused without reading the body or the database.
  if (dialect === undefined) return refuse("unknown_code_host");
  if (!isAccepted) return refuse("other_code_host");
  if (!proof) return refuse(findMissingProof(dialect, headers, now));
  const secrets = ctx.state.get(secretCache);
  const account = accountForBody(ctx);
  try {
    const body = await readBytes(account);
    // Looked up when the body is there: while it arrived, a secret may have been removed.
    const found = connector === undefined ? undefined : await secrets.find(ctx.db, connector);
    const verifies = ({ secret }: SecretValue) => proof(body, secret);
    let sender: Sender | undefined;
    if (connector === undefined || !found) {
      const secret = ctx.config.codehostWebhookSecrets.map(toSecretValue).find(verifies);
      if (secret) sender = { connector: null };
    } else {
      // Without a secret a decoy is checked, so that an unknown connector and a bad signature take the same time.
      let secret = (found.secrets.length > 0 ? found.secrets : decoys).find(verifies);
      let { orgId } = found;
      if (!secret) {
        // The cached secrets may be older than this delivery. Only secrets that were not cached are tried.
        const fresh = await secrets.find(ctx.db, connector, arrivedAt);
        secret = fresh.secrets.filter(({ id }) => found.secrets.every((one) => one.id !== id)).find(verifies);
        orgId = fresh.orgId;
      }
      if (secret && orgId) sender = { connector: { id: connector, orgId, secretId: secret.id } };
    }
    if (!sender) return refuse(found?.secrets.length === 0 ? "no_webhook_secret" : "signature_mismatch");
    return (await acceptDelivery(ctx, sender, dialect, headers, body)) ?? refuse("signature_mismatch");
  } finally {
    account.release();
  }
}

const notConfigured = new Refusal(503, { ok: false, error: "webhook secret not configured" });
const toSecretValue = (secret: string): SecretValue => ({ id: "", secret });
const decoys = [{ id: "", secret: randomBytes(32).toString("base64url") }];

const maxIdLength = 200;
const maxEventLength = 100;
/** After a longer wait, the secret is looked up again. */
const longWaitMs = 100;

/** Undefined when the secret, or the connector that the URL named, was removed meanwhile. */
async function acceptDelivery(
  ctx: Ctx,
  { connector }: Sender,
  dialect: Dialect,
  headers: HttpHeaders,
  body: Buffer,
) {
  const verifiedAt = performance.now();
  const eventName = readEventName(dialect, headers);
  const sentId = readDeliveryId(dialect, headers);
  if (sentId && sentId.id.length > maxIdLength)
    throw invalidField([sentId.header], `Must have at most ${maxIdLength} characters.`);
  const id = newId("whd");
  const delivery = (about: Partial<Delivery>): Delivery => ({
    id,
    scope: connector?.id ?? "instance",
    // A delivery without an id gets ours, so that it can be listed. It cannot be recognized when it is repeated.
    deliveryId: sentId?.id ?? id,
    orgId: connector?.orgId ?? null,
    dialect,
    event: eventName.slice(0, maxEventLength),
    action: null,
    repository: null,
    ref: null,
    head: null,
    installationId: null,
    headers: selectHeaders(dialect, headers),
    body,
    ...about,
  });
  const reply = ({ outcome, reason }: Verdict, queued: boolean) => {
    ctx.metrics.count("webhook_deliveries_total", { dialect, outcome });
    // When the id of an invalid delivery comes again with another body, `reason` is the stored text for people, which is
    // not part of the contract.
    const shownReason = outcome === "ignored" && reason !== null ? reason : "event ignored";
    return outcome === "accepted"
      ? ({
          status: 202,
          body: { ok: true, accepted: true, event: eventName, deliveryId: sentId?.id ?? id, queued },
        } as const)
      : ({
          status: 200,
          body: { ok: true, accepted: false, reason: shownReason as Reason },
        } as const);
  };
  const ignore = (reason: Reason): Verdict => ({ outcome: "ignored", reason });
  const record = async (about: Partial<Delivery>, verdict: Verdict, event?: CodeHostEvent) => {
    const recorded = await recordDelivery(ctx, { connector }, delivery(about), verdict, event);
    return recorded && reply(recorded.verdict, recorded.queued);
  };

  if (connector) {
    // Answered as ignored and not stored, so that the code host keeps sending. Heads are also compared without
    // webhooks, so templates are still updated.
    const bytes = countBytes({ body });
    const full = await ctx.state
      .get(quotaMeter)
      .findRefusal(ctx.db, connector.orgId, "webhook_storage", bytes);
    if (full) return reply(ignore(storageFull), false);
  }
  const turn = waitToParse(ctx, body, connector?.orgId);
  if (turn) await turn;
  let parsed: ParsedDelivery | Refusal;
  try {
    parsed = await parseAnySize(ctx.sandbox, {
      dialect,
      event: eventName,
      contentType: headers["content-type"] ?? "",
      body,
    });
  } catch (error) {
    // Other refusals, for example while the process stops, say nothing about the delivery.
    if (!(error instanceof Refusal) || error.status !== 400) throw error;
    parsed = error;
  }
  if (connector && performance.now() - verifiedAt > longWaitMs) {
    const { secrets } = await ctx.state.get(secretCache).find(ctx.db, connector.id);
    if (!secrets.some(({ id }) => id === connector.secretId)) return undefined;
  }
  if (parsed instanceof Refusal) {
    // People who set up a connector need to see that a delivery arrived, and what is wrong with it.
    if (sentId) await record({}, { outcome: "invalid", reason: parsed.message });
    throw parsed;
  }
  const { action, event } = parsed;
  const about = { action, ...describeSubject(event) };
  if (event.type === "ignored" || !sentId) {
    const verdict = ignore(event.type === "ignored" ? event.reason : "missing delivery id");
    // An application of a code host sends many events that concern nobody. They are answered without the database.
    const isUnimportant = !connector && (!sentId || verdict.reason === "event ignored");
    return isUnimportant ? reply(verdict, false) : record(about, verdict);
  }
  const [change, ...more] = event.type === "push" ? event.changes : [];
  if (event.type === "push" && change?.head && more.length === 0) {
    const recorded = await ctx.state.get(pushRecorder)({
      ...delivery(about),
      repository: event.repository,
      ref: change.ref,
      head: change.head,
      codehosts: listCodeHosts(dialect),
      connectorId: connector?.id ?? null,
      secretId: connector?.secretId ?? null,
      syncId: newId("syn"),
    });
    if (recorded.stored) return reply({ outcome: "accepted", reason: null }, recorded.queued);
    // Many deliveries to the instance concern no connector, so they are not looked up again.
    if (!connector && recorded.candidates === 0 && !recorded.isRepeated)
      return reply(ignore("no matching connector"), false);
  }
  return record(about, { outcome: "accepted", reason: null }, event);
}

/** The fields that the list of deliveries shows. */
function describeSubject(event: CodeHostEvent | IgnoredEvent): Partial<Delivery> {
  switch (event.type) {
    case "push":
      return {
        repository: event.repository,
        ref: event.changes[0]!.ref,
        head: event.changes[0]!.head,
        installationId: event.installationId,
      };
    case "repository":
      return { repository: event.repository, installationId: event.installationId };
    case "installation":
    case "installation repositories":
      return { installationId: event.installationId };
    default:
      return {};
  }
}
