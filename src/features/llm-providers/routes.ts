import { on } from "../../platform/http/index.ts";
import { routes as access } from "./access/index.ts";
import { routes as budgets } from "./budgets/index.ts";
import * as contract from "./contract.ts";
import { routes as credentials } from "./credentials/index.ts";
import { routes as keys } from "./keys/index.ts";
import { routes as listing } from "./listing/index.ts";
import { routes as prices } from "./prices/index.ts";
import * as service from "./service.ts";

export const routes = [
  ...listing,
  on(contract.list, (ctx, { query }) => service.list(ctx, query)),
  on(contract.create, (ctx, { body }) => service.create(ctx, body)),
  on(contract.read, (ctx, { params }) => service.read(ctx, params.id)),
  on(contract.change, (ctx, { params, body }) => service.change(ctx, params.id, body)),
  on(contract.remove, (ctx, { params }) => service.remove(ctx, params.id)),
  ...access,
  ...credentials,
  ...keys,
  ...prices,
  ...budgets,
];
