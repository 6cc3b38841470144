import { z } from "zod";
import { lineOfText, open, route } from "../../../platform/http/index.ts";
import { can } from "../../permissions/index.ts";
import {
  manage,
  notFoundError,
  one,
  params,
  rules,
  SamlEndpoint,
  SsoCertificate,
  samlSettings,
} from "../connectors/index.ts";

const tag = "SSO connectors";
const maxXml = 1024 * 1024;
const metadataXml = z.string().min(1).max(maxXml).describe("The metadata of the identity provider, as XML.");

export const create = route({
  method: "post",
  path: "/v1/sso/saml",
  tag,
  summary: "Set up single sign-on with SAML 2.0",
  description:
    "Send the address of the provider's metadata, or the metadata itself. Give `metadataUrl` of the reply (or `entityId` and `acsUrl`) to the provider. Then test a sign-in with `POST /v1/sso/{id}/test`.",
  access: manage,
  bodyLimit: 2 * maxXml,
  body: z.strictObject({
    name: lineOfText(120),
    metadataUrl: z
      .string()
      .min(1)
      .max(2048)
      .optional()
      .describe("Where the provider publishes its metadata. It is read again every six hours."),
    metadataXml: metadataXml.optional(),
    providerEntityId: z
      .string()
      .min(1)
      .max(1024)
      .optional()
      .describe("Which provider is meant, if the metadata describes several."),
    ...samlSettings,
    ...rules,
  }),
  replies: { 201: one },
  errors: {
    422: "`saml_metadata_expired` and other codes that begin with `saml_metadata_`: the metadata cannot be used; the message says why.",
    502: "`metadata_unreachable`: the address of the metadata gave no usable answer.",
  },
});
export type NewSaml = z.output<(typeof create)["body"]>;

const Values = <Value extends z.ZodType>(value: Value) =>
  z.strictObject({ before: value, after: value }).nullable();

const Change = z
  .strictObject({
    id: z.string().describe("Names exactly this change, for `POST /v1/sso/{id}/metadata/approve`."),
    since: z.int().describe("When the change was first seen."),
    certificatesAdded: z.array(SsoCertificate),
    certificatesRemoved: z.array(SsoCertificate),
    endpointsAdded: z.array(SamlEndpoint),
    endpointsRemoved: z.array(SamlEndpoint),
    wantsSignedRequests: Values(z.boolean()).describe("Null: no change."),
  })
  .meta({ id: "SsoMetadataChange" });

const Metadata = z
  .strictObject({
    url: z.string().nullable().describe("Null: the metadata was sent as XML."),
    checkedAt: z.int().nullable(),
    failureCode: z.string().nullable().describe("Why the last check failed. Null: it did not."),
    failure: z.string().nullable(),
    change: Change.nullable().describe("What the provider changed, and nobody has approved yet."),
  })
  .meta({ id: "SsoMetadata" });
export type Metadata = z.output<typeof Metadata>;
const metadataReply = z.strictObject({ metadata: Metadata });

const kindError = "`not_saml`: the connector is not a SAML connector.";

export const readMetadata = route({
  method: "get",
  path: "/v1/sso/{id}/metadata",
  tag,
  summary: "The state of the provider's SAML metadata",
  description: "When it was last read, and the change that waits for approval.",
  access: can("sso:read"),
  params,
  replies: { 200: metadataReply },
  errors: { 404: notFoundError, 409: kindError },
});

export const refreshMetadata = route({
  method: "post",
  path: "/v1/sso/{id}/metadata/refresh",
  tag,
  summary: "Read the provider's SAML metadata again",
  description:
    "From its address, or from `metadataXml`. A difference is shown as `change` and takes effect when it is approved.",
  access: manage,
  limit: { attempts: 60, perSeconds: 3600 },
  params,
  bodyLimit: 2 * maxXml,
  bodyOptional: true,
  body: z.strictObject({ metadataXml: metadataXml.optional() }),
  replies: { 200: metadataReply },
  errors: {
    404: notFoundError,
    409: `${kindError} \`no_metadata_url\`: send \`metadataXml\`.`,
    422: "`saml_metadata_expired` and other codes that begin with `saml_metadata_`: the metadata cannot be used; the message says why.",
    502: "`metadata_unreachable`: the address of the metadata gave no usable answer.",
  },
});

export const approveMetadata = route({
  method: "post",
  path: "/v1/sso/{id}/metadata/approve",
  tag,
  summary: "Approve a change of the provider's SAML metadata",
  description:
    "Replaces certificates and endpoints by those of the change. Compare the fingerprints with the provider first.",
  access: manage,
  params,
  bodyOptional: true,
  body: z.strictObject({
    changeId: z.string().max(100).optional().describe("Approve only this change, not a newer one."),
  }),
  replies: { 200: one },
  errors: {
    404: notFoundError,
    409: `${kindError} \`no_metadata_change\`: nothing waits for approval. \`metadata_changed_again\`: the provider changed it again; look at the new change.`,
  },
});

export const rotateCertificate = route({
  method: "post",
  path: "/v1/sso/{id}/saml/certificate",
  tag,
  summary: "Give a SAML connector a new key and certificate",
  description:
    "Requests are signed with the new key at once. For 30 days our metadata lists both certificates, and assertions that are encrypted with the earlier one are still accepted. Give the new certificate to the provider.",
  access: manage,
  params,
  replies: { 200: one },
  errors: { 404: notFoundError, 409: kindError },
});

export const ownMetadata = route({
  method: "get",
  path: "/v1/sso/{id}/saml/metadata",
  tag,
  summary: "Our SAML metadata of a connector",
  description: "For the identity provider. Public: it contains addresses and certificates, and no secrets.",
  access: open,
  limit: { attempts: 120, perSeconds: 60 },
  params,
  raw: "application/samlmetadata+xml",
  replies: { 200: z.string() },
  errors: { 404: notFoundError },
});
