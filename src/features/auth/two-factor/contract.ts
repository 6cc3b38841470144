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
  .describe(
    "Each code works once, for example when the device is lost. They are shown once: store them in a safe place.",
  );
const notVerified = "`email_not_verified`: confirm the account's e-mail address first.";
const off = "`two_factor_off`: it is not enabled.";

export const read = route({
  method: "get",
  path: "/v1/me/two-factor",
  tag,
  summary: "Read whether my second factor is enabled, and how many backup codes are left",
  description: "The secret and the backup codes are never shown again.",
  access: signedIn({ credentials: ["session"] }),
  replies: {
    200: z.strictObject({
      twoFactor: z
        .strictObject({
          enabled: z.boolean().describe("True with an authenticator app or a passkey."),
          enabledAt: z.int().nullable(),
          authenticator: z.boolean().describe("Whether an authenticator app is set up."),
          passkeys: z.int().describe("How many passkeys the account has."),
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
  summary: "Start to set up a second factor",
  description:
    "Returns the secret for an authenticator app. Needs a confirmed e-mail address, so that a stranger cannot lock out the owner of the address. Nothing changes until a code from the app confirms it. Starting again returns another secret.",
  access: signedIn({ credentials: ["session"], fresh: true, account: true }),
  replies: {
    201: z.strictObject({
      secret: z.string(),
      uri: z.string().describe("For a QR code."),
    }),
  },
  errors: { 403: notVerified, 409: "`two_factor_on`: disable it first." },
});

export const confirm = route({
  method: "post",
  path: "/v1/me/two-factor/confirm",
  tag,
  summary: "Enable the second factor, with a first code from the app",
  description: "Returns the backup codes, once. From then on sign-in needs a code.",
  access: signedIn({ credentials: ["session"], fresh: true, account: true }),
  body: z.strictObject({ code }),
  replies: { 200: z.strictObject({ backupCodes }) },
  errors: {
    403: notVerified,
    409: "`two_factor_on`, or `two_factor_not_begun`: start the setup first.",
    429: "`rate_limited`: 20 wrong codes in an hour.",
  },
});

export const renewBackupCodes = route({
  method: "post",
  path: "/v1/me/two-factor/backup-codes",
  tag,
  summary: "Get new backup codes; the old ones become invalid",
  description: "Needs a current code where an authenticator app is set up. Gives ten new codes, once.",
  access: signedIn({ credentials: ["session"], fresh: true, account: true }),
  body: z.strictObject({ code: code.optional() }),
  replies: { 200: z.strictObject({ backupCodes }) },
  errors: { 409: off, 429: "`rate_limited`: 20 wrong codes in an hour." },
});

export const remove = route({
  method: "delete",
  path: "/v1/me/two-factor",
  tag,
  summary: "Remove the authenticator app",
  description:
    "Needs a current code or a backup code. From then on the password alone is enough, unless the account has passkeys.",
  access: signedIn({ credentials: ["session"], fresh: true, account: true }),
  body: z.strictObject({ code }),
  replies: { 204: null },
  errors: {
    409: `${off} \`break_glass_owner\`: an organization relies on it, and the account has no passkey. Name another owner there first.`,
    429: "`rate_limited`: 20 wrong codes in an hour.",
  },
});

export const signIn = route({
  method: "post",
  path: "/api/auth/sign-in/two-factor",
  tag: "Authentication",
  summary: "Sign in: second step",
  description: "Within 10 minutes of the first step, with at most 5 attempts.",
  access: open,
  limit: { attempts: 300, perSeconds: 60 },
  body: z.strictObject({ twoFactorToken: z.string().min(1).max(200), code }),
  replies: { 200: SignedIn },
  errors: {
    401: "The code is wrong, or the first step has expired. Try another code, or begin with the first step again.",
  },
});
