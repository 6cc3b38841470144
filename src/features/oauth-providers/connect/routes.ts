import { baseHeaders, isNavigation, on } from "../../../platform/http/index.ts";
import { claim, handleCallback } from "./callback.ts";
import * as contract from "./contract.ts";
import { callbackPage } from "./pages.ts";
import * as service from "./service.ts";
import { confirmationPage, refuseStart } from "./start-pages.ts";

export const routes = [
  on(
    contract.start,
    async (ctx, { params, query, headers }) => {
      const { providerId } = params;
      if (!isNavigation(headers)) return service.start(ctx, providerId, query);
      const question = await service.prepareConfirmation(ctx, providerId, query);
      if (question) return confirmationPage(ctx.config.publicUrl, question);
      const { authorizeUrl } = await service.start(ctx, providerId, query);
      return new Response(null, {
        status: 303,
        headers: { ...baseHeaders, location: authorizeUrl, "cache-control": "no-store" },
      });
    },
    refuseStart,
  ),
  on(contract.callback, async (ctx, { params, search, headers }) =>
    callbackPage(
      ctx.config.publicUrl,
      await handleCallback(ctx, params.providerId, new URLSearchParams(search), headers.cookie),
    ),
  ),
  on(contract.claim, (ctx, { params, body }) => claim(ctx, params.providerId, body.code)),
];
