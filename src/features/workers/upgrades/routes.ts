import { on } from "../../../platform/http/index.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";

export const routes = [
  on(contract.request, (ctx, { params, body }) => service.request(ctx, params.id, body)),
  on(contract.report, (ctx, { params, body }) => service.report(ctx, params.id, body)),
  on(contract.list, (ctx, { params, query }) => service.list(ctx, params.id, query)),
];
