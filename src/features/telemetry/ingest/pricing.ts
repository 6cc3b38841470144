import type { OrgId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { loadPriceBook, type PriceBook, priceTokens } from "../../llm-providers/index.ts";
import { maxCostMicros, type Pricing, type TelemetryRecord } from "../record.ts";

export interface Cost {
  costMicros: number | null;
  pricing: Pricing;
}

/**
 * Returns a function that finds the cost of an event: the one that the sender reports, or else the price of its tokens
 * at its time. Without a price it is null: unknown is not 0.
 */
export async function createCostFinder(
  db: Db,
  orgId: OrgId,
  records: readonly TelemetryRecord[],
): Promise<(record: TelemetryRecord) => Cost> {
  const book = records.some(needsPrice) ? await loadPriceBook(db, orgId) : undefined;
  return (record) => {
    if (record.costMicros !== null) return { costMicros: record.costMicros, pricing: "reported" };
    if (!book || !needsPrice(record)) return { costMicros: null, pricing: "none" };
    const costMicros = findPrice(book, record);
    return { costMicros, pricing: costMicros === null ? "unpriced" : "estimated" };
  };
}

function findPrice(book: PriceBook, record: TelemetryRecord): number | null {
  const { model, at } = record;
  const usage = {
    inputTokens: record.inputTokens ?? 0,
    outputTokens: record.outputTokens ?? 0,
    cacheReadTokens: record.cacheReadTokens ?? 0,
    cacheWriteTokens: record.cacheWriteTokens ?? 0,
  };
  for (const provider of listProviders(record.provider)) {
    const priced = priceTokens(book, { provider, model, at, ...usage });
    if (priced && priced.costMicros <= maxCostMicros) return priced.costMicros;
  }
  return null;
}

/** Names of providers in the conventions and in the AI SDK, where the catalogue has other names. */
const catalogueNames: Readonly<Record<string, string>> = {
  "aws.bedrock": "bedrock",
  "amazon-bedrock": "bedrock",
  "azure.ai.openai": "azure",
  "az.ai.openai": "azure",
  "azure.ai.inference": "azure",
  "azure-openai": "azure",
  "gcp.gemini": "google",
  "gcp.gen_ai": "google",
  "gcp.vertex_ai": "google",
  vertex_ai: "google",
  vertexai: "google",
  gemini: "google",
  "az.ai.inference": "azure",
  aws: "bedrock",
  mistral_ai: "mistral",
  mistralai: "mistral",
  togetherai: "together",
  x_ai: "xai",
};

/** Names of frameworks that some senders give instead of a provider. */
const frameworkNames: ReadonlySet<string> = new Set(["langchain"]);

/**
 * What the provider can be called in the catalogue. Null: the provider is guessed by the name of the model. When the
 * sender names one, nothing is guessed: the same model on the organization's own server has another price, or none.
 */
function listProviders(given: string | null): (string | null)[] {
  const name = given?.toLowerCase();
  if (given === null || name === undefined || frameworkNames.has(name)) return [null];
  // The AI SDK adds the interface to the name, as in `openai.responses`.
  const names = [given, name, catalogueNames[name], name.split(".", 1)[0]!];
  return [...new Set(names.filter((one) => one !== undefined))];
}

const needsPrice = ({ costMicros, mayBePriced, inputTokens, outputTokens }: TelemetryRecord): boolean =>
  costMicros === null && mayBePriced && (inputTokens !== null || outputTokens !== null);
