import { randomBytes } from "node:crypto";
import type { Ctx, OrgId } from "../../../platform/context.ts";
import { invalidField, Refusal } from "../../../platform/errors.ts";
import type { BodyAccount, HttpHeaders } from "../../../platform/http/index.ts";
import { newId } from "../../../platform/ids.ts";
import { type HookSecret, type News, secretsOf } from "../../connectors/index.ts";
import { overhead, quotaMeter } from "../../quotas/index.ts";
import {
  codehostsOf,
  type Dialect,
  deliveryIdOf,
  dialectOf,
  eventOf,
  findMissingProof,
  headersToKeep,
  proofOf,
  type Read,
  type Reading,
  type RefusalReason,
  read,
} from "../dialects/index.ts";
import { refusalLog } from "../refused/index.ts";
import { collectorOf } from "./collector.ts";
import type { Reason } from "./contract.ts";
import { accountForBody } from "./memory.ts";
import { recordByItself, storageFull } from "./record.ts";
import type { Delivery, Verdict } from "./store.ts";

interface Knock {
  /** The only dialect that is taken here. */
  only: Dialect | undefined;
  connector: string | undefined;
  headers: HttpHeaders;
  readBytes(account: BodyAccount): Promise<Buffer>;
}

const invalidSignature = {
  status: 401,
  body: { ok: false, error: "invalid signature" },
} as const;

/** Whose secret a delivery was signed with. */
export interface Sender {
  /** Null: the instance's. */
  connector: { id: string; orgId: OrgId; secretId: string } | null;
}

export async function receive(ctx: Ctx, { only, connector, headers, readBytes }: Knock) {
  const arrivedAt = performance.now();
  if (connector === undefined && ctx.config.codehostWebhookSecrets.length === 0) throw notConfigured;
  const dialect = dialectOf(headers);
  const now = Date.now();
  const isTaken = dialect !== undefined && (only === undefined || only === dialect);
  const proof = isTaken ? proofOf(dialect, headers, now) : undefined;
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
  if (!isTaken) return refuse("other_code_host");
  if (!proof) return refuse(findMissingProof(dialect, headers, now));
  const account = accountForBody(ctx);
  try {
    const found = connector === undefined ? undefined : await secretsOf(ctx, connector);
    const body = await readBytes(account);
    const verifies = ({ secret }: HookSecret) => proof(body, secret);
    let sender: Sender | undefined;
    if (connector === undefined || !found) {
      const secret = ctx.config.codehostWebhookSecrets.map(ofInstance).find(verifies);
      if (secret) sender = { connector: null };
    } else {
      // Without a secret a decoy is checked, so that an unknown connector and a bad signature take the same time.
      let secret = (found.secrets.length > 0 ? found.secrets : decoys).find(verifies);
      let { orgId } = found;
      if (!secret) {
        // The cached secrets may be older than this delivery. Only secrets that were not cached are tried.
        const fresh = await secretsOf(ctx, connector, arrivedAt);
        secret = fresh.secrets.filter(({ id }) => found.secrets.every((one) => one.id !== id)).find(verifies);
        orgId = fresh.orgId;
      }
      if (secret && orgId) sender = { connector: { id: connector, orgId, secretId: secret.id } };
    }
    if (!sender) return refuse(found?.secrets.length === 0 ? "no_webhook_secret" : "signature_mismatch");
    return await accept(ctx, sender, dialect, headers, body);
  } finally {
    account.release();
  }
}

const notConfigured = new Refusal(503, { ok: false, error: "webhook secret not configured" });
const ofInstance = (secret: string): HookSecret => ({ id: "", secret });
const decoys = [{ id: "", secret: randomBytes(32).toString("base64url") }];

const maxIdLength = 200;
const maxEventLength = 100;

