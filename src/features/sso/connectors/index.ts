export { findDueWarning, findProviderCertificate } from "./certificates.ts";
export {
  manage,
  notFoundError,
  one,
  params,
  rules,
} from "./contract.ts";
export { openClientSecrets } from "./oidc.ts";
export { routes } from "./routes.ts";
export { applySamlOptions, checkBinding } from "./saml.ts";
export { SamlEndpoint, SsoCertificate, samlSettings } from "./saml-contract.ts";
export {
  buildUrl,
  changeRow,
  insertConnector,
  listEndingCertificates,
  requireConnector,
} from "./service.ts";
export {
  createSecretPlace,
  type SamlConnectorSettings,
  sealedSecrets,
} from "./settings.ts";
export {
  type ConnectorId,
  type ConnectorRow,
  findByAddressAcrossOrganizations as findConnectorByAddress,
  listSamlAcrossOrganizations as listSamlConnectors,
  markTested,
  type OidcRow,
  removeEarlierSecretsAcrossOrganizations,
  type SamlRow,
} from "./store.ts";
