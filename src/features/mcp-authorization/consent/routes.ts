import { on } from "../../../platform/http/index.ts";
import { findUser } from "../../auth/index.ts";
import * as contract from "./contract.ts";
import { consentPage, refuseConsent } from "./pages.ts";
import * as service from "./service.ts";

export const routes = [
  on(
    contract.page,
    async (ctx, { params, headers }) => {
      const prepared = await service.prepare(ctx, params.uid, headers.cookie);
      const user = await findUser(ctx.db, ctx.userId);
      return consentPage(ctx, { ...prepared, email: user?.email ?? "" });
    },
    refuseConsent,
  ),
  on(contract.allow, (ctx, { params, body, headers }) =>
    service.allow(ctx, params.uid, body.scopes, headers.cookie),
  ),
  on(contract.deny, (ctx, { params, headers }) => service.deny(ctx, params.uid, headers.cookie)),
];
