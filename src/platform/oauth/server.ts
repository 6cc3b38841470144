import { z } from "zod";

/** Tokens travel there: encrypted, unless it is this machine itself. */
export function isSecureUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url?.username !== "" || url.password !== "" || url.hash !== "") return false;
  if (url.protocol === "https:") return true;
  return url.protocol === "http:" && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname);
}

export const endpoint = z
  .string()
  .max(2048)
  .refine(isSecureUrl, "Must be an https URL, without credentials and fragment.");

/** Dots lead into objects: `data.viewer.id`. */
const path = z.string().regex(/^\w+(?:\.\w+)*$/);
const words = z.record(z.string().regex(/^[\w.-]+$/), z.string());

/** An authorization server: its endpoints, and where it departs from what the RFCs say. */
export const Server = z.strictObject({
  /** What `iss` must be, in the redirect and in ID tokens. */
  issuer: endpoint.optional(),
  authorizationEndpoint: endpoint,
  tokenEndpoint: endpoint,
  /** Where it takes refresh tokens, if not at the token endpoint. */
  refreshEndpoint: endpoint.optional(),
  /** `rfc7009`; `bearer`: a POST with the token as Bearer; `github`: a DELETE with the client's credentials. */
  revocation: z
    .strictObject({ endpoint: z.string(), style: z.enum(["rfc7009", "bearer", "github"]).default("rfc7009") })
    .optional(),
  /** Which account it is: from the ID token, from the token reply itself, or by asking. */
  account: z
    .discriminatedUnion("from", [
      z.strictObject({
        from: z.literal("id_token"),
        algorithms: z.array(z.string()).optional(),
        /** Asked for a name where the ID token has none. */
        userinfo: endpoint.optional(),
      }),
      z.strictObject({ from: z.literal("token_reply"), subject: path, names: z.array(path) }),
      z.strictObject({
        from: z.literal("userinfo"),
        endpoint,
        subject: path,
        names: z.array(path),
        /** Sent as JSON by POST instead of a GET. */
        body: z.unknown().optional(),
        headers: words.optional(),
        scheme: z.string().default("Bearer"),
      }),
    ])
    .optional(),
  /** It said that it sends `iss` (RFC 9207): then it must. */
  issParameter: z.boolean().optional(),
  /** The endpoints were named by the issuer, and not by whoever configured it. */
  discovered: z.boolean().optional(),
  scopeSeparator: z.enum([" ", ","]).default(" "),
  scopeParameter: z.string().default("scope"),
  authorizeParameters: words.default({}),
  tokenParameters: words.default({}),
  /** The token endpoint wants JSON. */
  jsonBody: z.boolean().optional(),
  /** The tokens stand in this field of the reply, if it is there. */
  tokensIn: path.optional(),
  /** What it calls `invalid_grant`, `invalid_client` and so on. */
  errorNames: words.default({}),
  /** `reusable`: a refresh token stays good after use. `none`: there are none. */
  refresh: z.enum(["rotating", "reusable", "none"]).default("rotating"),
});
export type Server = z.output<typeof Server>;
export type ServerInput = z.input<typeof Server>;

/** Where OpenID Connect has names of people, the most telling one first. */
export const claimNames = ["email", "preferred_username", "name"];

export const authMethods = ["client_secret_basic", "client_secret_post", "private_key_jwt", "none"] as const;
export type AuthMethod = (typeof authMethods)[number];

/** Who we are at a server. */
export interface Credentials {
  clientId: string;
  authMethod: AuthMethod;
  secret?: string | undefined;
  /** PKCS #8, in PEM. */
  privateKey?: string | undefined;
  keyId?: string | undefined;
}

export interface Tokens {
  accessToken: string;
  refreshToken: string | undefined;
  /** Milliseconds since 1970; undefined: nothing was said. */
  expiresAt: number | undefined;
  /** Undefined: nothing was said, which means what was asked for. */
  scopes: string[] | undefined;
}

export interface Account {
  subject: string;
  name: string | undefined;
}
