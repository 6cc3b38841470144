import { on } from "../../../platform/http/index.ts";
import { routes as approvals } from "./approvals/index.ts";
import * as contract from "./contract.ts";
import { routes as drift } from "./drift/index.ts";
import * as service from "./service.ts";

export const routes = [
  on(contract.list, (ctx, { params, query }) => service.list(ctx, params.id, query)),
  on(contract.setPolicy, (ctx, { params, body }) => service.setPolicy(ctx, params.id, body)),
  ...drift,
  ...approvals,
];
