import type { Db } from "../db/index.ts";
import { conflict } from "../errors.ts";
import * as store from "./store.ts";

export interface Reply {
  status: number;
  body: unknown;
}

/** Daily limits of kept replies for an organization. One credential may use half of them. */
export interface IdempotencyLimits {
  keys: number;
  bytes: number;
}

/** Limits for requests outside of an organization. */
export const defaultCredentialLimits: IdempotencyLimits = { keys: 10_000, bytes: 16 * 1024 * 1024 };

/** Maximum size of one sealed reply. Nearly all replies are far smaller. */
const maxReplyBytes = 256 * 1024;

interface Usage extends IdempotencyLimits {
  owner: string;
}

/** The first owner is the credential, the second its organization. */
const computeShare = (i: number, owners: number, total: number) =>
  i === 0 && owners > 1 ? Math.ceil(total / 2) : total;

/** Returns the usage of today for each owner. Refuses a key beyond the limit. */
export async function checkKeys(
  tx: Db,
  owners: readonly string[],
  limits: IdempotencyLimits,
): Promise<readonly Usage[]> {
  const found = new Map((await store.findUsage(tx, owners)).map((row) => [row.owner, row]));
  const usage = owners.map((owner) => found.get(owner) ?? { owner, keys: 0, bytes: 0 });
  for (const [i, { keys }] of usage.entries()) {
    const limit = computeShare(i, owners.length, limits.keys);
    if (keys >= limit) {
      throw conflict(
        "quota_exceeded",
        `Today ${keys} requests had an Idempotency-Key, and the limit is ${limit}. Send the request without a key, or tomorrow (UTC).`,
        { quota: "idempotency_keys", limit, used: keys },
      );
    }
  }
  return usage;
}

/** Returns true when a reply is too large to keep, alone or together with the replies of today. */
export const exceedsLimits = (size: number, usage: readonly Usage[], limits: IdempotencyLimits): boolean =>
  size > maxReplyBytes ||
  usage.some(({ bytes }, i) => bytes + size > computeShare(i, usage.length, limits.bytes));

/** Counts the reply at the end of the transaction, because all requests of an organization update the same row. */
export const countReply = (tx: Db, owners: readonly string[], bytes: number): Promise<void> =>
  tx.beforeCommit(async (last) => {
    await store.addUsage(last, owners, bytes);
  });

interface ReplyWithoutBody extends Reply {
  unkept: { id: string | null };
}

/** The record that is kept instead of a large reply: its status and the id of what it created. */
export function removeBody({ status, body }: Reply): ReplyWithoutBody {
  const created = Object.values((body ?? {}) as Record<string, unknown>).find(
    (one): one is { id: string } =>
      one !== null && typeof one === "object" && "id" in one && typeof one.id === "string",
  );
  return { status, body: null, unkept: { id: created?.id ?? null } };
}

/** Refuses to repeat a reply that was not kept. The request does not run again, and the error names the created id. */
export function refuseReplyWithoutBody(kept: Reply | ReplyWithoutBody): void {
  if (!("unkept" in kept)) return;
  const { id } = kept.unkept;
  throw conflict(
    "idempotency_reply_not_kept",
    `The first request with this Idempotency-Key succeeded with ${kept.status}${id ? ` and created ${id}` : ""}. Its reply is not kept, because it is large or too many were kept today. The request was not executed again.`,
    { firstStatus: kept.status, ...(id ? { id } : {}) },
  );
}
