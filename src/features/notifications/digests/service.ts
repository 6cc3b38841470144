import type { OrgId, Platform } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { Refusal } from "../../../platform/errors.ts";
import { countAttempt } from "../../../platform/http/index.ts";
import { composeDigest } from "./mails.ts";
import * as store from "./store.ts";

const daySeconds = 86_400;
/** Limit for the mails of one organization to one person. Mails beyond it are sent after the day. */
const userLimit = { attempts: 200, perSeconds: daySeconds };
const organizationLimit = { attempts: 3_000, perSeconds: daySeconds };

const soonPace: store.Pace = { quietSeconds: 60, windowSeconds: 600 };
const immediatePace: store.Pace = { quietSeconds: 0, windowSeconds: 0 };

const paces: Record<store.DigestType, store.Pace> = {
  "run.failed": soonPace,
  "connection.needs_attention": soonPace,
  "budget.reached": immediatePace,
  "sync.failed": soonPace,
  "worker.unseen": soonPace,
  "mcp_connection.drift": soonPace,
  "mcp_connection.failing": soonPace,
  "mcp_approval.requested": immediatePace,
  "endpoint.disabled": immediatePace,
};

/** Adds an item to the next mail of these members, in the caller's transaction. */
export async function addToDigests(tx: Db, orgId: OrgId, addition: store.Addition): Promise<void> {
  if (addition.memberIds.length > 0) await store.add(tx, orgId, addition, paces[addition.type]);
}

const batchSize = 50;

/** Sends the digests that are due. */
export async function mailDueDigests(platform: Platform): Promise<void> {
  for (;;) {
    const due = await store.listDueAcrossOrganizations(platform.db, batchSize);
    for (const { orgId, memberId, topic } of due) {
      try {
        await platform.db.transaction((tx) => mailDigest(platform, tx, orgId, memberId, topic));
      } catch (error) {
        platform.log.warn({ memberId, topic, err: error }, "notification not mailed");
        await store.postpone(platform.db, orgId, memberId, topic, 300);
      }
    }
    if (due.length < batchSize || !platform.jobs.isReady()) return;
  }
}

async function mailDigest(
  { config, log, mail }: Platform,
  tx: Db,
  orgId: OrgId,
  memberId: string,
  topic: string,
): Promise<void> {
  const digest = await store.lockDue(tx, orgId, memberId, topic);
  if (!digest) return;
  if (!digest.verified) return void (await store.markMailed(tx, orgId, memberId, topic));
  const sent = await countSent(tx, orgId, digest);
  if ("retryAfterSeconds" in sent) {
    const { retryAfterSeconds } = sent;
    await store.postpone(tx, orgId, memberId, topic, retryAfterSeconds);
    const about = { memberId, topic, events: digest.pending, retryAfterSeconds };
    log.warn(about, "too many notification mails today, one was postponed");
    return;
  }
  await store.markMailed(tx, orgId, memberId, topic);
  await mail.send(tx, composeDigest(config.publicUrl, digest), sent);
}

/** These mails are rare and important, so the limit for a person does not apply. */
const isExempt = (type: store.DigestType) => type === "budget.reached" || type === "endpoint.disabled";

/** Counts one more mail. Returns the organization's mails of today, or the seconds until the limit allows another. */
async function countSent(
  tx: Db,
  orgId: OrgId,
  { type, userId }: store.Digest,
): Promise<{ sentToday: number } | { retryAfterSeconds: number }> {
  try {
    if (!isExempt(type)) await countAttempt(tx, `notification mails of ${orgId} to ${userId}`, userLimit);
    return { sentToday: await countAttempt(tx, `notification mails of ${orgId}`, organizationLimit) };
  } catch (error) {
    if (error instanceof Refusal)
      return { retryAfterSeconds: Number(error.headers["retry-after"] ?? daySeconds) };
    throw error;
  }
}
