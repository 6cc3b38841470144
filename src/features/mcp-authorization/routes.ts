import { on } from "../../platform/http/index.ts";
import { routes as consent } from "./consent/index.ts";
import * as contract from "./contract.ts";
import { routes as endpoints } from "./endpoints/index.ts";
import * as service from "./service.ts";

export const routes = [
  on(contract.list, (ctx, { query }) => service.list(ctx, query)),
  on(contract.remove, (ctx, { params }) => service.remove(ctx, params.id)),
  ...endpoints,
  ...consent,
];
