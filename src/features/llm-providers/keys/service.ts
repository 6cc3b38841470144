import type { MemberCtx } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { conflict, notFound } from "../../../platform/errors.ts";
import { countAttempt, cutPageById, type PageQuery, readIdCursor } from "../../../platform/http/index.ts";
import { isId, newId } from "../../../platform/ids.ts";
import { record } from "../../audit/index.ts";
import { takeQuota } from "../../quotas/index.ts";
import { providerKinds } from "../catalogue/index.ts";
import { requireProvider } from "../find.ts";
import * as providers from "../store.ts";
import type { LlmProviderKey } from "./contract.ts";
import { openKey, sealKey } from "./sealing.ts";
import * as store from "./store.ts";
import { testKey } from "./test-key.ts";

const tailLength = 4;
const testLimit = { attempts: 30, perSeconds: 60 };

export async function list(ctx: MemberCtx, id: string, query: PageQuery) {
  const provider = await requireProvider(ctx.db, ctx.orgId, null, id);
  const rows = await store.list(ctx.db, ctx.orgId, provider.id, readIdCursor(query, "llk"), query.limit + 1);
  return cutPageById(rows, query);
}

export const create = (
  ctx: MemberCtx,
  id: string,
  { name, apiKey }: { name?: string | undefined; apiKey: string },
) =>
  ctx.db.transaction(async (tx) => {
    const provider = await lockProvider(tx, ctx, id);
    return { key: await addKey(ctx, tx, provider, { name: name ?? "Key", apiKey }) };
  });

/** Adds a key to a provider whose row is locked or new. */
export async function addKey(
  ctx: MemberCtx,
  tx: Db,
  provider: { id: providers.ProviderId; baseUrl: string },
  { name, apiKey }: { name: string; apiKey: string },
): Promise<LlmProviderKey> {
  const { keyring, orgId, member } = ctx;
  await takeQuota(ctx, tx, orgId, "llm_provider_keys");
  const id = newId("llk");
  const key = await store.insert(tx, orgId, {
    id,
    providerId: provider.id,
    name,
    secret: sealKey(keyring, { id, orgId, baseUrl: provider.baseUrl }, apiKey),
    // A short key is not shown in part.
    tail: apiKey.length >= 4 * tailLength ? apiKey.slice(-tailLength) : "",
    createdBy: member.id,
  });
  await recordChange(ctx, tx, "key_added", provider.id, { keyId: id, name, tail: key!.tail });
  return key!;
}

export const rotate = (
  ctx: MemberCtx,
  id: string,
  keyId: string,
  { apiKey, overlapSeconds }: { apiKey: string; overlapSeconds: number },
) =>
  ctx.db.transaction(async (tx) => {
    const { orgId } = ctx;
    const { provider, key: before } = await lockKey(tx, ctx, id, keyId);
    if (before.replacedBy !== null) {
      throw conflict(
        "key_already_rotated",
        `This key was rotated already. Rotate ${before.replacedBy} instead.`,
      );
    }
    const key = await addKey(ctx, tx, provider, { name: before.name, apiKey });
    await store.retire(tx, orgId, before.id, key.id, overlapSeconds);
    const previous = await store.find(tx, orgId, provider.id, before.id);
    await recordChange(ctx, tx, "key_rotated", provider.id, { keyId, replacedBy: key.id, overlapSeconds });
    return { key, previous: previous ? omitSecret(previous) : null };
  });

export const setDisabled = (ctx: MemberCtx, id: string, keyId: string, disabled: boolean) =>
  ctx.db.transaction(async (tx) => {
    const { provider, key } = await lockKey(tx, ctx, id, keyId);
    if ((key.status === "disabled") !== disabled) {
      await store.setDisabled(tx, ctx.orgId, key.id, disabled);
      await recordChange(ctx, tx, disabled ? "key_disabled" : "key_enabled", provider.id, { keyId });
    }
    return { key: omitSecret((await store.find(tx, ctx.orgId, provider.id, key.id))!) };
  });

export const remove = (ctx: MemberCtx, id: string, keyId: string): Promise<void> =>
  ctx.db.transaction(async (tx) => {
    const { provider, key } = await lockKey(tx, ctx, id, keyId);
    await store.remove(tx, ctx.orgId, key.id);
    await recordChange(ctx, tx, "key_removed", provider.id, { keyId, name: key.name, tail: key.tail });
  });

/** Asks the provider outside of any transaction, then keeps the result with the key. */
export async function test(
  ctx: MemberCtx,
  id: string,
  { keyId, model }: { keyId?: string | undefined; model?: string | undefined },
) {
  const { db, egress, keyring, orgId } = ctx;
  const provider = await requireProvider(db, orgId, null, id);
  const kind = providerKinds[provider.kind];
  const key = await findKeyToTest(ctx, provider.id, keyId);
  if (!key && !("keyOptional" in kind)) throw noUsableKey();
  await countAttempt(db, `llm-provider-test ${orgId}`, testLimit);
  const { baseUrl, models: allowed } = provider;
  const apiKey = key ? openKey(keyring, { id: key.id, orgId, baseUrl }, key.secret) : null;
  const result = await testKey(egress.forOrganization(orgId), { kind, baseUrl, apiKey, model, allowed });
  await db.transaction(async (tx) => {
    if (key) await store.recordTest(tx, orgId, key.id, result.verdict, result.message);
    const { verdict } = result;
    await recordChange(ctx, tx, "tested", provider.id, {
      keyId: key?.id ?? null,
      model: model ?? null,
      verdict,
    });
  });
  return result;
}

export const noUsableKey = () =>
  conflict(
    "no_usable_key",
    "This provider has no key that is not disabled. An admin adds one with POST …/keys.",
  );

async function findKeyToTest({ db, orgId }: MemberCtx, providerId: string, keyId: string | undefined) {
  if (keyId === undefined) return store.findUsable(db, orgId, providerId);
  const key = isId("llk", keyId) ? await store.find(db, orgId, providerId, keyId) : undefined;
  if (!key) throw noKey();
  return key;
}

const noKey = () => notFound("llm_provider_key");

async function lockProvider(tx: Db, { orgId }: MemberCtx, id: string) {
  const provider = isId("llp", id) ? await providers.lock(tx, orgId, id) : undefined;
  if (!provider) throw notFound("llm_provider");
  return provider;
}

async function lockKey(tx: Db, ctx: MemberCtx, id: string, keyId: string) {
  const provider = await lockProvider(tx, ctx, id);
  const key = isId("llk", keyId) ? await store.lock(tx, ctx.orgId, provider.id, keyId) : undefined;
  if (!key) throw noKey();
  return { provider, key };
}

const omitSecret = ({ secret: _, ...key }: store.SealedKey): LlmProviderKey => key;

const recordChange = (ctx: MemberCtx, tx: Db, what: string, id: string, after: Record<string, unknown>) =>
  record(ctx, tx, { action: `llm_provider.${what}`, target: { type: "llm_provider", id }, after });
