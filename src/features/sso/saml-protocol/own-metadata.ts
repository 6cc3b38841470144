import { toBareBase64 } from "./keys.ts";
import type { SamlSettings } from "./settings.ts";
import { escapeXml, namespaces } from "./xml.ts";

const persistent = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent";

/** In the order in which we want them used. AES-CBC is absent, since it needs a signed response as well. */
const encryptionMethods = [
  "http://www.w3.org/2009/xmlenc11#aes256-gcm",
  "http://www.w3.org/2009/xmlenc11#aes128-gcm",
  "http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p",
];

/** Writes our metadata of a connector, for the administrator of the identity provider. */
export function writeMetadata({
  entityId,
  acsUrl,
  keys,
  previousKeys = [],
  nameIdFormat = persistent,
}: Pick<SamlSettings, "entityId" | "acsUrl" | "keys" | "previousKeys" | "nameIdFormat">): string {
  const writeKey = (use: "signing" | "encryption", certificate: string) => {
    const methods =
      use === "encryption"
        ? encryptionMethods.map((algorithm) => `<md:EncryptionMethod Algorithm="${algorithm}"/>`).join("")
        : "";
    return `<md:KeyDescriptor use="${use}"><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${toBareBase64(certificate)}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>${methods}</md:KeyDescriptor>`;
  };
  // The earlier certificate is still listed for signing, so that requests of either key verify during a roll-over.
  const signing = [keys, ...previousKeys].flatMap((each) =>
    each ? [writeKey("signing", each.certificate)] : [],
  );
  const encryption = keys ? [writeKey("encryption", keys.certificate)] : [];
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<md:EntityDescriptor xmlns:md="${namespaces.metadata}" xmlns:ds="${namespaces.signature}" entityID="${escapeXml(entityId)}">`,
    `<md:SPSSODescriptor AuthnRequestsSigned="${keys !== undefined}" WantAssertionsSigned="true" protocolSupportEnumeration="${namespaces.protocol}">`,
    ...signing,
    ...encryption,
    `<md:NameIDFormat>${escapeXml(nameIdFormat)}</md:NameIDFormat>`,
    `<md:AssertionConsumerService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="${escapeXml(acsUrl)}" index="0" isDefault="true"/>`,
    "</md:SPSSODescriptor>",
    "</md:EntityDescriptor>",
    "",
  ].join("\n");
}
