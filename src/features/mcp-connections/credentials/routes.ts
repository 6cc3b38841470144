import { baseHeaders, isNavigation, on } from "../../../platform/http/index.ts";
import { callbackPage, confirmationPage, refuseStart } from "../../oauth-providers/index.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";

export const routes = [
  on(contract.callback, async (ctx, { search, headers }) =>
    callbackPage(ctx.config.publicUrl, await service.receiveCallback(ctx, search, headers.cookie)),
  ),
  on(
    contract.start,
    async (ctx, { params, query, headers }) => {
      if (!isNavigation(headers)) return service.start(ctx, params.id, query);
      const question = await service.confirmStart(ctx, params.id, query);
      if (question) return confirmationPage(ctx.config.publicUrl, question);
      const { authorizeUrl } = await service.start(ctx, params.id, query);
      return new Response(null, {
        status: 303,
        headers: { ...baseHeaders, location: authorizeUrl, "cache-control": "no-store" },
      });
    },
    refuseStart,
  ),
  on(contract.claim, (ctx, { params, body }) => service.claim(ctx, params.id, body.code)),
  on(contract.disconnect, (ctx, { params }) => service.disconnect(ctx, params.id)),
  on(contract.setCredential, (ctx, { params, body }) => service.setCredential(ctx, params.id, body)),
  on(contract.listMembers, (ctx, { params, query }) => service.listMembers(ctx, params.id, query)),
];
