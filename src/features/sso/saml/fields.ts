import type { FieldGuide } from "../../../platform/http/index.ts";

const id = "sso_01jz8q2d9xf4vvh0tbq8k3m5na";
const base = `https://signalbox.example.com/v1/sso/${id}`;
const time = 1_793_611_800_000;
const certificate = {
  fingerprint: "5f2c0b9a8e7f6d5c4b3a2918f7e6d5c4b3a2918f7e6d5c4b3a2918f7e6d5c4b3",
  subject: "CN=login.example.com",
  notBefore: time,
  notAfter: 2_109_231_000_000,
};
const endpoint = { binding: "redirect", url: "https://login.example.com/saml/sso" };

const connector = {
  id,
  kind: "saml",
  name: "Acme login",
  enabled: true,
  startUrl: `${base}/start`,
  entityId: `${base}/saml/metadata`,
  acsUrl: `${base}/saml/acs`,
  metadataUrl: `${base}/saml/metadata`,
  certificate: { ...certificate, subject: "CN=signalbox.example.com" },
  certificatePem: "-----BEGIN CERTIFICATE-----\nMIID…\n-----END CERTIFICATE-----\n",
  earlierCertificateUntil: null,
  provider: {
    entityId: "https://login.example.com/saml/metadata",
    endpoints: [endpoint],
    certificates: [certificate],
    wantsSignedRequests: false,
  },
  binding: null,
  requireSigned: "either",
  subjectAttribute: null,
  nameIdFormat: null,
  allowsProviderStart: true,
  attributes: { email: null, name: null, groups: null },
  defaultRole: "member",
  groupMappings: [{ group: "platform-admins", role: "admin" }],
  createsMembers: true,
  testedAt: time,
  testedByUserId: "usr_01jz8q2d9xf4vvh0tbq8k3m5na",
  health: {
    lastSignInAt: time,
    lastErrorAt: null,
    lastErrorCode: null,
    lastError: null,
    signIns: 42,
    failures: 0,
  },
  createdAt: time,
  updatedAt: time,
};

const change = {
  id: "5f2c0b9a8e7f6d5c4b3a2918f7e6d5c4",
  since: time,
  certificatesAdded: [certificate],
  certificatesRemoved: [],
  endpointsAdded: [],
  endpointsRemoved: [],
  wantsSignedRequests: null,
};
const metadata = {
  url: "https://login.example.com/saml/metadata",
  checkedAt: time,
  failureCode: null,
  failure: null,
  change,
};

/** Fields of SAML. */
export const samlFields: FieldGuide = {
  SsoSamlConnector: ["A whole example.", connector],
  SsoCertificate: ["A whole example.", certificate],
  SsoSamlEndpoint: ["A whole example.", endpoint],
  SsoSamlProvider: ["A whole example.", connector.provider],
  SsoSamlAttributes: ["A whole example.", connector.attributes],
  SsoMetadata: ["A whole example.", metadata],
  SsoMetadataChange: ["A whole example.", change],
  "SsoCertificate.notBefore": ["From when the certificate is valid, in milliseconds since 1970.", time],
  "SsoSamlEndpoint.binding": ["How the request is sent.", "redirect"],
  "SsoSamlEndpoint.url": ["The address of the endpoint.", endpoint.url],
  "SsoSamlProvider.entityId": [
    "The entity id of the provider. It never changes.",
    connector.provider.entityId,
  ],
  "SsoSamlProvider.endpoints": ["Where people sign in at the provider.", [endpoint]],
  "SsoSamlProvider.wantsSignedRequests": ["Whether the provider requires signed requests.", false],
  "SsoSamlConnector.provider": ["The identity provider, as its approved metadata says.", connector.provider],
  "SsoSamlConnector.kind": ["The protocol.", "saml"],
  "SsoSamlAttributes.email": ["The attribute that holds the e-mail address.", "mail"],
  "SsoSamlAttributes.name": ["The attribute that holds the name.", "displayName"],
  "SsoSamlAttributes.groups": ["The attribute that holds the groups.", "memberOf"],
  "attributes.email": ["The attribute that holds the e-mail address.", "mail"],
  "attributes.name": ["The attribute that holds the name.", "displayName"],
  "attributes.groups": ["The attribute that holds the groups.", "memberOf"],
  binding: ["How requests are sent. Null: by redirect if the provider offers it.", "redirect"],
  requireSigned: ["What the provider must sign.", "either"],
  subjectAttribute: ["The attribute that identifies a person. Null: the NameID.", "employeeNumber"],
  nameIdFormat: [
    "The format of NameID that requests ask for. Null: any.",
    "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
  ],
  allowsProviderStart: ["Whether people may start at the provider.", true],
  attributes: [
    "Which attributes hold address, name and groups. Null: the usual names.",
    connector.attributes,
  ],
  metadataUrl: ["The address of the metadata.", "https://login.example.com/saml/metadata"],
  metadataXml: ["The metadata of the identity provider, as XML.", "<EntityDescriptor …>"],
  providerEntityId: ["Which provider is meant.", connector.provider.entityId],
  changeId: ["Approve only this change, not a newer one.", change.id],
  "SsoMetadata.checkedAt": ["When the metadata was last read, in milliseconds since 1970.", time],
  "SsoMetadata.failure": ["Why the last check failed, in a sentence. Null: it did not.", null],
  certificatesAdded: ["Certificates that would be accepted.", [certificate]],
  certificatesRemoved: ["Certificates that would no longer be accepted.", []],
  endpointsAdded: ["Endpoints that would be used.", []],
  endpointsRemoved: ["Endpoints that would no longer be used.", []],
  "wantsSignedRequests.before": ["What is used now.", false],
  "wantsSignedRequests.after": ["What the provider says.", true],
  "getV1SsoByIdMetadata.metadata": ["The state of the provider's metadata.", metadata],
  "postV1SsoByIdMetadataRefresh.metadata": ["The state of the provider's metadata.", metadata],
  "postV1SsoSaml request": [
    "A whole example.",
    {
      name: "Acme login",
      metadataUrl: "https://login.example.com/saml/metadata",
      defaultRole: "member",
      groupMappings: [{ group: "platform-admins", role: "admin" }],
    },
  ],
  "postV1SsoByIdMetadataRefresh request": ["A whole example.", {}],
  "postV1SsoByIdMetadataApprove request": ["A whole example.", { changeId: change.id }],
};
