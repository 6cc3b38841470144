import { on } from "../../platform/http/index.ts";
import * as contract from "./contract.ts";
import * as deactivation from "./deactivation.ts";
import * as service from "./service.ts";

export const routes = [
  on(contract.list, (ctx, { query }) => service.list(ctx, query)),
  on(contract.read, (ctx, { params }) => service.read(ctx, params.id)),
  on(contract.change, (ctx, { params, body }) => service.change(ctx, params.id, body)),
  on(contract.remove, (ctx, { params }) => service.remove(ctx, params.id)),
  on(contract.deactivate, (ctx, { params }) => deactivation.deactivate(ctx, params.id)),
  on(contract.reactivate, (ctx, { params }) => deactivation.reactivate(ctx, params.id)),
  on(contract.leave, (ctx) => service.leave(ctx)),
  on(contract.transferOwnership, (ctx, { params }) => service.transferOwnership(ctx, params.id)),
];
