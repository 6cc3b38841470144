import { on } from "../../../platform/http/index.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";

export const routes = [
  on(contract.report, (ctx, { params, body }) => service.report(ctx, params.id, body)),
  on(contract.read, (ctx, { params }) => service.read(ctx, params.id)),
];
