import { on } from "../../../platform/http/index.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";

export const routes = [
  on(contract.readShared, (ctx, { query }) => service.readShared(ctx, query.token)),
  on(contract.create, (ctx, { params, body }) => service.create(ctx, params.id, body)),
  on(contract.list, (ctx, { params, query }) => service.list(ctx, params.id, query)),
  on(contract.remove, (ctx, { params }) => service.remove(ctx, params.id, params.shareId)),
];
