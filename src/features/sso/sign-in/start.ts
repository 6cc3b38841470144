import type { Ctx, MemberCtx, UserId } from "../../../platform/context.ts";
import { invalidField, notFound, Refusal } from "../../../platform/errors.ts";
import { type HttpHeaders, isLedByOtherSite, parseReturnPath } from "../../../platform/http/index.ts";
import { isId } from "../../../platform/ids.ts";
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
import { readDomain } from "../domains/index.ts";
import { recordOutcome } from "../events/index.ts";
import { readEmail } from "../people/index.ts";
import { buildSamlRequest } from "../saml/index.ts";
import { SamlError } from "../saml-protocol/index.ts";
import { insertAttempt, openSecrets, type Secrets, toEventPurpose } from "./attempts.ts";
import type { StartQuery } from "./contract.ts";
import { newBrowserSecret, readBrowserSecret } from "./cookie.ts";
import { buildOidcUrl } from "./oidc.ts";
import * as store from "./store.ts";

/** Where the browser goes, by redirect or with a form, and the cookie by which it is recognized when it returns. */
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

export async function start(ctx: Ctx, id: string, query: StartQuery, headers: HttpHeaders): Promise<Started> {
  const connector = await requireConnectorByAddress(ctx, id);
  const { publicUrl } = ctx.config;
  const cookies = headers.cookie;
  // The provider can start a sign-in too (OpenID Connect Core §4), and names itself.
  const issuer = connector.kind === "oidc" ? connector.settings.issuer : connector.settings.provider.entityId;
  if (query.iss !== undefined && query.iss !== issuer)
    throw invalidField(["iss"], "Another provider than the one of this connector started this sign-in.");
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
  const started = query.test
    ? await openTest(ctx, connector, query.test, { stateHash: hashSecret(state), browserHash, requestId })
    : await openAttempt(ctx, connector, {
        state,
        browserHash,
        requestId,
        secrets: {
          ...(await createSecrets(ctx, connector)),
          returnTo,
          isStartedElsewhere: query.iss !== undefined || isLedByOtherSite(headers),
        },
        purpose: signsInAgain ? "reauthenticate" : "sign_in",
        userId: signsInAgain ? ((await findVisitor(ctx, cookies))?.id ?? null) : null,
      });
  if (request?.binding === "post")
    return { form: { url: request.url, fields: { ...request.fields } }, browserSecret };
  if (request) return { location: request.url, browserSecret };
  if (connector.kind !== "oidc") throw notFound("sso_connector");
  const { secrets, purpose } = started;
  const location = await logFailures(ctx, connector, purpose, () =>
    buildOidcUrl(ctx, connector, {
      state,
      secrets,
      loginHint: query.login_hint,
      signsInAgain,
      readsAgain: purpose === "test",
    }),
  );
  return { location, browserSecret };
}

/** What an OpenID provider must return, and how long ago the organization lets people have signed in there. */
async function createSecrets({ db }: Ctx, { orgId, kind }: ConnectorRow): Promise<Omit<Secrets, "returnTo">> {
  if (kind !== "oidc") return {};
  const minutes = await store.findMaxAgeMinutes(db, orgId);
  return {
    nonce: newNonce(),
    verifier: newVerifier(),
    ...(minutes === null ? {} : { maxAgeSeconds: minutes * 60 }),
  };
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

interface OpenedAttempt {
  secrets: Secrets;
  purpose: store.Purpose;
}

interface NewAttempt extends OpenedAttempt {
  state: string;
  browserHash: string;
  requestId: string | undefined;
  userId: UserId | null;
}

async function openAttempt(
  ctx: Ctx,
  connector: ConnectorRow,
  { state, ...given }: NewAttempt,
): Promise<OpenedAttempt> {
  if (!connector.enabled)
    throw new Refusal(409, {
      error: "sso_disabled",
      message: "Single sign-on is switched off for this organization at the moment. Ask an admin.",
    });
  await insertAttempt(ctx, ctx.db, connector, { ...given, token: state });
  return given;
}

async function openTest(
  ctx: Ctx,
  { id }: ConnectorRow,
  token: string,
  to: Parameters<typeof store.openTestByToken>[3],
): Promise<OpenedAttempt> {
  const attempt = await store.openTestByToken(ctx.db, id, hashSecret(token), to);
  if (!attempt)
    throw invalidField(
      ["test"],
      "This test is older than ten minutes, or was opened before. Start another test.",
    );
  return { secrets: openSecrets(ctx, attempt), purpose: attempt.purpose };
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
    await recordOutcome(ctx, ctx.db, orgId, id, {
      purpose: toEventPurpose(purpose),
      outcome: "refused",
      code,
      message,
    });
    throw new Refusal(502, {
      error: "sso_provider_failed",
      message: `${message} Tell an admin.`,
      reason: code,
    });
  }
}

/** A sign-in that shows what would happen. Its address works in one browser, and only the person who tests knows it. */
export async function startTest(ctx: MemberCtx, id: string) {
  const connector = await requireConnector(ctx, id);
  const token = newToken("");
  const { expiresAt } = await insertAttempt(ctx, ctx.db, connector, {
    purpose: "test",
    token,
    browserHash: null,
    secrets: { ...(await createSecrets(ctx, connector)), returnTo: null },
    userId: ctx.userId,
  });
  return { startUrl: `${buildUrl(ctx.config.publicUrl, connector.id, "start")}?test=${token}`, expiresAt };
}

/** Tells where people of a domain sign in. It looks at domains only, so it tells nothing about accounts. */
export async function resolve({ db, config }: Ctx, given: string) {
  const email = readEmail(given);
  const found = await store.findConnectorOfDomainAcrossOrganizations(
    db,
    email === undefined ? "" : readDomain(email),
  );
  return found
    ? ({ method: "sso", startUrl: buildUrl(config.publicUrl, found.id, "start") } as const)
    : ({ method: "password" } as const);
}
