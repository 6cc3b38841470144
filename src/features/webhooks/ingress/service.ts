import { randomBytes } from "node:crypto";
import { createCapacity } from "../../../platform/capacity.ts";
import type { Ctx, OrgId } from "../../../platform/context.ts";
import { invalidField, Refusal, unavailable } from "../../../platform/errors.ts";
import { type HttpHeaders, networkOf } from "../../../platform/http/index.ts";
import { newId } from "../../../platform/ids.ts";
import { type HookSecret, type News, secretsOf } from "../../connectors/index.ts";
import {
  codehostsOf,
  type Dialect,
  deliveryIdOf,
  dialectOf,
  eventOf,
  headersToKeep,
  proofOf,
  type Read,
  type Reading,
  read,
} from "../dialects/index.ts";
import { collectorOf } from "./collector.ts";
import { bodyLimit, type Reason } from "./contract.ts";
import { recordByItself } from "./record.ts";
import type { Delivery, Verdict } from "./store.ts";

interface Knock {
  /** The only dialect that is taken here. */
  only: Dialect | undefined;
  connector: string | undefined;
  headers: HttpHeaders;
  readBytes(): Promise<Buffer>;
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
  if (connector === undefined && ctx.config.codehostWebhookSecrets.length === 0) throw notConfigured;
  const dialect = dialectOf(headers);
  const proof =
    dialect && (only === undefined || only === dialect) ? proofOf(dialect, headers, Date.now()) : undefined;
  // Said without a look at the body or at the database.
  if (!dialect || !proof) return invalidSignature;
  const entering = enter(ctx, headers);
  const leave = entering && (await entering);
  try {
    const found = connector === undefined ? undefined : await secretsOf(ctx, connector);
    const body = await readBytes();
    const secrets = found?.secrets ?? ctx.config.codehostWebhookSecrets.map(ofInstance);
    // Where there is no secret the work is done all the same: no connector and a bad signature look alike.
    const secret = (secrets.length > 0 ? secrets : decoys).find((one) => proof(body, one.secret));
    if (!secret) return invalidSignature;
    const sender: Sender = {
      connector:
        connector !== undefined && found?.orgId
          ? { id: connector, orgId: found.orgId, secretId: secret.id }
          : null,
    };
    return await accept(ctx, sender, dialect, headers, body);
  } finally {
    leave?.();
  }
}

const notConfigured = new Refusal(503, { ok: false, error: "webhook secret not configured" });
const ofInstance = (secret: string): HookSecret => ({ id: "", secret });
const decoys = [{ id: "", secret: randomBytes(32).toString("base64url") }];

/** As large as a push of a few hundred commits. */
const largeBody = 256 * 1024;
/**
 * A body is there once as it came, once as text and once on its way to the database, so that four of the
 * largest are some 400 MiB. Whoever waits is not read from: what they send stays with them.
 */
const large = createCapacity({ total: 4, perKey: 3, waitMs: 4_000, waiting: 64, waitingPerKey: 48 });

/** A place for a large body; small ones need none. */
function enter({ address }: Ctx, headers: HttpHeaders): Promise<() => void> | undefined {
  const announced = headers["content-length"];
  const size = announced === undefined ? bodyLimit : Number(announced);
  // One that is too large is refused without being read.
  if (size <= largeBody || size > bodyLimit) return undefined;
  return large.enter(networkOf(address)).then((leave) => {
    if (leave) return leave;
    throw unavailable("Too many large deliveries at the moment. Try again shortly.", 5);
  });
}

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
