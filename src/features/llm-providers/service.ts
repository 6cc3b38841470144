import { isLoopbackHost } from "@signalbox/discovery/egress";
import type { MemberCtx, Platform } from "../../platform/context.ts";
import { type Db, violatedConstraint } from "../../platform/db/index.ts";
import { conflict, invalidField, notFound } from "../../platform/errors.ts";
import { cutPageById, type PageQuery, readIdCursor } from "../../platform/http/index.ts";
import { isId, newId } from "../../platform/ids.ts";
import { record } from "../audit/index.ts";
import { takeQuota } from "../quotas/index.ts";
import { type KindName, type ProviderKind, providerKinds } from "./catalogue/index.ts";
import type { LlmProvider, NewProvider, ProviderChange } from "./contract.ts";
import { requireProvider } from "./find.ts";
import type { Subject } from "./grants/index.ts";
import { addKey, countKeys, findOrigin } from "./keys/index.ts";
import * as store from "./store.ts";

/** Whose grants decide what the caller sees. Null: the caller manages all providers. */
const resolveReach = ({ member }: MemberCtx): Subject | null =>
  member.permissions.has("llm_providers:manage") ? null : { kind: "member", id: member.id };

export async function list(ctx: MemberCtx, query: PageQuery) {
  const after = readIdCursor(query, "llp");
  return cutPageById(await store.list(ctx.db, ctx.orgId, resolveReach(ctx), after, query.limit + 1), query);
}

export async function read(ctx: MemberCtx, id: string): Promise<{ llmProvider: LlmProvider }> {
  return { llmProvider: await requireProvider(ctx.db, ctx.orgId, resolveReach(ctx), id) };
}

export function create(ctx: MemberCtx, { kind, name, baseUrl, apiKey, models = null }: NewProvider) {
  const { orgId, member } = ctx;
  const type: ProviderKind = providerKinds[kind];
  if (apiKey === undefined && !type.keyOptional)
    throw invalidField(["apiKey"], `${type.name} needs a key. Create one in its console and send it here.`);
  const provider = {
    id: newId("llp"),
    kind,
    name,
    baseUrl: chooseBaseUrl(ctx, kind, baseUrl),
    models,
    enabled: true,
    createdBy: member.id,
  };
  return refuseTakenNames(() =>
    ctx.db.transaction(async (tx) => {
      await takeQuota(ctx, tx, orgId, "llm_providers");
      await store.insert(tx, orgId, provider);
      await recordChange(ctx, tx, "created", provider.id, undefined, toAuditState(provider));
      if (apiKey !== undefined) await addKey(ctx, tx, provider, { name: "Key", apiKey });
      return { llmProvider: (await store.find(tx, orgId, null, provider.id))! };
    }),
  );
}

/** Refuses now what the egress guard would refuse later without a DNS lookup. */
function chooseBaseUrl(
  { egress }: Pick<Platform, "egress">,
  kind: KindName,
  given: string | undefined,
): string {
  const type: ProviderKind = providerKinds[kind];
  const text = given ?? type.baseUrl;
  if (text === null)
    throw invalidField(
      ["baseUrl"],
      `${type.name} has no fixed address. Give yours, such as ${type.example}.`,
    );
  const url = URL.parse(text);
  if (!url)
    throw invalidField(["baseUrl"], "This is not a URL. Give a URL such as https://llm.example.com/v1.");
  if (url.username !== "" || url.password !== "" || url.hash !== "" || url.search !== "")
    throw invalidField(["baseUrl"], "Give an address without user name, query and fragment.");
  // An address that only the network knows may become allowed later, so the guard decides again at each request.
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopbackHost(url.hostname)))
    throw invalidField(["baseUrl"], "Keys are only sent over https. Use an https address.");
  const refusal = egress.refusal(url);
  if (refusal) throw invalidField(["baseUrl"], refusal);
  return url.href.replace(/\/+$/, "");
}

export const change = (ctx: MemberCtx, id: string, input: ProviderChange) =>
  refuseTakenNames(() =>
    ctx.db.transaction(async (tx) => {
      const before = await lockProvider(tx, ctx, id);
      const baseUrl =
        input.baseUrl === undefined ? before.baseUrl : chooseBaseUrl(ctx, before.kind, input.baseUrl);
      if (
        findOrigin(baseUrl) !== findOrigin(before.baseUrl) &&
        (await countKeys(tx, ctx.orgId, before.id)) > 0
      ) {
        throw conflict(
          "keys_bound_to_address",
          `The keys of this provider were given for ${findOrigin(before.baseUrl)} and are not sent elsewhere. Delete them first, or add another provider.`,
        );
      }
      const after = {
        name: input.name ?? before.name,
        baseUrl,
        models: input.models === undefined ? before.models : input.models,
        enabled: input.enabled ?? before.enabled,
      };
      await store.update(tx, ctx.orgId, before.id, after);
      await recordChange(ctx, tx, "changed", id, toAuditState(before), toAuditState({ ...before, ...after }));
      return { llmProvider: (await store.find(tx, ctx.orgId, null, before.id))! };
    }),
  );

export const remove = (ctx: MemberCtx, id: string): Promise<void> =>
  ctx.db.transaction(async (tx) => {
    const before = await lockProvider(tx, ctx, id);
    await store.remove(tx, ctx.orgId, before.id);
    await recordChange(ctx, tx, "removed", id, toAuditState(before));
  });

async function lockProvider(tx: Db, { orgId }: MemberCtx, id: string) {
  const provider = isId("llp", id) ? await store.lock(tx, orgId, id) : undefined;
  if (!provider) throw notFound("llm_provider");
  return provider;
}

type AuditState = Pick<LlmProvider, "kind" | "name" | "baseUrl" | "models" | "enabled">;
const toAuditState = ({ kind, name, baseUrl, models, enabled }: AuditState): AuditState => ({
  kind,
  name,
  baseUrl,
  models,
  enabled,
});

const recordChange = (
  ctx: MemberCtx,
  tx: Db,
  what: string,
  id: string,
  before?: AuditState,
  after?: AuditState,
) => record(ctx, tx, { action: `llm_provider.${what}`, target: { type: "llm_provider", id }, before, after });

async function refuseTakenNames<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (violatedConstraint(error) === "llm_providers_name")
      throw conflict("llm_provider_name_taken", "Another provider has this name. Choose a different name.");
    throw error;
  }
}
