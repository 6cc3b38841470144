import { on } from "../../platform/http/index.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";

export const routes = [
  on(contract.list, (ctx, { query }) => service.list(ctx, query)),
  on(contract.read, (ctx, { params }) => service.read(ctx, params.id)),
  on(contract.exportAll, (ctx, { query: { format, ...filter } }) => service.exportAll(ctx, format, filter)),
  on(contract.readChain, (ctx) => service.readChain(ctx)),
  on(contract.changeChain, (ctx, { body }) => service.changeChain(ctx, body)),
];
