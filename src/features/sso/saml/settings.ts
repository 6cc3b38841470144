import type { Ctx } from "../../../platform/context.ts";
import { buildUrl, openClientSecrets, type SamlRow } from "../connectors/index.ts";
import type { SamlSettings, ServiceProviderKeys } from "../saml-protocol/index.ts";

/** The settings of a connector for the protocol, with its private keys. */
export function openSettings(
  ctx: Pick<Ctx, "keyring" | "config">,
  connector: SamlRow,
  now: number,
): SamlSettings & { keys: ServiceProviderKeys } {
  const { settings, id } = connector;
  const [privateKey, earlierKey] = openClientSecrets(ctx, connector, now);
  const { certificate, earlierCertificate } = settings;
  const earlier =
    earlierKey && earlierCertificate ? [{ privateKey: earlierKey, certificate: earlierCertificate }] : [];
  return {
    entityId: buildUrl(ctx.config.publicUrl, id, "saml/metadata"),
    acsUrl: buildUrl(ctx.config.publicUrl, id, "saml/acs"),
    keys: { privateKey: privateKey!, certificate },
    previousKeys: earlier,
    identityProvider: settings.provider,
    requireSigned: settings.requireSigned,
    ...(settings.subjectAttribute === null ? {} : { subjectAttribute: settings.subjectAttribute }),
    ...(settings.nameIdFormat === null ? {} : { nameIdFormat: settings.nameIdFormat }),
  };
}
