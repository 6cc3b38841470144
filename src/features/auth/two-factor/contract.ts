import { z } from "zod";
import { open, route, signedIn } from "../../../platform/http/index.ts";
import { SignedIn } from "../contract.ts";

const tag = "Users";

const code = z
  .string()
  .trim()
  .min(6)
  .max(40)
  .describe("Six digits from the authenticator app, or one of the backup codes.");
const backupCodes = z
  .array(z.string())
  .describe("Each is good once, when the device is lost. Shown once: keep them somewhere safe.");
const notVerified = "`email_not_verified`: confirm the account's e-mail address first.";
const off = "`two_factor_off`: it is not switched on.";

export const read = route({
  method: "get",
  path: "/v1/me/two-factor",
  tag,
  summary: "Whether my second factor is on, and how many backup codes are left",
  description: "The secret and the backup codes are never shown again.",
  access: signedIn({ credentials: ["session"] }),
  replies: {
    200: z.strictObject({
      twoFactor: z
        .strictObject({
          enabled: z.boolean(),
          enabledAt: z.int().nullable(),
          backupCodesLeft: z.int().describe("Renew them with `POST /v1/me/two-factor/backup-codes`."),
        })
        .meta({ id: "TwoFactor" }),
    }),
  },
});

export const begin = route({
  method: "post",
  path: "/v1/me/two-factor",
  tag,
  summary: "Begin to set up a second factor",
  description:
    "Gives the secret for an authenticator app. Needs a confirmed e-mail address, so that a stranger cannot lock out the owner of the address. Nothing changes until a code from the app confirms it; beginning again gives another secret.",
  access: signedIn({ credentials: ["session"], fresh: true }),
  replies: {
    201: z.strictObject({
      secret: z.string(),
      uri: z.string().describe("For a QR code."),
    }),
  },
  errors: { 403: notVerified, 409: "`two_factor_on`: switch it off first." },
});

export const confirm = route({
  method: "post",
  path: "/v1/me/two-factor/confirm",
  tag,
  summary: "Switch the second factor on, with a first code from the app",
  description: "Gives the backup codes, once. From then on signing in asks for a code.",
  access: signedIn({ credentials: ["session"], fresh: true }),
  body: z.strictObject({ code }),
  replies: { 200: z.strictObject({ backupCodes }) },
  errors: {
    403: notVerified,
    409: "`two_factor_on`, or `two_factor_not_begun`: begin first.",
    429: "`rate_limited`: 20 wrong codes in an hour.",
  },
});

export const renewBackupCodes = route({
  method: "post",
  path: "/v1/me/two-factor/backup-codes",
  tag,
  summary: "Get new backup codes; the old ones are no longer good",
  description: "Needs a current code. Gives ten new codes, once.",
  access: signedIn({ credentials: ["session"], fresh: true }),
  body: z.strictObject({ code }),
  replies: { 200: z.strictObject({ backupCodes }) },
  errors: { 409: off, 429: "`rate_limited`: 20 wrong codes in an hour." },
});

export const remove = route({
  method: "delete",
  path: "/v1/me/two-factor",
  tag,
  summary: "Switch the second factor off",
  description: "Needs a current code or a backup code. From then on the password alone is enough.",
  access: signedIn({ credentials: ["session"], fresh: true }),
  body: z.strictObject({ code }),
  replies: { 204: null },
  errors: { 409: off, 429: "`rate_limited`: 20 wrong codes in an hour." },
});

export const signIn = route({
  method: "post",
  path: "/api/auth/sign-in/two-factor",
  tag: "Authentication",
  summary: "The second step of signing in",
  description: "Within 10 minutes of the first, with at most 5 tries.",
  access: open,
  limit: { attempts: 300, perSeconds: 60 },
  body: z.strictObject({ twoFactorToken: z.string().min(1).max(200), code }),
  replies: { 200: SignedIn },
  errors: { 401: "Another code, or the first step is too long ago: begin with it again." },
});
