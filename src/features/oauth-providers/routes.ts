import { on } from "../../platform/http/index.ts";
import { routes as clients } from "./clients/index.ts";
import { routes as connect } from "./connect/index.ts";
import { contract as connectionContract, service as connections } from "./connections/index.ts";
import * as contract from "./contract.ts";
import { contract as eventContract } from "./events/index.ts";
import * as service from "./service.ts";
import { routes as tokens } from "./tokens/index.ts";

export const routes = [
  on(contract.list, (ctx, { query }) => service.list(ctx, query)),
  on(contract.create, (ctx, { body }) => service.create(ctx, body)),
  on(contract.read, (ctx, { params }) => service.read(ctx, params.providerId)),
  on(contract.remove, (ctx, { params, query }) =>
    service.remove(ctx, params.providerId, query.endConnections === "true"),
  ),
  ...clients,
  ...connect,
  on(connectionContract.status, (ctx, { params }) => service.status(ctx, params.providerId)),
  ...tokens,
  on(connectionContract.disconnect, (ctx, { params, body }) =>
    service.disconnect(ctx, params.providerId, body),
  ),
  on(connectionContract.list, (ctx, { query }) => connections.list(ctx, query)),
  on(connectionContract.read, (ctx, { params }) => connections.read(ctx, params.id)),
  on(connectionContract.readUses, (ctx, { params }) => connections.readUses(ctx, params.id)),
  on(connectionContract.end, (ctx, { params }) => connections.end(ctx, params.id)),
  on(eventContract.list, (ctx, { params, query }) => connections.listEvents(ctx, params.id, query)),
  on(connectionContract.readGrants, (ctx, { params }) => connections.readGrants(ctx, params.id)),
  on(connectionContract.setGrants, (ctx, { params, body }) => connections.setGrants(ctx, params.id, body)),
];
