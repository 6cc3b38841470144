import type { OrgId, Platform } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { Refusal } from "../../../platform/errors.ts";
import { countAttempt } from "../../../platform/http/index.ts";
import { compose } from "./mails.ts";
import * as store from "./store.ts";

const day = 86_400;
/** However much goes wrong. What is beyond is mailed when the day is over. A person has this from each organization. */
const perUser = { attempts: 200, perSeconds: day };
const perOrganization = { attempts: 3_000, perSeconds: day };

const soon: store.Pace = { quietSeconds: 60, windowSeconds: 600 };
const atOnce: store.Pace = { quietSeconds: 0, windowSeconds: 0 };

const paces: Record<store.DigestType, store.Pace> = {
  "run.failed": soon,
  "connection.needs_attention": soon,
  "budget.reached": atOnce,
  "sync.failed": soon,
  "endpoint.disabled": atOnce,
};

/** Puts something into the next mail of these members. It commits with the caller's transaction. */
export async function collect(tx: Db, orgId: OrgId, addition: store.Addition): Promise<void> {
  if (addition.memberIds.length > 0) await store.add(tx, orgId, addition, paces[addition.type]);
}

const batch = 50;

/** Mails what has waited long enough. */
export async function mailDue(platform: Platform): Promise<void> {
  for (;;) {
    const due = await store.listDueAcrossOrganizations(platform.db, batch);
    for (const { orgId, memberId, topic } of due) {
      try {
        await platform.db.transaction((tx) => mailDigest(platform, tx, orgId, memberId, topic));
      } catch (error) {
        platform.log.warn({ memberId, topic, err: error }, "notification not mailed");
        await store.putOff(platform.db, orgId, memberId, topic, 300);
      }
    }
    if (due.length < batch || !platform.jobs.isReady()) return;
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
    await store.putOff(tx, orgId, memberId, topic, retryAfterSeconds);
    const about = { memberId, topic, events: digest.pending, retryAfterSeconds };
    log.warn(about, "too many notification mails today, one was put off");
    return;
  }
  await store.markMailed(tx, orgId, memberId, topic);
  await mail.send(tx, compose(config.publicUrl, digest), sent);
}

/** Rare, and nobody should miss them because of other mails. */
const isExempt = (type: store.DigestType) => type === "budget.reached" || type === "endpoint.disabled";

/** Counts one more mail. Says how many the organization has sent today, or when the limit is over. */
async function countSent(
  tx: Db,
  orgId: OrgId,
  { type, userId }: store.Digest,
): Promise<{ sentToday: number } | { retryAfterSeconds: number }> {
  try {
    if (!isExempt(type)) await countAttempt(tx, `notification mails of ${orgId} to ${userId}`, perUser);
    return { sentToday: await countAttempt(tx, `notification mails of ${orgId}`, perOrganization) };
  } catch (error) {
    if (error instanceof Refusal) return { retryAfterSeconds: Number(error.headers["retry-after"] ?? day) };
    throw error;
  }
}
