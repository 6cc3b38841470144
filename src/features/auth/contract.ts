import { z } from "zod";
import { lineOfText, open, route, signedIn } from "../../platform/http/index.ts";

const tag = "Authentication";

export const User = z
  .strictObject({
    id: z.string(),
    email: z.string(),
    emailVerified: z.boolean(),
    name: z.string(),
    createdAt: z.int(),
  })
  .meta({ id: "User" });
export type User = z.output<typeof User>;

export const SignedIn = z
  .strictObject({ token: z.string().describe("Send it as `Authorization: Bearer <token>`."), user: User })
  .meta({ id: "SignedIn" });

const Done = z.strictObject({ ok: z.literal(true) }).meta({ id: "Done" });

const email = z.email().max(320);
const password = z
  .string()
  .min(8, "A password has at least 8 characters.")
  .max(128, "A password has at most 128 characters.");

export const signUp = route({
  method: "post",
  path: "/api/auth/sign-up/email",
  tag,
  summary: "Make an account",
  description: "Signs the new person in; a mail asks to confirm the address. Browsers get a cookie as well.",
  access: open,
  limit: { attempts: 300, perSeconds: 3600 },
  body: z.strictObject({ email, password, name: lineOfText(120) }),
  replies: { 200: SignedIn },
  errors: { 409: "`email_taken`: there is an account with this address." },
});

export const signIn = route({
  method: "post",
  path: "/api/auth/sign-in/email",
  tag,
  summary: "Sign in with a password",
  description:
    "At most 10 tries in 10 minutes for one address of a person from one address of the network. With a second factor, 202 asks for the second step: `POST /api/auth/sign-in/two-factor`.",
  access: open,
  limit: { attempts: 300, perSeconds: 60 },
  body: z.strictObject({ email, password: z.string().min(1).max(128) }),
  replies: {
    200: SignedIn,
    202: z
      .strictObject({ twoFactorToken: z.string(), expiresAt: z.int() })
      .meta({ id: "TwoFactorRequired" })
      .describe("The password is right; send this token with a code."),
  },
  errors: { 401: "No such account, or another password." },
});

export const reauthenticate = route({
  method: "post",
  path: "/api/auth/reauthenticate",
  tag,
  summary: "Prove again who I am, for routes that need a fresh session",
  description:
    "With the password, or with a code where a second factor is on. Counts like signing in. A session that came by single sign-on is renewed by coming that way again.",
  access: signedIn({ credentials: ["session"] }),
  limit: { attempts: 300, perSeconds: 60 },
  body: z.strictObject({
    password: z.string().min(1).max(128).optional(),
    code: z
      .string()
      .trim()
      .min(6)
      .max(40)
      .optional()
      .describe("From the authenticator app, or a backup code."),
  }),
  replies: { 200: z.strictObject({ signedInAt: z.int() }) },
  errors: {
    409: "`sso_session`: sign in through single sign-on again. `no_password`: reset the password to get one.",
  },
});

export const signOut = route({
  method: "post",
  path: "/api/auth/sign-out",
  tag,
  summary: "End this session",
  access: signedIn({ credentials: ["session"] }),
  replies: { 200: Done },
});

export const requestPasswordReset = route({
  method: "post",
  path: "/api/auth/request-password-reset",
  tag,
  summary: "Ask for a mail to choose a new password",
  description: "The reply is the same whether or not there is such an account.",
  access: open,
  limit: { attempts: 30, perSeconds: 3600 },
  body: z.strictObject({ email }),
  replies: { 200: Done },
});

export const resetPassword = route({
  method: "post",
  path: "/api/auth/reset-password",
  tag,
  summary: "Choose a new password with the token from the mail",
  description: "Every session of the person ends.",
  access: open,
  limit: { attempts: 60, perSeconds: 3600 },
  body: z.strictObject({ token: z.string().min(1).max(500), newPassword: password }),
  replies: { 200: Done },
});

export const sendVerificationEmail = route({
  method: "post",
  path: "/api/auth/send-verification-email",
  tag,
  summary: "Ask for the confirmation mail again",
  access: signedIn({ credentials: ["session"] }),
  limit: { attempts: 30, perSeconds: 3600 },
  replies: { 200: Done },
});

export const verifyEmail = route({
  method: "get",
  path: "/api/auth/verify-email",
  tag,
  summary: "Confirm an e-mail address: the link in the mail",
  access: open,
  limit: { attempts: 60, perSeconds: 3600 },
  query: z.strictObject({ token: z.string().min(1).max(2000) }),
  raw: "text/html",
  replies: { 200: z.string() },
});

export const resetPage = route({
  method: "get",
  path: "/reset-password",
  tag,
  summary: "The page behind the link in the reset mail",
  access: open,
  query: z.strictObject({ token: z.string().min(1).max(500) }),
  raw: "text/html",
  replies: { 200: z.string() },
});
