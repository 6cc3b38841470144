import { isDeepStrictEqual } from "node:util";
import { invalidField } from "../../../platform/errors.ts";
import { describeCertificate } from "../saml-protocol/index.ts";
import type { Change } from "./contract.ts";
import type { SamlConnectorSettings } from "./settings.ts";
import type { SamlRow, Update } from "./store.ts";

/** The part of a connector that only SAML has, as the API shows it. */
export function describeSaml(address: (path: string) => string, { settings, earlierSecretUntil }: SamlRow) {
  const { provider, certificate } = settings;
  return {
    kind: "saml" as const,
    entityId: address("saml/metadata"),
    acsUrl: address("saml/acs"),
    metadataUrl: address("saml/metadata"),
    certificate: describeCertificate(certificate),
    certificatePem: certificate,
    earlierCertificateUntil: earlierSecretUntil,
    provider: { ...provider, certificates: provider.certificates.map(describeCertificate) },
    binding: settings.binding,
    requireSigned: settings.requireSigned,
    subjectAttribute: settings.subjectAttribute,
    nameIdFormat: settings.nameIdFormat,
    allowsProviderStart: settings.allowsProviderStart,
    attributes: settings.attributes,
  };
}

const oidcFields = [
  "endpoints",
  "clientId",
  "clientSecret",
  "tokenEndpointAuthMethod",
  "scopes",
  "claims",
] as const;
const samlFields = [
  "binding",
  "requireSigned",
  "subjectAttribute",
  "nameIdFormat",
  "allowsProviderStart",
  "attributes",
] as const;

const refuseFields = (body: Change, fields: readonly (keyof Change)[], kind: string): void => {
  for (const field of fields)
    if (body[field] !== undefined) throw invalidField([field], `${kind} connectors do not have this field.`);
};

export const refuseSamlFields = (body: Change) => refuseFields(body, samlFields, "OpenID Connect");

type SamlOptions = Pick<Change, (typeof samlFields)[number]>;

/** Fields that are left out keep their value. */
export const applySamlOptions = (
  before: SamlConnectorSettings,
  options: SamlOptions,
): SamlConnectorSettings => ({
  ...before,
  binding: options.binding === undefined ? before.binding : options.binding,
  requireSigned: options.requireSigned ?? before.requireSigned,
  subjectAttribute:
    options.subjectAttribute === undefined ? before.subjectAttribute : options.subjectAttribute,
  nameIdFormat: options.nameIdFormat === undefined ? before.nameIdFormat : options.nameIdFormat,
  allowsProviderStart: options.allowsProviderStart ?? before.allowsProviderStart,
  attributes: {
    email: options.attributes?.email === undefined ? before.attributes.email : options.attributes.email,
    name: options.attributes?.name === undefined ? before.attributes.name : options.attributes.name,
    groups: options.attributes?.groups === undefined ? before.attributes.groups : options.attributes.groups,
  },
});

export const checkBinding = ({ binding, provider }: SamlConnectorSettings): void => {
  if (binding !== null && !provider.endpoints.some((each) => each.binding === binding))
    throw invalidField(["binding"], "The provider does not offer this binding.");
};

export function planSamlChange(before: SamlRow, body: Change): Update {
  refuseFields(body, oidcFields, "SAML");
  const settings = applySamlOptions(before.settings, body);
  checkBinding(settings);
  return {
    name: body.name ?? before.name,
    enabled: body.enabled ?? before.enabled,
    settings,
    clientSecret: before.clientSecret,
    earlierClientSecret: before.earlierClientSecret,
    defaultRole: body.defaultRole ?? before.defaultRole,
    groupMappings: body.groupMappings ?? before.groupMappings,
    createsMembers: body.createsMembers ?? before.createsMembers,
    keepsTest: isDeepStrictEqual(settings, before.settings),
  };
}
