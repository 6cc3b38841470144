import { on } from "../../../platform/http/index.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";

export const routes = [
  on(contract.list, (ctx, { query }) => service.list(ctx, query)),
  on(contract.get, (ctx, { params }) => service.get(ctx, params.id)),
  on(contract.replay, (ctx, { params }) => service.replay(ctx, params.id)),
];
