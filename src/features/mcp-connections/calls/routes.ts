import { on } from "../../../platform/http/index.ts";
import * as contract from "./contract.ts";
import * as reading from "./reading.ts";

export const callRoutes = [
  on(contract.list, (ctx, { query }) => reading.listCalls(ctx, query)),
  on(contract.exportCalls, async (ctx, { query: { format, ...filter } }) =>
    reading.exportCalls(ctx, format, filter),
  ),
  on(contract.read, (ctx, { params }) => reading.readCall(ctx, params.id)),
  on(contract.listOfConnection, (ctx, { params, query }) =>
    reading.listCallsOfConnection(ctx, params.id, query),
  ),
];
