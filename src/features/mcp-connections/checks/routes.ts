import { on } from "../../../platform/http/index.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";

export const routes = [
  on(contract.discoverAgain, (ctx, { params, body }) => service.discoverAgain(ctx, params.id, body)),
  on(contract.test, (ctx, { params }) => service.test(ctx, params.id)),
];
