import { on } from "../../../platform/http/index.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";

export const routes = [
  on(contract.create, (ctx, { body }) => service.create(ctx, body)),
  on(contract.list, (ctx, { query }) => service.list(ctx, query)),
  on(contract.read, (ctx, { params }) => service.read(ctx, params.id)),
  on(contract.widen, (ctx, { params, body }) => service.widen(ctx, params.id, body)),
  on(contract.end, (ctx, { params }) => service.end(ctx, params.id)),
];
