import { z } from "zod";
import { linkQuery, open, route } from "../../../platform/http/index.ts";
import { Done } from "../contract.ts";

const tag = "Authentication";
const limit = { attempts: 60, perSeconds: 3600 };
const token = z.string().min(1).max(2000);

export const openLink = route({
  method: "get",
  path: "/api/auth/verify-email",
  changes: true,
  tag,
  summary: "Open the page behind the link in the confirmation mail",
  description:
    "In a browser that is signed in to the account, confirms the address at once. Otherwise the page first asks whether the account is yours; programs call `POST`. When the link is not valid: 400, and a page that explains what to do.",
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
  summary: "Confirm the e-mail address of my account",
  description: "Needs the token from the mail. Changes nothing else.",
  access: open,
  limit,
  body: z.strictObject({ token }),
  replies: { 200: Done },
});

export const disownAccount = route({
  method: "post",
  path: "/api/auth/disown-account",
  tag,
  summary: "Report that somebody else made an account with my e-mail address",
  description:
    "Needs the token from the confirmation mail. Works only while the address is not confirmed. Ends the account's password, second factor, sessions, API keys and tokens. Reset the password to take over the account.",
  access: open,
  limit,
  body: z.strictObject({ token }),
  replies: { 200: Done },
  errors: { 403: "`email_verified`: the address is already confirmed." },
});
