import { baseHeaders, isNavigation, on } from "../../../platform/http/index.ts";
import { arrive, claim } from "./callback.ts";
import * as contract from "./contract.ts";
import { arrivalPage } from "./pages.ts";
import * as service from "./service.ts";
import { askPage, refuseStart } from "./start-pages.ts";

export const routes = [
  on(
    contract.start,
    async (ctx, { params, query, headers }) => {
      const { providerId } = params;
      if (!isNavigation(headers)) return service.start(ctx, providerId, query);
      const question = await service.questionFor(ctx, providerId, query);
      if (question) return askPage(ctx.config.publicUrl, question);
      const { authorizeUrl } = await service.start(ctx, providerId, query);
      return new Response(null, {
        status: 303,
        headers: { ...baseHeaders, location: authorizeUrl, "cache-control": "no-store" },
      });
    },
    refuseStart,
  ),
  on(contract.callback, async (ctx, { params, search, headers }) =>
    arrivalPage(
      ctx.config.publicUrl,
      await arrive(ctx, params.providerId, new URLSearchParams(search), headers.cookie),
    ),
  ),
  on(contract.claim, (ctx, { params, body }) => claim(ctx, params.providerId, body.code)),
];
