import { on } from "../../../platform/http/index.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";
import { streamWork } from "./wake-ups.ts";

export const routes = [
  on(contract.token, (ctx, { body }) => service.createToken(ctx, body)),
  on(contract.list, (ctx, { query }) => service.list(ctx, query)),
  on(contract.remove, (ctx, { params }) => service.remove(ctx, params.id)),
  on(contract.work, (ctx) => service.readWork(ctx)),
  on(contract.events, (ctx, { headers, eventStream }) =>
    eventStream((signal) => streamWork(ctx, headers["last-event-id"], signal)),
  ),
];
