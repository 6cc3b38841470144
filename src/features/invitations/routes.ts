import { on } from "../../platform/http/index.ts";
import { offersSignUp } from "../auth/index.ts";
import * as contract from "./contract.ts";
import { invitationPage } from "./pages.ts";
import * as service from "./service.ts";

export const routes = [
  on(contract.list, (ctx, { query }) => service.list(ctx, query)),
  on(contract.create, (ctx, { body }) => service.create(ctx, body)),
  on(contract.preview, (ctx, { query }) => service.preview(ctx.db, query.token)),
  on(contract.accept, (ctx, { body }) => service.accept(ctx, body)),
  on(contract.cancel, (ctx, { params }) => service.cancel(ctx, params.id)),
  on(contract.resend, (ctx, { params }) => service.resend(ctx, params.id)),
  on(contract.page, async (ctx, { query, headers }) =>
    invitationPage(
      ctx.config.publicUrl,
      await service.openLink(ctx, query.token, headers.cookie),
      await offersSignUp(ctx, true),
    ),
  ),
];
