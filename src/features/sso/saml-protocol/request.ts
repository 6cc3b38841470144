import { createPrivateKey, randomBytes, sign } from "node:crypto";
import { deflateRawSync } from "node:zlib";
import { SignedXml } from "xml-crypto";
import { rsaSha256 } from "./algorithms.ts";
import { SamlError } from "./errors.ts";
import { toBareBase64 } from "./keys.ts";
import type { Binding, SamlSettings, ServiceProviderKeys } from "./settings.ts";
import { escapeXml, namespaces } from "./xml.ts";

export interface RequestOptions {
  binding?: Binding;
  /** The person must prove again who they are, even with a session at the identity provider. */
  forceAuthn?: boolean;
  /** Comes back with the response. At most 80 bytes, as SAML says. */
  relayState?: string;
  now: number;
}

export type AuthnRequest = { id: string } & (
  | { binding: "redirect"; url: string }
  | { binding: "post"; url: string; fields: { SAMLRequest: string; RelayState?: string } }
);

/** Creates a request for the identity provider: an address to redirect to, or a form to post. */
export function createAuthnRequest(settings: SamlSettings, options: RequestOptions): AuthnRequest {
  const { identityProvider, keys } = settings;
  const endpoint = identityProvider.endpoints.find(
    ({ binding }) => !options.binding || binding === options.binding,
  );
  if (!endpoint) throw new SamlError("saml_binding_unsupported");
  if (identityProvider.wantsSignedRequests && !keys) throw new SamlError("saml_signing_key_missing");
  if (options.relayState && Buffer.byteLength(options.relayState) > 80)
    throw new Error("a relay state has at most 80 bytes");
  const id = `_${randomBytes(20).toString("hex")}`;
  const xml = writeRequest(settings, id, endpoint.url, options);
  if (endpoint.binding === "redirect") {
    const url = signRedirect(endpoint.url, deflateRawSync(xml).toString("base64"), options.relayState, keys);
    return { id, binding: "redirect", url };
  }
  const signed = keys ? signXml(xml, id, keys) : xml;
  const SAMLRequest = Buffer.from(signed).toString("base64");
  const fields = options.relayState ? { SAMLRequest, RelayState: options.relayState } : { SAMLRequest };
  return { id, binding: "post", url: endpoint.url, fields };
}

function writeRequest(
  { entityId, acsUrl, nameIdFormat }: SamlSettings,
  id: string,
  destination: string,
  { forceAuthn, now }: RequestOptions,
): string {
  const attributes = {
    "xmlns:samlp": namespaces.protocol,
    "xmlns:saml": namespaces.assertion,
    ID: id,
    Version: "2.0",
    IssueInstant: new Date(now).toISOString(),
    Destination: destination,
    AssertionConsumerServiceURL: acsUrl,
    ProtocolBinding: "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST",
    ...(forceAuthn ? { ForceAuthn: "true" } : {}),
  };
  const format = nameIdFormat ? ` Format="${escapeXml(nameIdFormat)}"` : "";
  return `<samlp:AuthnRequest ${writeAttributes(attributes)}><saml:Issuer>${escapeXml(entityId)}</saml:Issuer><samlp:NameIDPolicy${format} AllowCreate="true"/></samlp:AuthnRequest>`;
}

const writeAttributes = (attributes: Record<string, string>): string =>
  Object.entries(attributes)
    .map(([name, value]) => `${name}="${escapeXml(value)}"`)
    .join(" ");

/** The signature covers the parameters as they are written in the address, in this order (SAML bindings, 3.4.4.1). */
function signRedirect(
  endpoint: string,
  request: string,
  relayState: string | undefined,
  keys: ServiceProviderKeys | undefined,
): string {
  const parameters: [string, string][] = [["SAMLRequest", request]];
  if (relayState) parameters.push(["RelayState", relayState]);
  if (keys) parameters.push(["SigAlg", rsaSha256]);
  const query = parameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
  const signature = keys && sign("sha256", Buffer.from(query), keys.privateKey).toString("base64");
  const signed = signature ? `${query}&Signature=${encodeURIComponent(signature)}` : query;
  const url = new URL(endpoint);
  return `${url.origin}${url.pathname}${url.search ? `${url.search}&` : "?"}${signed}`;
}

function signXml(xml: string, id: string, { privateKey, certificate }: ServiceProviderKeys): string {
  const signer = new SignedXml({
    privateKey: createPrivateKey(privateKey),
    signatureAlgorithm: rsaSha256,
    canonicalizationAlgorithm: "http://www.w3.org/2001/10/xml-exc-c14n#",
    getKeyInfoContent: () =>
      `<X509Data><X509Certificate>${toBareBase64(certificate)}</X509Certificate></X509Data>`,
  });
  signer.addReference({
    xpath: `/*[@ID='${id}']`,
    digestAlgorithm: "http://www.w3.org/2001/04/xmlenc#sha256",
    transforms: [
      "http://www.w3.org/2000/09/xmldsig#enveloped-signature",
      "http://www.w3.org/2001/10/xml-exc-c14n#",
    ],
  });
  // The schema wants the signature directly after the issuer.
  const reference = "/*/*[local-name(.)='Issuer']";
  signer.computeSignature(xml, { location: { reference, action: "after" } });
  return signer.getSignedXml();
}
