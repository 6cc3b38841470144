import { on } from "../../platform/http/index.ts";
import { offersSignUp } from "../auth/index.ts";
import * as contract from "./contract.ts";
import { claimPage } from "./pages.ts";
import * as service from "./service.ts";

export const routes = [
  on(contract.create, (ctx, { body }) => service.create(ctx, body)),
  on(contract.createClaim, (ctx) => service.createClaim(ctx)),
  on(contract.acceptClaim, (ctx, { body }) => service.acceptClaim(ctx, body)),
  on(contract.claimPage, async (ctx, { query, headers }) =>
    claimPage(
      ctx.config.publicUrl,
      await service.openLink(ctx, query.token, headers.cookie),
      await offersSignUp(ctx, false),
    ),
  ),
];
