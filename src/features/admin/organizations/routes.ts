import { on } from "../../../platform/http/index.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";

export const routes = [
  on(contract.list, (ctx, { query }) => service.list(ctx, query)),
  on(contract.read, (ctx, { params, query }) => service.read(ctx, params.id, query)),
  on(contract.suspend, (ctx, { params, body }) => service.suspend(ctx, params.id, body)),
  on(contract.restore, (ctx, { params }) => service.restore(ctx, params.id)),
  on(contract.setLimits, (ctx, { params, body }) => service.setLimits(ctx, params.id, body)),
];
