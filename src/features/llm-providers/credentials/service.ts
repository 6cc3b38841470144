import type { OrganizationCtx } from "../../../platform/context.ts";
import { forbidden, invalidField, Refusal } from "../../../platform/errors.ts";
import { countAttempt } from "../../../platform/http/index.ts";
import { record } from "../../audit/index.ts";
import { findExceededBudget, refuseExceeded } from "../budgets/index.ts";
import { type ProviderKind, providerKinds } from "../catalogue/index.ts";
import { requireProvider } from "../find.ts";
import { listGrantedModels, type Subject } from "../grants/index.ts";
import { createHeaders, findUsableKey, noUsableKey, openKey, recordIssue } from "../keys/index.ts";
import { isAllowedModel } from "../models.ts";
import { listSubjects } from "../spend/index.ts";

const issueLimit = { attempts: 120, perSeconds: 60 };

/** Hands out a credential to the caller. The hand-out is recorded and committed before the reply. */
export async function issueCredential(ctx: OrganizationCtx, id: string, model: string | undefined) {
  const { caller, db, keyring, orgId } = ctx;
  const subject = resolveSubject(ctx);
  await countAttempt(db, `llm-credential ${caller.credential} ${caller.credentialId}`, issueLimit);
  return db.transaction(async (tx) => {
    const provider = await requireProvider(tx, orgId, null, id);
    if (caller.limitedTo && !caller.limitedTo.has(id)) {
      throw new Refusal(404, {
        error: "llm_provider_not_found",
        message:
          "The automation of this run does not name this LLM provider. Set it as the providerId of the automation's model.",
      });
    }
    const granted = await listGrantedModels(tx, orgId, provider.id, subject);
    if (granted.length === 0)
      throw forbidden("not_granted", `You may not use ${provider.name}. Ask an admin for access.`);
    if (!provider.enabled)
      throw forbidden("provider_disabled", `${provider.name} is disabled. Ask an admin.`);
    const models = intersect(provider.models, unite(granted));
    checkModel(models, model);
    const memberId = subject.kind === "member" ? subject.id : null;
    const exceeded = await findExceededBudget(
      tx,
      orgId,
      await listSubjects(tx, orgId, memberId, provider.id),
    );
    if (exceeded) throw refuseExceeded(exceeded);
    const kind: ProviderKind = providerKinds[provider.kind];
    const key = await findUsableKey(tx, orgId, provider.id);
    if (!key && !kind.keyOptional) throw noUsableKey();
    const { baseUrl } = provider;
    const apiKey = key ? openKey(keyring, { id: key.id, orgId, baseUrl }, key.secret) : null;
    if (key) await recordIssue(tx, orgId, key.id);
    await record(
      ctx,
      tx,
      {
        action: "llm_provider.credential_issued",
        target: { type: "llm_provider", id },
        after: {
          keyId: key?.id ?? null,
          model: model ?? null,
          ...(caller.holder ? { holder: caller.holder } : {}),
        },
      },
      orgId,
    );
    return {
      providerId: provider.id,
      kind: provider.kind,
      keyId: key?.id ?? null,
      apiKey,
      baseUrl,
      headers: createHeaders(kind, apiKey),
      models,
      retiresAt: key?.retiresAt ?? null,
    };
  });
}

/** A run credential acts for the member whose run it is. The credential of a worker has the id of the worker. */
const resolveSubject = ({ caller }: OrganizationCtx): Subject =>
  caller.principal === "machine"
    ? { kind: "worker", id: caller.credentialId }
    : { kind: "member", id: caller.member.id };

/** Several grants allow the models of all of them. */
const unite = (lists: readonly (string[] | null)[]): string[] | null =>
  lists.includes(null) ? null : [...new Set(lists.flatMap((list) => list ?? []))];

/** The patterns that both lists allow. */
function intersect(one: string[] | null, other: string[] | null): string[] | null {
  if (one === null || other === null) return one ?? other;
  const narrower = (list: string[], by: string[]) => list.filter((entry) => isAllowedModel(by, entry));
  return [...new Set([...narrower(one, other), ...narrower(other, one)])];
}

function checkModel(models: string[] | null, model: string | undefined): void {
  if (models === null) return;
  if (model === undefined)
    throw invalidField(
      ["model"],
      "The models of this provider are limited. Name the model that you will use: ?model=…",
    );
  if (!isAllowedModel(models, model)) {
    throw new Refusal(403, {
      error: "forbidden",
      reason: "model_not_allowed",
      message: `You may not use the model ${model} here. Choose one of models, or ask an admin.`,
      models: models.slice(0, 100),
    });
  }
}
