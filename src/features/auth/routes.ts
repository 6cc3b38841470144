import { on } from "../../platform/http/index.ts";
import * as contract from "./contract.ts";
import { noSessionCookie, sessionCookie } from "./cookie.ts";
import * as pages from "./pages.ts";
import * as service from "./service.ts";
import { routes as sessions } from "./sessions/index.ts";
import { routes as twoFactor } from "./two-factor/index.ts";

export const routes = [
  on(contract.signUp, async (ctx, { body, setHeader }) => {
    const session = await service.signUp(ctx, body);
    setHeader("set-cookie", sessionCookie(ctx.config.publicUrl, session.token));
    return session;
  }),
  on(contract.signIn, async (ctx, { body, setHeader }) => {
    const step = await service.signIn(ctx, body);
    if (step.status === 200) setHeader("set-cookie", sessionCookie(ctx.config.publicUrl, step.body.token));
    return step;
  }),
  on(contract.reauthenticate, (ctx, { body }) => service.reauthenticate(ctx, body)),
  on(contract.signOut, async (ctx, { setHeader }) => {
    setHeader("set-cookie", noSessionCookie(ctx.config.publicUrl));
    return service.signOut(ctx);
  }),
  on(contract.requestPasswordReset, (ctx, { body }) => service.requestPasswordReset(ctx, body)),
  on(contract.resetPassword, (ctx, { body }) => service.resetPassword(ctx, body)),
  on(contract.sendVerificationEmail, (ctx) => service.sendVerificationEmail(ctx)),
  on(contract.verifyEmail, async (ctx, { query }) =>
    (await service.verifyEmail(ctx, query.token)) ? pages.verified() : pages.notVerified(),
  ),
  on(contract.resetPage, () => pages.resetPassword()),
  ...sessions,
  ...twoFactor,
];
