import { on } from "../../platform/http/index.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";
import { routes as shares } from "./shares/index.ts";

export const routes = [
  on(contract.stream, (ctx, { body, eventStream }) => service.stream(ctx, body, eventStream)),
  on(contract.list, (ctx, { query }) => service.list(ctx, query)),
  ...shares,
  on(contract.read, (ctx, { params }) => service.read(ctx, params.id)),
  on(contract.remove, (ctx, { params }) => service.remove(ctx, params.id)),
];
