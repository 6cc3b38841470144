export type { VerifiedAssertion } from "./assertion.ts";
export { SamlError } from "./errors.ts";
export { createServiceProviderKeys } from "./keys.ts";
export {
  type CertificateFacts,
  compareMetadata,
  describeCertificate,
  type MetadataChange,
  readMetadata,
} from "./metadata.ts";
export { writeMetadata } from "./own-metadata.ts";
export { type AuthnRequest, createAuthnRequest } from "./request.ts";
export { type Expectation, type ParsedResponse, parseResponse, verifyResponse } from "./response.ts";
export {
  type Binding,
  clockSkewMs,
  type IdentityProvider,
  type SamlSettings,
  type ServiceProviderKeys,
} from "./settings.ts";
export { type Attribute, findAttribute } from "./subject.ts";
