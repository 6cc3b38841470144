import { on } from "../../../platform/http/index.ts";
import { createSessionCookie } from "../cookie.ts";
import { findVisitor } from "../visitor.ts";
import * as contract from "./contract.ts";
import { passkeysPage } from "./pages.ts";
import * as service from "./service.ts";

export const routes = [
  on(contract.list, (ctx, { query }) => service.list(ctx, query)),
  on(contract.begin, (ctx) => service.begin(ctx)),
  on(contract.create, (ctx, { body }) => service.create(ctx, body)),
  on(contract.rename, (ctx, { params, body }) => service.rename(ctx, params.id, body)),
  on(contract.remove, (ctx, { params }) => service.remove(ctx, params.id)),
  on(contract.options, (ctx, { body }) => service.createOptions(ctx, body.twoFactorToken)),
  on(contract.signIn, async (ctx, { body, setHeader }) => {
    const session = await service.signIn(ctx, body);
    setHeader("set-cookie", createSessionCookie(ctx.config.publicUrl, session.token));
    return session;
  }),
  on(contract.page, async (ctx, { headers }) =>
    passkeysPage(ctx.config.publicUrl, await findVisitor(ctx, headers.cookie)),
  ),
];
