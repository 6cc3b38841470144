import { on } from "../../../platform/http/index.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";

export const routes = [
  on(contract.read, (ctx, { params }) => service.read(ctx, params.id)),
  on(contract.replace, (ctx, { params, body }) => service.replace(ctx, params.id, body)),
];
