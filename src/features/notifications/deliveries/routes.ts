import { on } from "../../../platform/http/index.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";

export const routes = [
  on(contract.list, (ctx, { params, query }) => service.list(ctx, params.id, query)),
  on(contract.get, (ctx, { params }) => service.get(ctx, params.id, params.deliveryId)),
  on(contract.retry, (ctx, { params }) => service.retry(ctx, params.id, params.deliveryId)),
  on(contract.test, (ctx, { params }) => service.test(ctx, params.id)),
];
