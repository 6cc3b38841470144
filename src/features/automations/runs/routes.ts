import { on } from "../../../platform/http/index.ts";
import { listReportsContract } from "../usage/index.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";

export const routes = [
  on(contract.list, (ctx, { query }) => service.list(ctx, query)),
  on(contract.read, (ctx, { params }) => service.read(ctx, params.id)),
  on(contract.cancel, (ctx, { params }) => service.cancel(ctx, params.id)),
  on(contract.claim, (ctx, { params }) => service.claim(ctx, params.id)),
  on(contract.heartbeat, (ctx, { params, body }) => service.heartbeat(ctx, params.id, body)),
  on(contract.complete, (ctx, { params, body }) => service.complete(ctx, params.id, body)),
  on(listReportsContract, (ctx, { params, query }) => service.listUsage(ctx, params.id, query)),
];
