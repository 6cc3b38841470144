import { on } from "../../../platform/http/index.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";

export const routes = [
  on(contract.exportTraces, (ctx, input) => service.acceptExport(ctx, "traces", input)),
  on(contract.exportLogs, (ctx, input) => service.acceptExport(ctx, "logs", input)),
  on(contract.exportMetrics, (ctx, input) => service.acceptExport(ctx, "metrics", input)),
];
