import { defineRoom } from "../../platform/rooms.ts";
import type { Permission } from "../permissions/index.ts";
import { fields } from "./fields.ts";
import { jobs } from "./jobs.ts";
import { sealedKeys } from "./keys/index.ts";
import { routes } from "./routes.ts";
import { removeSomeSpend } from "./spend/index.ts";

export {
  checkProviderIds,
  findUseObstacle,
  isProviderId,
  listWorkerGrants,
  setWorkerGrants,
} from "./access/index.ts";
export {
  checkBudgets,
  findExceededBudget,
  findMonthlyBudget,
  findMonthlySpend,
  isMonthlyOfOrganization,
  listCrossedBudgets,
  lockMonthlyBudget,
  setMonthlyBudget,
} from "./budgets/index.ts";
export { sealKey } from "./keys/index.ts";
export {
  findContradiction,
  isOwnServer,
  loadPriceBook,
  type PriceBook,
  type PriceBookJson,
  type PriceReference,
  priceTokens,
  readPriceBook,
  selectPriceBook,
  type TokenUsage,
} from "./pricing/index.ts";
export {
  advanceRecomputation,
  lockNextRecomputationAcrossOrganizations,
  removeRecomputation,
} from "./recomputations/index.ts";
export { addToSums, adjustSpend, listSubjects, recordSpend, selectSubjects } from "./spend/index.ts";

export const room = defineRoom({
  name: "llm-providers",
  tags: [
    {
      name: "LLM Providers",
      description: "Services that run language models: keys, who may use them, prices and budgets.",
    },
  ],
  routes,
  fields,
  jobs,
  leftovers: [removeSomeSpend],
  permissions: ["llm_providers:use", "llm_providers:manage"] satisfies Permission[],
  sealedColumns: sealedKeys,
});
