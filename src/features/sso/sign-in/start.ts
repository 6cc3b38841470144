import type { Ctx, MemberCtx, UserId } from "../../../platform/context.ts";
import { invalidField, notFound, Refusal } from "../../../platform/errors.ts";
import { parseReturnPath } from "../../../platform/http/index.ts";
import { isId, newId } from "../../../platform/ids.ts";
import { newNonce, newState, newVerifier, OAuthFailure } from "../../../platform/oauth/index.ts";
import { hashSecret, newToken } from "../../../platform/secrets.ts";
import { findVisitor } from "../../auth/index.ts";
import { refuseSuspended } from "../../suspension/index.ts";
import {
  buildUrl,
  type ConnectorRow,
  findConnectorByAddress,
  requireConnector,
} from "../connectors/index.ts";
import { domainOf } from "../domains/index.ts";
import { recordOutcome } from "../events/index.ts";
import { readEmail } from "../people/index.ts";
import { buildSamlRequest } from "../saml/index.ts";
import { SamlError } from "../saml-protocol/index.ts";
import type { StartQuery } from "./contract.ts";
import { newBrowserSecret, readBrowserSecret } from "./cookie.ts";
import { buildOidcUrl } from "./oidc.ts";
import { openSecrets, type Secrets, sealSecrets } from "./secrets.ts";
import * as store from "./store.ts";

const attemptMinutes = 10;

/** Where the browser goes, by redirect or with a form, and the cookie by which it is recognized when it comes back. */
export type Started = { browserSecret: string } & (
  | { location: string }
  | { form: { url: string; fields: Record<string, string> } }
);

/** The connector of a page that everybody may open. Nobody signs in to a suspended organization. */
export async function requireConnectorByAddress(ctx: Ctx, id: string): Promise<ConnectorRow> {
  const connector = isId("sso", id) ? await findConnectorByAddress(ctx.db, id) : undefined;
  if (!connector) throw notFound("sso_connector");
  await refuseSuspended(ctx.db, connector.orgId);
  return connector;
}

export async function start(
  ctx: Ctx,
  id: string,
  query: StartQuery,
  cookies: string | undefined,
): Promise<Started> {
  const connector = await requireConnectorByAddress(ctx, id);
  const { publicUrl } = ctx.config;
  // The provider can begin a sign-in too (OpenID Connect Core §4), and names itself.
  const issuer = connector.kind === "oidc" ? connector.settings.issuer : connector.settings.provider.entityId;
  if (query.iss !== undefined && query.iss !== issuer)
    throw invalidField(["iss"], "This sign-in was begun by another provider than the one of this connector.");
  const returnTo = readReturnPath(publicUrl, query);
  const browserSecret = readBrowserSecret(publicUrl, cookies) ?? newBrowserSecret();
  const browserHash = hashSecret(browserSecret);
  const signsInAgain = query.reauthenticate === "true";
  const state = newState();
  const request =
    connector.kind === "saml"
      ? await logFailures(ctx, connector, "sign_in", async () =>
          buildSamlRequest(ctx, connector, { signsInAgain }),
        )
      : undefined;
  const requestId = request?.id;
  const begun = query.test
    ? await openTest(ctx, connector, query.test, { stateHash: hashSecret(state), browserHash, requestId })
    : await openAttempt(ctx, connector, {
        state,
        browserHash,
        requestId,
        secrets: { nonce: newNonce(), verifier: newVerifier(), returnTo },
        purpose: signsInAgain ? "reauthenticate" : "sign_in",
        userId: signsInAgain ? ((await findVisitor(ctx, cookies))?.id ?? null) : null,
      });
  if (request?.binding === "post")
    return { form: { url: request.url, fields: { ...request.fields } }, browserSecret };
  if (request) return { location: request.url, browserSecret };
  if (connector.kind !== "oidc") throw notFound("sso_connector");
  const maxAge = await store.findMaxAgeMinutes(ctx.db, connector.orgId);
  const location = await logFailures(ctx, connector, begun.purpose, () =>
    buildOidcUrl(ctx, connector, {
      state,
      secrets: begun.secrets,
      loginHint: query.login_hint,
      signsInAgain,
      maxAgeSeconds: maxAge === null ? undefined : maxAge * 60,
    }),
  );
  return { location, browserSecret };
}

