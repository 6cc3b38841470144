import { on } from "../../../platform/http/index.ts";
import { arrive, claim } from "./callback.ts";
import * as contract from "./contract.ts";
import { arrivalPage } from "./pages.ts";
import * as service from "./service.ts";

export const routes = [
  on(contract.start, (ctx, { params, query }) => service.start(ctx, params.providerId, query)),
  on(contract.callback, async (ctx, { params, search, headers }) =>
    arrivalPage(await arrive(ctx, params.providerId, new URLSearchParams(search), headers.cookie)),
  ),
  on(contract.claim, (ctx, { params, body }) => claim(ctx, params.providerId, body.code)),
];
