import { z } from "zod";
import {
  definePage,
  lineOfText,
  linkQuery,
  open,
  pageQuery,
  route,
  signedIn,
} from "../../../platform/http/index.ts";
import { idSchema } from "../../../platform/ids.ts";
import { SignedIn } from "../contract.ts";
import { RegistrationCredential, SignInCredential, transports } from "../webauthn-credentials.ts";

const tag = "Users";

const Passkey = z
  .strictObject({
    id: idSchema("psk"),
    name: z.string(),
    synced: z.boolean().describe("True when a password manager copies it to other devices."),
    createdAt: z.int(),
    lastUsedAt: z.int().nullable(),
  })
  .meta({ id: "Passkey" });
export type Passkey = z.output<typeof Passkey>;

const descriptor = z.strictObject({
  type: z.literal("public-key"),
  id: z.string(),
  transports: transports.optional(),
});
const verification = z.enum(["required", "preferred", "discouraged"]);

const CreationOptions = z
  .strictObject({
    challenge: z.string(),
    rp: z.strictObject({ id: z.string(), name: z.string() }),
    user: z.strictObject({ id: z.string(), name: z.string(), displayName: z.string() }),
    pubKeyCredParams: z.array(z.strictObject({ type: z.literal("public-key"), alg: z.int() })),
    timeout: z.int(),
    attestation: z.literal("none"),
    excludeCredentials: z.array(descriptor),
    authenticatorSelection: z.strictObject({
      residentKey: z.literal("required"),
      requireResidentKey: z.literal(true),
      userVerification: verification,
    }),
  })
  .meta({ id: "PasskeyCreationOptions" })
  .describe("For `PublicKeyCredential.parseCreationOptionsFromJSON()`.");

const RequestOptions = z
  .strictObject({
    challenge: z.string(),
    rpId: z.string(),
    timeout: z.int(),
    userVerification: verification,
    allowCredentials: z.array(descriptor).describe("Empty: the browser offers every passkey of this site."),
  })
  .meta({ id: "PasskeyRequestOptions" })
  .describe("For `PublicKeyCredential.parseRequestOptionsFromJSON()`.");

const notHere =
  "`passkeys_unavailable`: browsers allow passkeys only on https, or on http://localhost. Set `PUBLIC_URL` to such an address.";
const name = lineOfText(80);
const id = z.strictObject({ id: z.string() });
// An organization's provider must not weaken the account: its passkeys protect the other organizations too.
const mySession = { credentials: ["session"], account: true } as const;
const myFreshSession = { ...mySession, fresh: true } as const;

export const list = route({
  method: "get",
  path: "/v1/me/passkeys",
  tag,
  summary: "List my passkeys",
  description: "Newest first, with the time of last use.",
  access: signedIn(mySession),
  query: pageQuery,
  replies: { 200: definePage(Passkey).meta({ id: "PasskeyPage" }) },
});

export const begin = route({
  method: "post",
  path: "/v1/me/passkeys/options",
  tag,
  summary: "Begin to add a passkey",
  description:
    "Gives the options for the browser. Send its result to `POST /v1/me/passkeys` within 5 minutes. Needs a confirmed e-mail address, so that a stranger cannot lock out the owner of the address.",
  access: signedIn(myFreshSession),
  replies: { 201: z.strictObject({ options: CreationOptions }) },
  errors: {
    403: "`email_not_verified`: confirm the account's e-mail address first.",
    409: `${notHere} \`too_many_passkeys\`: remove one first.`,
  },
});

export const create = route({
  method: "post",
  path: "/v1/me/passkeys",
  tag,
  summary: "Add a passkey",
  description:
    "From then on the passkey signs in without a password, and the password alone is not enough: it also needs the passkey, a code or a backup code. The first second factor of an account comes with backup codes, shown once.",
  access: signedIn(myFreshSession),
  body: z.strictObject({ name: name.default("Passkey"), credential: RegistrationCredential }),
  replies: {
    201: z.strictObject({
      passkey: Passkey,
      backupCodes: z
        .array(z.string())
        .nullable()
        .describe(
          "Each works once, when the device is lost. Null when the account has backup codes already.",
        ),
    }),
  },
  errors: {
    400: "The credential does not answer the options, they are older than 5 minutes, or were answered before: begin again.",
    403: "`email_not_verified`: confirm the account's e-mail address first.",
    409: `\`passkey_known\`: this passkey was added before. \`too_many_passkeys\`: remove one first.`,
  },
});

export const rename = route({
  method: "patch",
  path: "/v1/me/passkeys/{id}",
  tag,
  summary: "Rename a passkey",
  description: "The name is only shown to its owner.",
  access: signedIn(mySession),
  params: id,
  body: z.strictObject({ name }),
  replies: { 200: z.strictObject({ passkey: Passkey }) },
});

export const remove = route({
  method: "delete",
  path: "/v1/me/passkeys/{id}",
  tag,
  summary: "Remove a passkey",
  description:
    "It no longer signs in, in every process. With the last second factor the backup codes end too, and the password alone is enough again.",
  access: signedIn(myFreshSession),
  params: id,
  replies: { 204: null },
  errors: {
    409: "`no_other_way_in`: the account has no password. Reset the password first to get one. `break_glass_owner`: an organization relies on this second factor. Name another owner there first.",
  },
});

const twoFactorToken = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .describe("From the first step, when the passkey is the second factor.");

export const options = route({
  method: "post",
  path: "/api/auth/passkey/options",
  tag: "Authentication",
  summary: "Begin to sign in with a passkey",
  description:
    "Gives the options for the browser. Send its result to `POST /api/auth/sign-in/passkey` or `POST /api/auth/reauthenticate` within 5 minutes. Without `twoFactorToken` the reply does not depend on any account.",
  access: open,
  limit: { attempts: 300, perSeconds: 60 },
  body: z.strictObject({ twoFactorToken }),
  replies: { 200: z.strictObject({ options: RequestOptions }) },
  errors: { 409: notHere },
});

export const signIn = route({
  method: "post",
  path: "/api/auth/sign-in/passkey",
  tag: "Authentication",
  summary: "Sign in with a passkey",
  description:
    "Alone, the passkey must have verified its user (fingerprint, face or PIN), and no password or code is asked for. With `twoFactorToken` it is the second step after the password.",
  access: open,
  limit: { attempts: 300, perSeconds: 60 },
  body: z.strictObject({ credential: SignInCredential, twoFactorToken }),
  replies: { 200: SignedIn },
  errors: { 401: "The passkey is unknown or was removed, or the options have expired: begin again." },
});

export const page = route({
  method: "get",
  path: "/passkeys",
  tag: "Authentication",
  summary: "The page to add, rename and remove passkeys",
  description: "Asks to sign in first.",
  access: open,
  query: linkQuery,
  raw: "text/html",
  replies: { 200: z.string() },
});
