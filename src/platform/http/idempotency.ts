import { createHash } from "node:crypto";
import type { Caller, Ctx, OrganizationRights } from "../context.ts";
import { conflict, forbidden, invalidField } from "../errors.ts";
import { toNetwork } from "./address.ts";
import * as store from "./store.ts";
import {
  checkKeys,
  countReply,
  exceedsLimits,
  type IdempotencyLimits,
  type Reply,
  refuseReplyWithoutBody,
  removeBody,
} from "./stored-replies.ts";

/** A request with an Idempotency-Key, and the rights that the handler checks. */
export interface RepeatableRequest {
  operation: string;
  bytes: Buffer;
  /** Undefined on routes that are not about an organization. */
  rights: OrganizationRights | undefined;
  limits: IdempotencyLimits;
}

/** The rights of the caller when the reply was made. */
interface Rights {
  /** Null for a machine. */
  memberId: string | null;
  role: string | null;
  permissions: string[];
}

interface StoredReply extends Reply {
  rights: Rights | null;
}

/** Minimum length of a key without a credential. Only the key then keeps the reply from others on the same network. */
export const publicKeyLength = 16;

/**
 * Runs a creating request once per key. The effect and the record of its reply commit together, so a crash leaves both
 * or neither; a second request with the key waits for the first by the primary key. Refusals are not kept, so a
 * corrected request can use the same key.
 */
export async function runOncePerKey(
  ctx: Ctx,
  key: string,
  { operation, bytes, rights: now, limits }: RepeatableRequest,
  handle: (ctx: Ctx) => Promise<Reply>,
): Promise<Reply & { replayed: boolean }> {
  checkKey(key, ctx.caller ? 1 : publicKeyLength);
  const scope = createScope(ctx, now);
  const rights = now ? toRights(now, ctx.caller) : null;
  const hash = createHash("sha256").update(operation).update("\0").update(bytes).digest("base64url");
  const owners = now ? [scope, now.orgId] : [scope];
  return ctx.db.transaction(async (tx) => {
    const place = { table: "idempotency_keys", row: `${scope} ${key}`, column: "reply" };
    const insertedKeys = await store.claimKey(tx, scope, key, hash);
    if (insertedKeys === 0) {
      const first = await store.findReply(tx, scope, key);
      if (first?.requestHash !== hash) {
        throw conflict(
          "idempotency_conflict",
          "This Idempotency-Key was used for a different request. Use a new key for a new request.",
        );
      }
      const { rights: then, ...kept } = JSON.parse(ctx.keyring.open(first.reply, place)) as StoredReply;
      checkRights(then, rights);
      refuseReplyWithoutBody(kept);
      return { ...kept, replayed: true };
    }
    const usage = await checkKeys(tx, owners, limits);
    const reply = await handle({ ...ctx, db: tx });
    // A reply may hold a secret that is shown once, so it is sealed like one.
    const seal = (kept: Reply) => ctx.keyring.seal(JSON.stringify({ ...kept, rights }), place);
    const whole = seal(reply);
    const kept = exceedsLimits(whole.length, usage, limits) ? seal(removeBody(reply)) : whole;
    await store.saveReply(tx, scope, key, kept);
    await countReply(tx, owners, kept.length);
    return { ...reply, replayed: false };
  });
}

/** True when the key has a reply, so that the request will not be executed again. */
export const hasReply = async (
  ctx: Ctx,
  key: string,
  rights: OrganizationRights | undefined,
): Promise<boolean> => (await store.findReply(ctx.db, createScope(ctx, rights), key)) !== undefined;

function checkKey(key: string, minLength: number): void {
  if (!/^[\x21-\x7e]{1,255}$/.test(key))
    throw invalidField(["Idempotency-Key"], "Must be 1 to 255 visible ASCII characters.");
  if (key.length < minLength) {
    throw invalidField(
      ["Idempotency-Key"],
      `Without a credential it must have at least ${minLength} characters. Use a random one, such as a UUID.`,
    );
  }
}

/**
 * A key belongs to one credential in one organization, so a reply never reaches another credential of the same person,
 * which may have fewer rights. Without a credential it belongs to the network.
 */
function createScope({ caller, address }: Ctx, rights: OrganizationRights | undefined): string {
  const owner = caller ? `${caller.credential} ${caller.credentialId}` : `public ${toNetwork(address)}`;
  return `${owner} ${rights?.orgId ?? "-"}`;
}

const toRights = ({ permissions }: OrganizationRights, caller: Caller | undefined): Rights => ({
  memberId: caller?.member?.id ?? null,
  role: caller?.member?.role ?? null,
  permissions: [...permissions].sort(),
});

/**
 * Withholds the reply when the caller's role changed or a permission was lost, because the handler might refuse now.
 * The access that the contract declares was already checked.
 */
function checkRights(then: Rights | null, now: Rights | null): void {
  if (then === null) return;
  const same =
    now?.memberId === then.memberId &&
    now.role === then.role &&
    then.permissions.every((name) => now.permissions.includes(name));
  if (!same) {
    throw forbidden(
      "rights_changed",
      "Your role or permissions changed after this request was made, so its reply is not repeated. Read what it created, or send the request under a new Idempotency-Key.",
    );
  }
}

/** Replies of the last day; the row of the place is both parts of the primary key. */
export const sealedReplies = { table: "idempotency_keys", id: "scope || ' ' || key", column: "reply" };
