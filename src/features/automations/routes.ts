import { on, type Route } from "../../platform/http/index.ts";
import * as contract from "./contract.ts";
import * as events from "./events/index.ts";
import * as lateReports from "./late-reports/index.ts";
import * as runners from "./runners/index.ts";
import * as runs from "./runs/index.ts";
import * as schedules from "./schedules/index.ts";
import * as service from "./service.ts";
import * as settings from "./settings/index.ts";
import * as usage from "./usage/index.ts";

export const routes: Route[] = [
  on(contract.list, (ctx, { query }) => service.list(ctx, query)),
  on(contract.create, (ctx, { body }) => service.create(ctx, body)),
  on(contract.read, (ctx, { params }) => service.read(ctx, params.id)),
  on(contract.change, (ctx, { params, body }) => service.change(ctx, params.id, body)),
  on(contract.activate, (ctx, { params }) => service.activate(ctx, params.id)),
  on(contract.deactivate, (ctx, { params }) => service.deactivate(ctx, params.id)),
  on(contract.archive, (ctx, { params }) => service.archive(ctx, params.id)),
  on(contract.run, (ctx, { params }) => service.run(ctx, params.id)),
  on(runs.retryContract, (ctx, { params }) => service.retry(ctx, params.id)),
  on(contract.listRevisions, (ctx, { params, query }) => service.listRevisions(ctx, params.id, query)),
  ...schedules.routes,
  ...settings.routes,
  ...runs.routes,
  ...events.routes,
  ...lateReports.routes,
  ...runners.routes,
  ...usage.routes,
];
