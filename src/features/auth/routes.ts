import { on, type Route } from "../../platform/http/index.ts";
import * as contract from "./contract.ts";
import { clearCookieOfEndedSession, createExpiredSessionCookie, createSessionCookie } from "./cookie.ts";
import { routes as mailbox } from "./mailbox/index.ts";
import * as pages from "./pages.ts";
import { routes as passkeys } from "./passkeys/index.ts";
import * as service from "./service.ts";
import { routes as sessions } from "./sessions/index.ts";
import { signUp } from "./sign-up/index.ts";
import { routes as twoFactor } from "./two-factor/index.ts";

export const routes = [
  on(contract.signUp, async (ctx, { body, setHeader }) => {
    const session = await signUp(ctx, body);
    setHeader("set-cookie", createSessionCookie(ctx.config.publicUrl, session.token));
    return session;
  }),
  on(contract.signIn, async (ctx, { body, setHeader }) => {
    const step = await service.signIn(ctx, body);
    if (step.status === 200)
      setHeader("set-cookie", createSessionCookie(ctx.config.publicUrl, step.body.token));
    return step;
  }),
  on(contract.reauthenticate, (ctx, { body }) => service.reauthenticate(ctx, body)),
  {
    ...on(contract.signOut, async (ctx, { setHeader }) => {
      setHeader("set-cookie", createExpiredSessionCookie(ctx.config.publicUrl));
      return service.signOut(ctx);
    }),
    refusalHeaders: ({ config }, refusal, { headers }) =>
      clearCookieOfEndedSession(config.publicUrl, refusal, headers),
  } satisfies Route,
  on(contract.requestPasswordReset, (ctx, { body }) => service.requestPasswordReset(ctx, body)),
  on(contract.resetPassword, (ctx, { body }) => service.resetPassword(ctx, body)),
  on(contract.sendVerificationEmail, (ctx) => service.sendVerificationEmail(ctx)),
  on(contract.resetPage, async (ctx, { query }) => {
    const { publicUrl } = ctx.config;
    const link = await service.findResetLink(ctx, query.token);
    return link.kind === "valid"
      ? pages.choosePasswordPage(publicUrl, link.email)
      : pages.requestResetPage(publicUrl, link.kind);
  }),
  ...mailbox,
  ...sessions,
  ...twoFactor,
  ...passkeys,
];
