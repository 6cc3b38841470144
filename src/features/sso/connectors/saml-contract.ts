import { z } from "zod";

const binding = z.enum(["redirect", "post"]);
const requireSigned = z.enum(["either", "assertion", "response", "both"]);
const attributeName = z.string().min(1).max(400);
const Attributes = z
  .strictObject({
    email: attributeName.nullable(),
    name: attributeName.nullable(),
    groups: attributeName.nullable(),
  })
  .meta({ id: "SsoSamlAttributes" });

export const SsoCertificate = z
  .strictObject({
    fingerprint: z.string().describe("SHA-256 of the certificate, in hexadecimal."),
    subject: z.string().describe("Whom the certificate names."),
    notBefore: z.int(),
    notAfter: z
      .int()
      .describe("When the certificate ends. It is shown, but not enforced: SAML uses only its key."),
  })
  .meta({ id: "SsoCertificate" });

export const SamlEndpoint = z.strictObject({ binding, url: z.string() }).meta({ id: "SsoSamlEndpoint" });

export const samlSettings = {
  binding: binding.nullable().optional(),
  requireSigned: requireSigned
    .optional()
    .describe("Default `either`: the response or the assertion must be signed."),
  subjectAttribute: attributeName
    .nullable()
    .optional()
    .describe("The attribute that identifies a person and never changes. Needed if the NameID is transient."),
  nameIdFormat: z.string().min(1).max(200).nullable().optional(),
  allowsProviderStart: z.boolean().optional().describe("Default true."),
  attributes: Attributes.partial().optional(),
};

/** The fields that only SAML connectors have. */
export const samlFields = {
  kind: z.literal("saml"),
  entityId: z.string().describe("Our entity id. The audience of assertions must be exactly this one."),
  acsUrl: z.string().describe("Where the provider sends responses to (Assertion Consumer Service)."),
  metadataUrl: z.string().describe("Our metadata, for the provider."),
  certificate: SsoCertificate.describe(
    "Our certificate: it signs requests, and assertions may be encrypted with it.",
  ),
  certificatePem: z.string().describe("The same certificate, to copy to the provider."),
  earlierCertificateUntil: z
    .int()
    .nullable()
    .describe("Until when assertions that are encrypted with the earlier certificate are accepted."),
  provider: z
    .strictObject({
      entityId: z.string(),
      endpoints: z.array(SamlEndpoint),
      certificates: z.array(SsoCertificate).describe("Each of them may sign."),
      wantsSignedRequests: z.boolean(),
    })
    .meta({ id: "SsoSamlProvider" }),
  binding: binding.nullable().describe("How requests are sent. Null: by redirect if the provider offers it."),
  requireSigned: requireSigned.describe("What the provider must sign."),
  subjectAttribute: z
    .string()
    .nullable()
    .describe("The attribute that identifies a person. Null: the NameID."),
  nameIdFormat: z.string().nullable().describe("The format of NameID that requests ask for."),
  allowsProviderStart: z.boolean().describe("Whether people may start at the provider."),
  attributes: Attributes.describe("Which attributes hold address, name and groups. Null: the usual names."),
};
