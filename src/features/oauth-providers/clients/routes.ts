import { on } from "../../../platform/http/index.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";

export const routes = [
  on(contract.save, (ctx, { params, body }) => service.save(ctx, params.providerId, body)),
  on(contract.read, (ctx, { params }) => service.read(ctx, params.providerId)),
  on(contract.remove, (ctx, { params, query }) =>
    service.remove(ctx, params.providerId, query.endConnections === "true"),
  ),
];
