import type { Ctx } from "../../../platform/context.ts";
import { notFound } from "../../../platform/errors.ts";
import { OAuthFailure } from "../../../platform/oauth/index.ts";
import { hashSecret } from "../../../platform/secrets.ts";
import type { ConnectorRow } from "../connectors/index.ts";
import { recordOutcome } from "../events/index.ts";
import { type Completed, complete } from "./complete.ts";
import { hashBrowser } from "./cookie.ts";
import { type Proof, readOidcProof } from "./oidc.ts";
import { openSecrets } from "./secrets.ts";
import { requireConnectorByAddress } from "./start.ts";
import * as store from "./store.ts";

/** The state is unknown: too old, used before, or of somebody else. Nothing tells which. */
export interface Unknown {
  kind: "unknown";
}

/** Reasons that are the same for every kind of provider. Undefined when the attempt may go on. */
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
      "The answer came to another connector's address.",
    );
  if (hashBrowser(ctx.config.publicUrl, cookies) !== attempt.browserHash)
    return refuse(
      ctx,
      connector,
      attempt,
      "other_browser",
      "This sign-in was begun in another browser. Begin again in this one.",
    );
  if (!connector.enabled && attempt.purpose !== "test")
    return refuse(ctx, connector, attempt, "sso_disabled", "Single sign-on was switched off meanwhile.");
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
    purpose,
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
  try {
    proof = await readOidcProof(ctx, connector, {
      parameters,
      state,
      secrets: openSecrets(ctx.keyring, attempt.orgId, attempt.id, attempt.secrets),
      // Whoever signs in again must do so after the attempt began.
      maxAgeSeconds:
        attempt.purpose === "reauthenticate"
          ? Math.ceil(Math.max(0, Date.now() - attempt.createdAt) / 1000)
          : undefined,
    });
  } catch (error) {
    if (!(error instanceof OAuthFailure)) throw error;
    return refuse(ctx, connector, attempt, error.code, error.message);
  }
  return complete(ctx, connector, attempt, proof, cookies);
}
