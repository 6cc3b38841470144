import { on } from "../../../platform/http/index.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";

export const routes = [
  on(contract.test, (ctx, { params, body }) => service.test(ctx, params.id, body)),
  on(contract.list, (ctx, { params, query }) => service.list(ctx, params.id, query)),
  on(contract.create, (ctx, { params, body }) => service.create(ctx, params.id, body)),
  on(contract.rotate, (ctx, { params, body }) => service.rotate(ctx, params.id, params.keyId, body)),
  on(contract.disable, (ctx, { params }) => service.setDisabled(ctx, params.id, params.keyId, true)),
  on(contract.enable, (ctx, { params }) => service.setDisabled(ctx, params.id, params.keyId, false)),
  on(contract.remove, (ctx, { params }) => service.remove(ctx, params.id, params.keyId)),
];
