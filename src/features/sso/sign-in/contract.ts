import { z } from "zod";
import { linkQuery, open, route, signedIn } from "../../../platform/http/index.ts";
import { manage, notFoundError, params } from "../connectors/index.ts";

const tag = "SSO connectors";

export const resolve = route({
  method: "get",
  path: "/v1/sso/resolve",
  tag,
  summary: "How people with this e-mail address sign in",
  description:
    "Depends on the domain of the address only: the reply tells nothing about accounts. With `sso`, open `startUrl` in a browser.",
  access: open,
  limit: { attempts: 120, perSeconds: 60 },
  query: z.strictObject({ email: z.string().min(1).max(320) }),
  replies: {
    200: z
      .strictObject({ method: z.enum(["sso", "password"]), startUrl: z.string().optional() })
      .meta({ id: "SsoResolution" }),
  },
});

export const start = route({
  method: "get",
  path: "/v1/sso/{id}/start",
  changes: true,
  tag,
  summary: "Start to sign in with single sign-on, in a browser",
  description:
    "Redirects to the provider. A provider can start a sign-in too (`iss`, `login_hint`, `target_link_uri`): then, and when a page of another site leads the browser here, the person confirms it on a page. With `reauthenticate=true` the provider must ask the person to sign in again: this satisfies `reauth` with `session_too_old` and `sso_required`.",
  access: open,
  limit: { attempts: 120, perSeconds: 60 },
  params,
  // A provider that starts a sign-in may add parameters of its own.
  query: z.looseObject({
    returnTo: z.string().max(2000).optional().describe("A path on this site to open afterwards."),
    reauthenticate: z.enum(["true", "false"]).optional(),
    iss: z.string().max(2048).optional().describe("The issuer, when the provider starts the sign-in."),
    login_hint: z.string().max(320).optional(),
    target_link_uri: z
      .string()
      .max(2048)
      .optional()
      .describe("Opened afterwards if it is a page of this site."),
    test: z.string().max(100).optional().describe("From `POST /v1/sso/{id}/test`."),
  }),
  raw: "text/html",
  replies: { 303: null },
  errors: {
    404: notFoundError,
    409: "`sso_disabled`: the connector is disabled.",
    502: "`sso_provider_failed`: the provider's metadata cannot be read. The log of the connector says why.",
  },
});
export type StartQuery = z.output<(typeof start)["query"]>;

export const callback = route({
  method: "get",
  path: "/v1/sso/{id}/callback",
  changes: true,
  tag,
  summary: "Where an OpenID provider sends the browser back to",
  description:
    "Register this address at the provider. It signs the person in, or shows a page that says why not.",
  access: open,
  limit: { attempts: 600, perSeconds: 60 },
  params,
  query: z.looseObject({}),
  raw: "text/html",
  replies: { 200: z.string() },
  errors: { 404: notFoundError },
});

export const assertionConsumer = route({
  method: "post",
  path: "/v1/sso/{id}/saml/acs",
  tag,
  summary: "Where a SAML identity provider sends the browser back to",
  description:
    "The Assertion Consumer Service (HTTP-POST). It verifies the form field `SAMLResponse` and redirects to a page that signs the person in, or shows a page that says why not. `RelayState` of a person who started at the provider may name a page of this site.",
  access: open,
  limit: { attempts: 300, perSeconds: 60 },
  params,
  bytes: ["application/x-www-form-urlencoded"],
  bodyLimit: 1024 * 1024,
  raw: "text/html",
  replies: { 200: z.string() },
  errors: { 404: notFoundError },
});

export const continueSaml = route({
  method: "get",
  path: "/v1/sso/{id}/saml/continue",
  changes: true,
  tag,
  summary: "Finish a sign-in with SAML, in a browser",
  description:
    "Browsers are redirected here after the response was verified. It checks that this browser started the sign-in.",
  access: open,
  limit: { attempts: 600, perSeconds: 60 },
  params,
  query: linkQuery,
  raw: "text/html",
  replies: { 200: z.string() },
  errors: { 404: notFoundError },
});

export const test = route({
  method: "post",
  path: "/v1/sso/{id}/test",
  tag,
  summary: "Test a sign-in without signing anybody in",
  description:
    "Open `startUrl` in a browser within ten minutes and sign in at the provider. The page shows the claims that arrived and what they would become; nobody is signed in and no member is created or changed. When you sign in as yourself and would not be refused, the connector counts as tested by you, which `requireSso` needs.",
  access: manage,
  params,
  replies: { 200: z.strictObject({ startUrl: z.string(), expiresAt: z.int() }) },
  errors: { 404: notFoundError },
});

export const confirmPage = route({
  method: "get",
  path: "/v1/sso/confirm",
  tag,
  summary: "The page that asks before a sign-in",
  description:
    "Browsers are redirected here when the identity provider or another site started the sign-in, and when another person is signed in in this browser. Nothing changes until the person answers.",
  access: open,
  limit: { attempts: 600, perSeconds: 60 },
  query: linkQuery,
  raw: "text/html",
  replies: { 200: z.string() },
});

export const confirm = route({
  method: "post",
  path: "/v1/sso/confirm",
  tag,
  summary: "Confirm or cancel a sign-in",
  description:
    "For the page that asks before a sign-in: within ten minutes, once, in the same browser. `sign_in` gives this browser a session of the person and ends the one that it has of somebody else.",
  access: open,
  limit: { attempts: 120, perSeconds: 60 },
  body: z.strictObject({ token: z.string().min(1).max(100), answer: z.enum(["sign_in", "cancel"]) }),
  replies: { 200: z.strictObject({ location: z.string().describe("The page to open next.") }) },
  errors: {
    403: "`cross_site_request`: the request did not come from a page of this site.",
    404: "`sso_confirmation_not_found`: it was answered, is older than ten minutes, or belongs to another browser.",
    409: "The organization refuses the person; the code says why.",
  },
});
export type ConfirmAnswer = z.output<(typeof confirm)["body"]>;

export const linkPage = route({
  method: "get",
  path: "/v1/sso/link",
  tag,
  summary: "The page that links an existing account to single sign-on",
  description:
    "Browsers are redirected here when the address has an account already. The person proves that it is theirs.",
  access: open,
  limit: { attempts: 600, perSeconds: 60 },
  query: linkQuery,
  raw: "text/html",
  replies: { 200: z.string() },
});

export const link = route({
  method: "post",
  path: "/v1/sso/link",
  tag,
  summary: "Link my account to the person I signed in as at the provider",
  description:
    "For the page that opens when the address of a first sign-in has an account already. Within ten minutes, once, in the same browser, with a fresh session of that account.",
  access: signedIn({ credentials: ["session"], fresh: true, account: true }),
  limit: { attempts: 120, perSeconds: 3600 },
  body: z.strictObject({ token: z.string().min(1).max(100) }),
  replies: { 200: z.strictObject({ returnTo: z.string().nullable().describe("The page to open next.") }) },
  errors: {
    403: "`wrong_address`: this is another account than the one with that address.",
    404: "`sso_link_not_found`: it was used, is older than ten minutes, or belongs to another browser.",
    409: "The organization refuses the person; the code says why.",
  },
});
