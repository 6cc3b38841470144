import { on } from "../../../platform/http/index.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";

export const routes = [
  on(contract.list, (ctx, { query }) => service.list(ctx, query)),
  on(contract.listHeld, (ctx, { query }) => service.listHeld(ctx, query)),
  on(contract.correct, (ctx, { params, body }) => service.correct(ctx, params.id, body)),
  on(contract.budget, (ctx) => service.readBudget(ctx)),
];
