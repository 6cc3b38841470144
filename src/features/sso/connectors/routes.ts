import { on } from "../../../platform/http/index.ts";
import { eventContract, listEvents } from "../events/index.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";

export const routes = [
  on(contract.list, (ctx, { query }) => service.list(ctx, query)),
  on(contract.createOidc, (ctx, { body }) => service.createOidc(ctx, body)),
  on(contract.read, (ctx, { params }) => service.read(ctx, params.id)),
  on(contract.change, (ctx, { params, body }) => service.change(ctx, params.id, body)),
  on(contract.rotateSecret, (ctx, { params, body }) => service.rotateSecret(ctx, params.id, body)),
  on(contract.remove, (ctx, { params }) => service.remove(ctx, params.id)),
  on(eventContract.list, async (ctx, { params, query }) =>
    listEvents(ctx, (await service.requireConnector(ctx, params.id)).id, query),
  ),
];
