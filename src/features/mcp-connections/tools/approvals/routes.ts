import { on } from "../../../../platform/http/index.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";

export const routes = [
  on(contract.list, (ctx, { query }) => service.list(ctx, query)),
  on(contract.read, (ctx, { params }) => service.read(ctx, params.id)),
  on(contract.approve, (ctx, { params, body }) => service.decide(ctx, params.id, "approved", body)),
  on(contract.deny, (ctx, { params, body }) => service.decide(ctx, params.id, "denied", body)),
];
