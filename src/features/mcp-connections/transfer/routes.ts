import { on } from "../../../platform/http/index.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";

export const routes = [
  on(contract.preview, (ctx, { body }) => service.preview(ctx, body)),
  on(contract.importServers, (ctx, { body, eventStream }) => service.importServers(ctx, body, eventStream)),
  on(contract.exportConfiguration, (ctx, { query }) => service.exportConfiguration(ctx, query)),
];
