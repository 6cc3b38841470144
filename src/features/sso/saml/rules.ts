import type { MemberCtx } from "../../../platform/context.ts";
import { conflict, Refusal } from "../../../platform/errors.ts";
import { requireConnector, type SamlRow } from "../connectors/index.ts";
import { MetadataFailure } from "./provider.ts";

/** Turns a failure at the provider into a refusal of the request. */
export async function refuseFailures<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof MetadataFailure)) throw error;
    const { code, message } = error;
    throw new Refusal(code === "metadata_unreachable" ? 502 : 422, { error: code, message });
  }
}

export const notSaml = () => conflict("not_saml", "This connector is not a SAML connector.");

export async function requireSaml(ctx: MemberCtx, id: string): Promise<SamlRow> {
  const connector = await requireConnector(ctx, id);
  if (connector.kind !== "saml") throw notSaml();
  return connector;
}
