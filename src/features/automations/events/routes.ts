import { on } from "../../../platform/http/index.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";

export const routes = [
  on(contract.report, (ctx, { params, body }) => service.reportEvent(ctx, params.id, body)),
  on(contract.reportBatch, (ctx, { params, body }) => service.reportEvents(ctx, params.id, body)),
  on(contract.list, (ctx, { params, query }) => service.list(ctx, params.id, query)),
  on(contract.stream, (ctx, { params, query, headers, eventStream }) =>
    service.stream(ctx, params.id, query.lastEventId ?? headers["last-event-id"], eventStream),
  ),
];
