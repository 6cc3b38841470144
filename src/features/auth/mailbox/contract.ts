import { z } from "zod";
import { linkQuery, open, route } from "../../../platform/http/index.ts";
import { Done } from "../contract.ts";

const tag = "Authentication";
const limit = { attempts: 60, perSeconds: 3600 };
const token = z.string().min(1).max(2000);

export const openLink = route({
  method: "get",
  path: "/api/auth/verify-email",
  tag,
  summary: "The page behind the link in the confirmation mail",
  description:
    "Confirms the address at once in a browser that is signed in to the account. Any other is asked first whether the account is theirs; programs call `POST`. When the link is not valid: 400, and a page that says what to do.",
  access: open,
  limit,
  query: linkQuery,
  raw: "text/html",
  replies: { 200: z.string() },
});

export const verifyEmail = route({
  method: "post",
  path: "/api/auth/verify-email",
  tag,
  summary: "Confirm the e-mail address of an account of mine",
  description: "With the token from the mail. Nothing else changes.",
  access: open,
  limit,
  body: z.strictObject({ token }),
  replies: { 200: Done },
});

export const disownAccount = route({
  method: "post",
  path: "/api/auth/disown-account",
  tag,
  summary: "Say that somebody else made an account with my e-mail address",
  description:
    "With the token from the confirmation mail, while the address is not confirmed. Ends the account's password, second factor, sessions, API keys and tokens. Resetting the password takes the account over.",
  access: open,
  limit,
  body: z.strictObject({ token }),
  replies: { 200: Done },
  errors: { 403: "`email_verified`: the address was confirmed before." },
});
