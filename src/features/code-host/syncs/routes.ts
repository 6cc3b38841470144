import { on } from "../../../platform/http/index.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";

export const routes = [
  on(contract.list, (ctx, { query }) => service.list(ctx, query)),
  on(contract.read, (ctx, { params }) => service.read(ctx, params.id)),
  on(contract.retry, (ctx, { params }) => service.retry(ctx, params.id)),
  on(contract.start, (ctx, { params }) => service.start(ctx, params.id)),
];
