import type { Ctx, UserId } from "../../../platform/context.ts";
import { notFound, Refusal } from "../../../platform/errors.ts";
import { countAttempt, parseReturnPath, waitToParse } from "../../../platform/http/index.ts";
import { hashSecret, newToken } from "../../../platform/secrets.ts";
import type { SamlRow } from "../connectors/index.ts";
import { acceptResponse } from "../saml/index.ts";
import {
  clockSkewMs,
  type Expectation,
  type ParsedResponse,
  parseResponse,
  SamlError,
} from "../saml-protocol/index.ts";
import { insertAttempt, openSecrets } from "./attempts.ts";
import { refuse, refuseAttempt, type Unknown } from "./callback.ts";
import { type Completed, complete } from "./complete.ts";
import { newBrowserSecret } from "./cookie.ts";
import { requireConnectorByAddress } from "./start.ts";
import * as store from "./store.ts";

/** The response is verified. The browser is redirected to a page of ours. */
export interface Received {
  kind: "received";
  location: string;
  /** The cookie of a browser that did not start here. */
  browserSecret: string | undefined;
}

/** What a response belongs to: the attempt of a browser, or nothing, if the person started at the provider. */
interface Origin {
  purpose: store.Purpose;
  expected: Expectation;
  browserHash: string | null;
  browserSecret?: string;
  returnTo: string | null;
  isStartedElsewhere: boolean;
  userId: UserId | null;
  /** The person must have proved who they are after this time. */
  notBefore?: number;
}

async function requireSamlByAddress(ctx: Ctx, id: string): Promise<SamlRow> {
  const connector = await requireConnectorByAddress(ctx, id);
  if (connector.kind !== "saml") throw notFound("sso_connector");
  return connector;
}

/**
 * Handles a response that a browser posts. The post comes from another site, so it carries no cookie: `continueSaml`
 * checks after a redirect that this browser started the sign-in.
 */
export async function handleSamlResponse(
  ctx: Ctx,
  id: string,
  form: URLSearchParams,
): Promise<Received | Completed | Unknown> {
  const connector = await requireSamlByAddress(ctx, id);
  const given = form.get("SAMLResponse") ?? "";
  let response: ParsedResponse;
  try {
    await waitToParse(ctx, given);
    response = parseResponse(given);
  } catch (error) {
    return refuseResponse(ctx, connector, undefined, error);
  }
  const requestId = response.claimedRequestId;
  const origin =
    requestId === null
      ? createOrigin(ctx, form.get("RelayState"))
      : await findOrigin(ctx, connector, requestId);
  if (!origin) return { kind: "unknown" };
  try {
    if (requestId === null && !connector.settings.allowsProviderStart)
      throw new SamlError("saml_unsolicited");
    return await ctx.db.transaction(async (tx) => {
      const proof = await acceptResponse(ctx, tx, connector, response, origin.expected);
      const { authenticatedAt = 0 } = proof.identity;
      if (origin.notBefore !== undefined && authenticatedAt < origin.notBefore - clockSkewMs)
        throw new SamlError("saml_authentication_old");
      const token = newToken("");
      const { purpose, browserHash, returnTo, userId, isStartedElsewhere } = origin;
      await insertAttempt(ctx, tx, connector, {
        purpose,
        token,
        browserHash,
        userId,
        // Only a test shows the attributes.
        secrets: {
          returnTo,
          isStartedElsewhere,
          proof: purpose === "test" ? proof : { ...proof, claims: {} },
        },
      });
      const location = `/v1/sso/${connector.id}/saml/continue?token=${encodeURIComponent(token)}`;
      return { kind: "received", location, browserSecret: origin.browserSecret } as const;
    });
  } catch (error) {
    return refuseResponse(ctx, connector, requestId === null ? undefined : origin.purpose, error);
  }
}

/** Uses up the request that the response claims to answer. The signature is verified for exactly this request. */
async function findOrigin(ctx: Ctx, connector: SamlRow, requestId: string): Promise<Origin | undefined> {
  const { orgId, id } = connector;
  const attempt = /^_[\da-f]{40}$/.test(requestId)
    ? await store.useByRequest(ctx.db, orgId, id, requestId)
    : undefined;
  if (!attempt) return undefined;
  const { purpose, browserHash, userId, createdAt } = attempt;
  const { returnTo, isStartedElsewhere = false } = openSecrets(ctx, attempt);
  return {
    purpose,
    browserHash,
    returnTo,
    isStartedElsewhere,
    userId,
    expected: { requestId },
    ...(purpose === "reauthenticate" ? { notBefore: createdAt } : {}),
  };
}

/** A person who started at the provider. The relay state may name a page of this site. */
function createOrigin({ config: { publicUrl } }: Ctx, relayState: string | null): Origin {
  const browserSecret = newBrowserSecret();
  const url = relayState === null ? null : URL.parse(relayState, publicUrl);
  const isOurs = url !== null && url.origin === new URL(publicUrl).origin;
  const path = isOurs ? parseReturnPath(publicUrl, url.pathname + url.search) : undefined;
  return {
    purpose: "sign_in",
    expected: { unsolicited: true },
    browserHash: hashSecret(browserSecret),
    browserSecret,
    returnTo: path ?? null,
    isStartedElsewhere: true,
    userId: null,
  };
}

/** Anybody can post anything here, so responses without an attempt of ours fill the log only slowly. */
const logLimit = { attempts: 30, perSeconds: 60 };

async function refuseResponse(
  ctx: Ctx,
  connector: SamlRow,
  purpose: store.Purpose | undefined,
  error: unknown,
): Promise<Completed> {
  if (!(error instanceof SamlError)) throw error;
  const { code, message } = error;
  if (purpose === undefined) {
    try {
      await countAttempt(ctx.db, `sso response ${connector.id}`, logLimit);
    } catch (limited) {
      if (!(limited instanceof Refusal)) throw limited;
      return { kind: "refused", connector, code, message, isTest: false };
    }
  }
  return refuse(ctx, connector, { purpose: purpose ?? "sign_in" }, code, message);
}

/** Finishes a sign-in whose response was verified, in the browser that started it. */
export async function continueSaml(
  ctx: Ctx,
  id: string,
  token: string,
  cookies: string | undefined,
): Promise<Completed | Unknown> {
  const connector = await requireSamlByAddress(ctx, id);
  const attempt = await store.useByToken(ctx.db, hashSecret(token));
  if (!attempt) return { kind: "unknown" };
  const refused = await refuseAttempt(ctx, connector, attempt, cookies);
  if (refused) return refused;
  const { proof } = openSecrets(ctx, attempt);
  return proof ? complete(ctx, connector, attempt, proof, cookies) : { kind: "unknown" };
}