/** A provider may ask for any page. Only pages of this site are opened; otherwise the first page is. */
function readReturnPath(publicUrl: string, { returnTo, target_link_uri: target }: StartQuery): string | null {
  if (returnTo !== undefined) {
    const path = parseReturnPath(publicUrl, returnTo);
    if (path === undefined) throw invalidField(["returnTo"], "Must be a path on this site, such as /docs.");
    return path;
  }
  const url = target === undefined ? null : URL.parse(target);
  if (!url || url.origin !== new URL(publicUrl).origin) return null;
  return parseReturnPath(publicUrl, url.pathname + url.search) ?? null;
}

interface Begun {
  secrets: Secrets;
  purpose: store.Purpose;
}

interface NewAttempt extends Begun {
  state: string;
  browserHash: string;
  requestId: string | undefined;
  userId: UserId | null;
}

async function openAttempt(
  ctx: Ctx,
  { id: connectorId, orgId, enabled }: ConnectorRow,
  { state, browserHash, requestId, secrets, purpose, userId }: NewAttempt,
): Promise<Begun> {
  if (!enabled)
    throw new Refusal(409, {
      error: "sso_disabled",
      message: "Single sign-on is switched off for this organization at the moment. Ask an admin.",
    });
  const id = newId("sat");
  await store.insert(ctx.db, orgId, {
    id,
    connectorId,
    purpose,
    stateHash: hashSecret(state),
    browserHash,
    requestId,
    secrets: sealSecrets(ctx.keyring, orgId, id, secrets),
    userId,
    minutes: attemptMinutes,
  });
  return { secrets, purpose };
}

async function openTest(
  ctx: Ctx,
  { id, orgId }: ConnectorRow,
  token: string,
  to: Parameters<typeof store.openTestByToken>[3],
): Promise<Begun> {
  const attempt = await store.openTestByToken(ctx.db, id, hashSecret(token), to);
  if (!attempt)
    throw invalidField(
      ["test"],
      "This test is older than ten minutes, or was opened before. Start another one.",
    );
  return { secrets: openSecrets(ctx.keyring, orgId, attempt.id, attempt.secrets), purpose: attempt.purpose };
}

/** Puts a failure at the provider into the log of the connector, and tells the person. */
async function logFailures<T>(
  ctx: Ctx,
  { orgId, id }: ConnectorRow,
  purpose: store.Purpose,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof OAuthFailure || error instanceof SamlError)) throw error;
    const { code, message } = error;
    await recordOutcome(ctx, ctx.db, orgId, id, { purpose, outcome: "refused", code, message });
    throw new Refusal(502, {
      error: "sso_provider_failed",
      message: `${message} Tell an admin.`,
      reason: code,
    });
  }
}

const testMinutes = 10;

/** A sign-in that shows what would happen. The address is for one browser, and only who tests knows it. */
export async function startTest(ctx: MemberCtx, id: string) {
  const { orgId, keyring, userId } = ctx;
  const connector = await requireConnector(ctx, id);
  const token = newToken("");
  const attemptId = newId("sat");
  const secrets = { nonce: newNonce(), verifier: newVerifier(), returnTo: null };
  const { expiresAt } = (await store.insert(ctx.db, orgId, {
    id: attemptId,
    connectorId: connector.id,
    purpose: "test",
    stateHash: hashSecret(token),
    browserHash: null,
    secrets: sealSecrets(keyring, orgId, attemptId, secrets),
    userId,
    minutes: testMinutes,
  }))!;
  return { startUrl: `${buildUrl(ctx.config.publicUrl, connector.id, "start")}?test=${token}`, expiresAt };
}

/** Tells where people of a domain sign in. It looks at domains only, so it tells nothing about accounts. */
export async function resolve({ db, config }: Ctx, given: string) {
  const email = readEmail(given);
  const found = await store.findConnectorOfDomainAcrossOrganizations(
    db,
    email === undefined ? "" : domainOf(email),
  );
  return found
    ? ({ method: "sso", startUrl: buildUrl(config.publicUrl, found.id, "start") } as const)
    : ({ method: "password" } as const);
}
