import type { Ctx } from "../../../platform/context.ts";
import { notFound } from "../../../platform/errors.ts";
import { OAuthFailure } from "../../../platform/oauth/index.ts";
import { hashSecret } from "../../../platform/secrets.ts";
import type { ConnectorRow } from "../connectors/index.ts";
import { recordOutcome } from "../events/index.ts";
import type { Proof } from "../people/index.ts";
import { openSecrets, toEventPurpose } from "./attempts.ts";
import { type Completed, complete } from "./complete.ts";
import { isOfBrowser } from "./cookie.ts";
import { readOidcProof } from "./oidc.ts";
import { requireConnectorByAddress } from "./start.ts";
import * as store from "./store.ts";

/** The state is unknown: too old, used before, or of somebody else. The reply does not say which. */
export interface Unknown {
  kind: "unknown";
}

/** Checks that are the same for every kind of provider. Returns undefined when the attempt may continue. */
export async function refuseAttempt(
  ctx: Ctx,
  connector: ConnectorRow,
  attempt: store.Attempt,
  cookies: string | undefined,
): Promise<Completed | undefined> {
  if (attempt.connectorId !== connector.id)
    return refuse(
      ctx,
      connector,
      attempt,
      "connector_mismatch",
      "The provider sent its answer to the address of another connector.",
    );
  if (!isOfBrowser(ctx, attempt, cookies))
    return refuse(
      ctx,
      connector,
      attempt,
      "other_browser",
      "This sign-in was started in another browser. Start again in this one.",
    );
  if (!connector.enabled && attempt.purpose !== "test")
    return refuse(
      ctx,
      connector,
      attempt,
      "sso_disabled",
      "Single sign-on was switched off in the meantime.",
    );
  return undefined;
}

export async function refuse(
  ctx: Ctx,
  connector: ConnectorRow,
  { purpose }: Pick<store.Attempt, "purpose">,
  code: string,
  message: string,
): Promise<Completed> {
  await recordOutcome(ctx, ctx.db, connector.orgId, connector.id, {
    purpose: toEventPurpose(purpose),
    outcome: "refused",
    code,
    message,
  });
  return { kind: "refused", connector, code, message, isTest: purpose === "test" };
}

/** Handles the return from an OpenID provider. */
export async function handleCallback(
  ctx: Ctx,
  id: string,
  parameters: URLSearchParams,
  cookies: string | undefined,
): Promise<Completed | Unknown> {
  const connector = await requireConnectorByAddress(ctx, id);
  if (connector.kind !== "oidc") throw notFound("sso_connector");
  const state = parameters.get("state") ?? "";
  const attempt = state && (await store.useByToken(ctx.db, hashSecret(state)));
  if (!attempt) return { kind: "unknown" };
  const refused = await refuseAttempt(ctx, connector, attempt, cookies);
  if (refused) return refused;
  let proof: Proof;
  const secrets = openSecrets(ctx, attempt);
  try {
    proof = await readOidcProof(ctx, connector, {
      parameters,
      state,
      secrets,
      // Whoever signs in again must do so after the attempt started.
      maxAgeSeconds:
        attempt.purpose === "reauthenticate"
          ? Math.ceil(Math.max(0, Date.now() - attempt.createdAt) / 1000)
          : secrets.maxAgeSeconds,
      readsAgain: attempt.purpose === "test",
    });
  } catch (error) {
    if (!(error instanceof OAuthFailure)) throw error;
    return refuse(ctx, connector, attempt, error.code, error.message);
  }
  return complete(ctx, connector, attempt, proof, cookies);
}
