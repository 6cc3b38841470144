import { z } from "zod";

/** Tokens are sent to this URL, so it must be https unless it is on this machine. */
export function isSecureUrl(text: string): boolean {
  // An issuer's metadata can contain any value, and text that the database cannot store.
  if (typeof text !== "string" || text.includes("\0") || !text.isWellFormed()) return false;
  const url = URL.parse(text);
  if (url?.username !== "" || url.password !== "" || url.hash !== "") return false;
  if (url.protocol === "https:") return true;
  return url.protocol === "http:" && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname);
}

export const endpoint = z
  .string()
  .max(2048)
  .refine(isSecureUrl, "Must be an https URL, without credentials and fragment.");

/** Dots separate the fields of nested objects: `data.viewer.id`. */
const path = z.string().regex(/^\w+(?:\.\w+)*$/);
const words = z.record(z.string().regex(/^[\w.-]+$/), z.string());

/** An authorization server: its endpoints, and its differences from the RFCs. */
export const Server = z.strictObject({
  /** The required value of `iss`, in the redirect and in ID tokens. */
  issuer: endpoint.optional(),
  authorizationEndpoint: endpoint,
  tokenEndpoint: endpoint,
  /** The endpoint for refresh tokens, if it is not the token endpoint. */
  refreshEndpoint: endpoint.optional(),
  /** `rfc7009`; `bearer`: a POST with the token as Bearer; `github`: a DELETE with the client's credentials. */
  revocation: z
    .strictObject({ endpoint: z.string(), style: z.enum(["rfc7009", "bearer", "github"]).default("rfc7009") })
    .optional(),
  /** Where the account is described: in the ID token, in the token reply, or at an endpoint. */
  account: z
    .discriminatedUnion("from", [
      z.strictObject({
        from: z.literal("id_token"),
        algorithms: z.array(z.string()).optional(),
        /** Requested when the ID token contains no name. */
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
  /** The resource that tokens are requested for (RFC 8707). */
  resource: z.string().max(2048).optional(),
  /** The only address that access tokens are sent to, when it is not a part of this server. */
  tokenAudience: endpoint.optional(),
  /** The server announces `iss` (RFC 9207), so every redirect must have it. */
  issParameter: z.boolean().optional(),
  /** The endpoints come from the issuer's metadata, not from the configuration. */
  discovered: z.boolean().optional(),
  scopeSeparator: z.enum([" ", ","]).default(" "),
  scopeParameter: z.string().default("scope"),
  authorizeParameters: words.default({}),
  tokenParameters: words.default({}),
  /** The token endpoint requires JSON. */
  jsonBody: z.boolean().optional(),
  /** The field of the reply that contains the tokens, if it is there. */
  tokensIn: path.optional(),
  /** The server's own names for `invalid_grant`, `invalid_client` and so on. */
  errorNames: words.default({}),
  /** `reusable`: a refresh token stays valid after use. `none`: the server issues none. */
  refresh: z.enum(["rotating", "reusable", "none"]).default("rotating"),
});
export type Server = z.output<typeof Server>;
export type ServerInput = z.input<typeof Server>;

/** Claims of OpenID Connect that contain a person's name, the most descriptive first. */
export const claimNames = ["email", "preferred_username", "name"];

export const authMethods = ["client_secret_basic", "client_secret_post", "private_key_jwt", "none"] as const;
export type AuthMethod = (typeof authMethods)[number];

/** The credentials of this instance at a server. */
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
  /** Milliseconds since 1970. Undefined when the server does not say. */
  expiresAt: number | undefined;
  /** Undefined when the server does not say; then all requested scopes are granted. */
  scopes: string[] | undefined;
}

export interface Account {
  subject: string;
  name: string | undefined;
}
