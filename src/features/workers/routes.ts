import { on } from "../../platform/http/index.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";

export const routes = [
  on(contract.list, (ctx, { query }) => service.list(ctx, query)),
  on(contract.create, (ctx, { body }) => service.create(ctx, body)),
  on(contract.read, (ctx, { params }) => service.read(ctx, params.id)),
  on(contract.change, (ctx, { params, body }) => service.change(ctx, params.id, body)),
  on(contract.remove, (ctx, { params }) => service.remove(ctx, params.id)),
  on(contract.pause, (ctx, { params, body }) => service.pause(ctx, params.id, body)),
  on(contract.resume, (ctx, { params }) => service.resume(ctx, params.id)),
  on(contract.drain, (ctx, { params }) => service.drain(ctx, params.id)),
  on(contract.createToken, (ctx, { params, body }) => service.rotateToken(ctx, params.id, body)),
];
