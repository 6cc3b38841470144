import { on, onPrepared } from "../../platform/http/index.ts";
import { routes as access } from "./access/index.ts";
import { callRoutes } from "./calls/index.ts";
import { routes as checks } from "./checks/index.ts";
import * as contract from "./contract.ts";
import { routes as credentials } from "./credentials/index.ts";
import { routes as discovery } from "./discovery/index.ts";
import { routes as issuer } from "./issuer/index.ts";
import { routes as registration } from "./registration/index.ts";
import { prepareConnection } from "./saving.ts";
import * as service from "./service.ts";
import { routes as tools } from "./tools/index.ts";
import { routes as transfer } from "./transfer/index.ts";

export const routes = [
  ...discovery,
  on(contract.list, (ctx, { query }) => service.list(ctx, query)),
  onPrepared(
    contract.create,
    (ctx, { body }) => prepareConnection(ctx, body),
    (ctx, { body, prepared }) => service.create(ctx, body, prepared),
  ),
  on(contract.read, (ctx, { params }) => service.read(ctx, params.id)),
  on(contract.change, (ctx, { params, body }) => service.change(ctx, params.id, body)),
  on(contract.remove, (ctx, { params }) => service.remove(ctx, params.id)),
  ...checks,
  ...issuer,
  ...credentials,
  ...access,
  ...registration,
  ...tools,
  ...callRoutes,
  ...transfer,
];
