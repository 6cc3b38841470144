import { on } from "../../../platform/http/index.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";

export const routes = [
  on(contract.list, (ctx, { query }) => service.list(ctx, query)),
  on(contract.create, (ctx, { body }) => service.create(ctx, body)),
  on(contract.read, (ctx, { params }) => service.read(ctx, params.id)),
  on(contract.change, (ctx, { params, body }) => service.change(ctx, params.id, body)),
  on(contract.remove, (ctx, { params }) => service.remove(ctx, params.id)),
];
