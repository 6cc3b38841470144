import { on } from "../../../platform/http/index.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";

export const routes = [
  on(contract.report, (ctx, { body }) => service.reportEvents(ctx, body.events)),
  on(contract.list, (ctx, { query }) => service.listEvents(ctx, query)),
];
