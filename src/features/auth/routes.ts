import { on } from "../../platform/http/index.ts";
import * as contract from "./contract.ts";
import { noSessionCookie, sessionCookie } from "./cookie.ts";
import * as pages from "./pages.ts";
import * as service from "./service.ts";

export const routes = [
  on(contract.signUp, async (ctx, { body, addHeader }) => {
    const session = await service.signUp(ctx, body);
    addHeader("set-cookie", sessionCookie(ctx.config.publicUrl, session.token));
    return session;
  }),
  on(contract.signIn, async (ctx, { body, addHeader }) => {
    const session = await service.signIn(ctx, body);
    addHeader("set-cookie", sessionCookie(ctx.config.publicUrl, session.token));
    return session;
  }),
  on(contract.signOut, async (ctx, { addHeader }) => {
    addHeader("set-cookie", noSessionCookie(ctx.config.publicUrl));
    return service.signOut(ctx);
  }),
  on(contract.requestPasswordReset, (ctx, { body }) => service.requestPasswordReset(ctx, body)),
  on(contract.resetPassword, (ctx, { body }) => service.resetPassword(ctx, body)),
  on(contract.sendVerificationEmail, (ctx) => service.sendVerificationEmail(ctx)),
  on(contract.verifyEmail, async (ctx, { query }) =>
    (await service.verifyEmail(ctx, query.token)) ? pages.verified() : pages.notVerified(),
  ),
  on(contract.resetPage, () => pages.resetPassword()),
];
