import { z } from "zod";
import { lineOfText, linkQuery, open, route, signedIn } from "../../platform/http/index.ts";
import { idSchema } from "../../platform/ids.ts";
import { SignInCredential } from "./webauthn-credentials.ts";

const tag = "Authentication";

export const User = z
  .strictObject({
    id: idSchema("usr"),
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

export const Done = z.strictObject({ ok: z.literal(true) }).meta({ id: "Done" });

const email = z.email().max(320);
const password = z
  .string()
  .min(8, "A password has at least 8 characters.")
  .max(128, "A password has at most 128 characters.");

export const signUp = route({
  method: "post",
  path: "/api/auth/sign-up/email",
  tag,
  summary: "Create an account",
  description:
    "Creates the account, signs the person in and sends a mail to confirm the address. Browsers also get a cookie. `SIGNUP` decides who can create an account; the first account can always be created. The reply is the same when the address already has an account: then the token is not valid, and the owner of the address gets a mail.",
  access: open,
  limit: { attempts: 300, perSeconds: 3600 },
  body: z.strictObject({
    email,
    password,
    name: lineOfText(120),
    invitationToken: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe("The token of an invitation to this address. Required when `SIGNUP` is `invited`."),
  }),
  replies: { 200: SignedIn },
  errors: {
    403: "`invitation_required`: open the link in your invitation. `invitation_not_valid`: the invitation is for another address, or is no longer valid. `signup_closed`: this instance accepts no new accounts.",
  },
});

export const signIn = route({
  method: "post",
  path: "/api/auth/sign-in/email",
  tag,
  summary: "Sign in with a password",
  description:
    "At most 10 attempts in 10 minutes for one e-mail address from one network address. With a second factor, the reply is 202: continue with `POST /api/auth/sign-in/two-factor`.",
  access: open,
  limit: { attempts: 300, perSeconds: 60 },
  body: z.strictObject({ email, password: z.string().min(1).max(128) }),
  replies: {
    200: SignedIn,
    202: z
      .strictObject({ twoFactorToken: z.string(), expiresAt: z.int() })
      .meta({ id: "TwoFactorRequired" })
      .describe("The password is correct. Send this token with a code."),
  },
  errors: { 401: "The account does not exist, or the password is wrong." },
});

export const reauthenticate = route({
  method: "post",
  path: "/api/auth/reauthenticate",
  tag,
  summary: "Prove my identity again, for routes that need a fresh session",
  description:
    "Needs the password. When a second factor is enabled, needs a code or a passkey instead. Attempts count towards the sign-in limit. For a session from single sign-on, sign in there again.",
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
    passkey: SignInCredential.optional(),
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
  description:
    "The token stops working at once, in every process. Other sessions stay. The reply clears the browser's cookie, even when it is a 401 because the session has already ended.",
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
  description:
    "Ends every session of the person. If the address was not confirmed before, this confirms it and also removes the second factor, API keys, MCP tokens and runner tokens.",
  access: open,
  limit: { attempts: 60, perSeconds: 3600 },
  body: z.strictObject({
    token: z.string().min(1).max(500),
    newPassword: password,
    endKeysAndTokens: z
      .boolean()
      .optional()
      .describe(
        "Also revokes every API key, MCP token and runner token of the person. By default they are kept.",
      ),
  }),
  replies: { 200: Done },
});

export const sendVerificationEmail = route({
  method: "post",
  path: "/api/auth/send-verification-email",
  tag,
  summary: "Ask for the confirmation mail again",
  description: "Sends a new link to the account's address. Earlier links keep working until they expire.",
  access: signedIn({ credentials: ["session"] }),
  limit: { attempts: 30, perSeconds: 3600 },
  replies: { 200: Done },
});

export const resetPage = route({
  method: "get",
  path: "/reset-password",
  tag,
  summary: "Open the page behind the link in the reset mail",
  description:
    "Shows a form for the new password. When the link has expired or was used: 400, and a form to ask for a new link. Without a token: 200, and the form to ask for a link.",
  access: open,
  limit: { attempts: 3_000, perSeconds: 3600 },
  query: linkQuery,
  raw: "text/html",
  replies: { 200: z.string() },
});
