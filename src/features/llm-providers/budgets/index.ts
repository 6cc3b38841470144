export {
  checkBudgets,
  findExceededBudget,
  isMonthlyOfOrganization,
  refuseExceeded,
} from "./check.ts";
export { routes } from "./routes.ts";
export { findMonthlyBudget, listCrossedBudgets, lockMonthlyBudget, setMonthlyBudget } from "./service.ts";
export { findMonth as findMonthlySpend } from "./store.ts";
