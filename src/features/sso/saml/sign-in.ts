import type { Ctx } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import type { SamlRow } from "../connectors/index.ts";
import type { Proof } from "../people/index.ts";
import {
  type AuthnRequest,
  createAuthnRequest,
  type Expectation,
  type ParsedResponse,
  SamlError,
  verifyResponse,
} from "../saml-protocol/index.ts";
import { toProof } from "./proof.ts";
import { openSettings } from "./settings.ts";
import * as store from "./store.ts";

export const buildSamlRequest = (
  ctx: Ctx,
  connector: SamlRow,
  { signsInAgain }: { signsInAgain: boolean },
): AuthnRequest => {
  const now = Date.now();
  const { binding } = connector.settings;
  return createAuthnRequest(openSettings(ctx, connector, now), {
    now,
    forceAuthn: signsInAgain,
    ...(binding === null ? {} : { binding }),
  });
};

/**
 * Verifies a response, and that its assertion is used for the first time. Throws a `SamlError`. Call it in the
 * transaction that continues the sign-in, so that an assertion whose sign-in fails on our side can be sent again.
 */
export async function acceptResponse(
  ctx: Pick<Ctx, "keyring" | "config">,
  tx: Db,
  connector: SamlRow,
  response: ParsedResponse,
  expected: Expectation,
): Promise<Proof> {
  const now = Date.now();
  const verified = verifyResponse(openSettings(ctx, connector, now), response, expected, now);
  const { orgId, id } = connector;
  if (!(await store.useAssertion(tx, orgId, id, verified.assertionId, verified.replayUntil)))
    throw new SamlError("saml_replayed");
  return toProof(verified, connector.settings);
}
