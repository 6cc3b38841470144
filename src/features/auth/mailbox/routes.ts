import { on } from "../../../platform/http/index.ts";
import * as contract from "./contract.ts";
import { verificationPage } from "./pages.ts";
import * as service from "./service.ts";

export const routes = [
  on(contract.openLink, async (ctx, { query, headers }) =>
    verificationPage(ctx.config.publicUrl, await service.openLink(ctx, query.token, headers.cookie)),
  ),
  on(contract.verifyEmail, (ctx, { body }) => service.verifyEmail(ctx, body)),
  on(contract.disownAccount, (ctx, { body }) => service.disownAccount(ctx, body)),
];
