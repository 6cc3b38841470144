import { on } from "../../../../platform/http/index.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";

export const routes = [
  on(contract.list, (ctx, { params, query }) => service.list(ctx, params.id, query)),
  on(contract.approve, (ctx, { params, body }) => service.approve(ctx, params.id, body)),
];
