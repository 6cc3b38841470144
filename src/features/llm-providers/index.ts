import { defineRoom } from "../../platform/rooms.ts";
import type { Permission } from "../permissions/index.ts";
import { fields } from "./fields.ts";
import { jobs } from "./jobs.ts";
import { sealedKeys } from "./keys/index.ts";
import { routes } from "./routes.ts";

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
  setMonthlyBudget,
} from "./budgets/index.ts";
export {
  isConsistent,
  isOwnServer,
  loadPriceBook,
  type PriceBook,
  type PriceReference,
  priceTokens,
  type TokenUsage,
} from "./pricing/index.ts";
export { adjustSpend, listSubjects, recordSpend } from "./spend/index.ts";

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
  permissions: ["llm_providers:use", "llm_providers:manage"] satisfies Permission[],
  sealedColumns: sealedKeys,
});