async function accept(ctx: Ctx, { connector }: Sender, dialect: Dialect, headers: HttpHeaders, body: Buffer) {
  const event = eventOf(dialect, headers);
  const given = deliveryIdOf(dialect, headers);
  if (given && given.id.length > maxIdLength)
    throw invalidField([given.header], `Must have at most ${maxIdLength} characters.`);
  const id = newId("whd");
  const delivery = (about: Partial<Delivery>): Delivery => ({
    id,
    scope: connector?.id ?? "instance",
    // Without one of the code host's it can be shown, and never comes again.
    deliveryId: given?.id ?? id,
    orgId: connector?.orgId ?? null,
    dialect,
    event: event.slice(0, maxEventLength),
    action: null,
    repository: null,
    ref: null,
    head: null,
    installationId: null,
    headers: headersToKeep(dialect, headers),
    body,
    ...about,
  });
  const reply = (verdict: Verdict, queued: boolean) => {
    ctx.metrics.count("webhook_deliveries_total", { dialect, outcome: verdict.outcome });
    return verdict.outcome === "accepted"
      ? ({
          status: 202,
          body: { ok: true, accepted: true, event, deliveryId: given?.id ?? id, queued },
        } as const)
      : ({
          status: 200,
          body: { ok: true, accepted: false, reason: (verdict.reason ?? "event ignored") as Reason },
        } as const);
  };
  const ignore = (reason: Reason): Verdict => ({ outcome: "ignored", reason });
  const record = async (about: Partial<Delivery>, verdict: Verdict, news?: News) => {
    const recorded = await recordByItself(ctx, { connector }, delivery(about), verdict, news);
    return recorded ? reply(recorded.verdict, recorded.queued) : invalidSignature;
  };

  if (connector) {
    // Answered as ignored and not stored, so that the code host keeps sending. The sweep compares heads without
    // webhooks, so templates are still updated.
    const bytes = body.length + overhead.delivery;
    const full = await ctx.state.get(quotaMeter).refusal(ctx.db, connector.orgId, "webhook_storage", bytes);
    if (full) return reply(ignore(storageFull), false);
  }
  let reading: Read;
  try {
    reading = read({ dialect, event, contentType: headers["content-type"] ?? "", body });
  } catch (error) {
    // Whoever sets a connector up should see that something came, and what was wrong with it.
    if (connector && given && error instanceof Refusal)
      await record({}, { outcome: "invalid", reason: error.message });
    throw error;
  }
  const { action, news } = reading;
  const about = { action, ...subjectOf(news) };
  if (news.is === "ignored" || !given) {
    const verdict = ignore(news.is === "ignored" ? news.reason : "missing delivery id");
    return connector ? record(about, verdict) : reply(verdict, false);
  }
  const [change, ...more] = news.is === "push" ? news.changes : [];
  if (news.is === "push" && change?.head && more.length === 0) {
    const recorded = await collectorOf(ctx)({
      ...delivery(about),
      repository: news.repository,
      ref: change.ref,
      head: change.head,
      codehosts: codehostsOf(dialect),
      connectorId: connector?.id ?? null,
      secretId: connector?.secretId ?? null,
      syncId: newId("syn"),
    });
    if (recorded.stored) return reply({ outcome: "accepted", reason: null }, recorded.queued);
    // Of what nobody follows an instance hears a lot: it is not worth a second look.
    if (!connector && recorded.candidates === 0) return reply(ignore("no matching connector"), false);
  }
  return record(about, { outcome: "accepted", reason: null }, news);
}

/** What the delivery is about, for the list. */
function subjectOf(news: Reading): Partial<Delivery> {
  switch (news.is) {
    case "push":
      return {
        repository: news.repository,
        ref: news.changes[0]!.ref,
        head: news.changes[0]!.head,
        installationId: news.installationId,
      };
    case "repository":
      return { repository: news.repository, installationId: news.installationId };
    case "installation":
    case "installation repositories":
      return { installationId: news.installationId };
    default:
      return {};
  }
}
