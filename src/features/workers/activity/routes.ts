import { on } from "../../../platform/http/index.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";

export const routes = [
  on(contract.heartbeat, (ctx, { params, body }) => service.beat(ctx, params.id, body)),
  on(contract.list, (ctx, { params, query }) => service.list(ctx, params.id, query)),
];
