import { createHash } from "node:crypto";
import type { Caller, Ctx, OrgId } from "../context.ts";
import { conflict, invalidField } from "../errors.ts";
import * as store from "./store.ts";

export interface Reply {
  status: number;
  body: unknown;
}

/**
 * Runs a creating request once per key. The effect and the record of its reply commit together, so a
 * crash leaves both or neither; a second request with the key waits for the first by the primary key.
 * Refusals are not kept: what was wrong can be mended and sent again under the same key.
 */
export async function onceByKey(
  ctx: Ctx & { caller: Caller },
  key: string,
  { operation, orgId }: { operation: string; orgId: OrgId | undefined },
  requestBytes: Buffer,
  handle: (ctx: Ctx) => Promise<Reply>,
): Promise<Reply & { replayed: boolean }> {
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw invalidField(["Idempotency-Key"], "Must be 1 to 255 visible ASCII characters.");
  }
  // A key is the caller's own, in the organization that the route is about: a person's credentials share it.
  const scope = `${ctx.caller.userId ?? ctx.caller.credentialId} ${orgId ?? "-"}`;
  const hash = createHash("sha256").update(operation).update("\0").update(requestBytes).digest("base64url");
  return ctx.db.transaction(async (tx) => {
    const place = { table: "idempotency_keys", row: `${scope} ${key}`, column: "reply" };
    const mine = await store.takeKey(tx, scope, key, hash);
    if (mine === 0) {
      const first = await store.findReply(tx, scope, key);
      if (first?.requestHash !== hash) {
        throw conflict(
          "idempotency_conflict",
          "This Idempotency-Key was used for a different request. Use a new key for a new request.",
        );
      }
      return { ...(JSON.parse(ctx.keyring.open(first.reply, place)) as Reply), replayed: true };
    }
    const reply = await handle({ ...ctx, db: tx });
    // A reply may hold a secret that is shown once, so it is sealed like one.
    await store.keepReply(tx, scope, key, ctx.keyring.seal(JSON.stringify(reply), place));
    return { ...reply, replayed: false };
  });
}

/** Replies of the last day; the row of the place is both parts of the primary key. */
export const sealedReplies = { table: "idempotency_keys", id: "scope || ' ' || key", column: "reply" };
