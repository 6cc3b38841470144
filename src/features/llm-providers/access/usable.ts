import type { OrgId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { isId } from "../../../platform/ids.ts";
import { listGrantedModels, type Subject } from "../grants/index.ts";
import { isAllowedModel } from "../models.ts";
import * as providers from "../store.ts";

/** Whether a text names one of the organization's providers, and not a kind such as `anthropic`. */
export const isProviderId = (text: string): boolean => isId("llp", text);

/** Why a subject cannot use a model of a provider, in a sentence. Undefined: it can. */
export async function findUseObstacle(
  db: Db,
  orgId: OrgId,
  subject: Subject,
  providerId: string,
  model: string,
): Promise<string | undefined> {
  const provider = isId("llp", providerId) ? await providers.find(db, orgId, null, providerId) : undefined;
  if (!provider) return `The LLM provider ${providerId} does not exist.`;
  const granted = await listGrantedModels(db, orgId, provider.id, subject);
  if (granted.length === 0)
    return `The LLM provider ${provider.name} is not granted to this ${subject.kind}.`;
  if (!provider.enabled) return `The LLM provider ${provider.name} is disabled.`;
  if (!isAllowedModel(provider.models, model) || !granted.some((models) => isAllowedModel(models, model)))
    return `The LLM provider ${provider.name} does not allow the model ${model} to this ${subject.kind}.`;
  return undefined;
}
