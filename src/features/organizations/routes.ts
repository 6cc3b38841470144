import { on } from "../../platform/http/index.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";

export const routes = [
  on(contract.create, (ctx, { body }) => service.create(ctx, body)),
  on(contract.list, (ctx, { query }) => service.list(ctx, query)),
  on(contract.read, (ctx) => service.read(ctx)),
  on(contract.change, (ctx, { body }) => service.change(ctx, body)),
  on(contract.remove, (ctx, { body }) => service.remove(ctx, body)),
];
