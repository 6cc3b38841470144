import { X509Certificate } from "node:crypto";
import { readBase64 } from "./base64.ts";
import { SamlError } from "./errors.ts";
import { toPem } from "./keys.ts";
import type { Binding, IdentityProvider } from "./settings.ts";
import { readKeys } from "./signatures.ts";
import { readTime } from "./time.ts";
import {
  childrenNamed,
  isNamed,
  namespaces,
  parseXml,
  readAttribute,
  readText,
  type XmlElement,
} from "./xml.ts";

const { metadata: md, signature: dsig, protocol: samlp } = namespaces;
const maxLength = 1024 * 1024;
const bindings: Record<string, Binding> = {
  "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect": "redirect",
  "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST": "post",
};

/** What a certificate shows to a person. */
export interface CertificateFacts {
  fingerprint: string;
  subject: string;
  notBefore: number;
  notAfter: number;
}

export interface ProviderMetadata extends IdentityProvider {
  nameIdFormats: string[];
  validUntil: number | null;
}

/**
 * Reads the metadata of an identity provider. Its signature is not checked: the administrator who approves the
 * certificates is the trust anchor.
 */
export function readMetadata(
  xml: string,
  { entityId, now }: { entityId?: string; now: number },
): ProviderMetadata {
  if (xml.length > maxLength) throw new SamlError("saml_too_large");
  const { root } = parseXml(xml, { comments: true });
  const entity = findEntity(root, entityId);
  const provider = findProvider(entity)!;
  const validUntil =
    [root, entity, provider]
      .flatMap((element) => readTime(readAttribute(element, "validUntil")) ?? [])
      .sort((a, b) => a - b)[0] ?? null;
  if (validUntil !== null && validUntil <= now) throw new SamlError("saml_metadata_expired");
  const wantsSigned = readAttribute(provider, "WantAuthnRequestsSigned");
  return {
    entityId: readAttribute(entity, "entityID")!,
    endpoints: readEndpoints(provider),
    certificates: readCertificates(provider),
    wantsSignedRequests: wantsSigned === "true" || wantsSigned === "1",
    nameIdFormats: childrenNamed(provider, md, "NameIDFormat").flatMap((format) => readText(format) ?? []),
    validUntil,
  };
}

function findProvider(entity: XmlElement): XmlElement | undefined {
  const found = childrenNamed(entity, md, "IDPSSODescriptor").filter((descriptor) =>
    readAttribute(descriptor, "protocolSupportEnumeration")?.split(/\s+/).includes(samlp),
  );
  return found.length === 1 ? found[0] : undefined;
}

function listEntities(element: XmlElement): XmlElement[] {
  if (isNamed(element, md, "EntityDescriptor")) return [element];
  if (!isNamed(element, md, "EntitiesDescriptor")) throw new SamlError("saml_metadata_not_metadata");
  return [
    ...childrenNamed(element, md, "EntityDescriptor"),
    ...childrenNamed(element, md, "EntitiesDescriptor").flatMap(listEntities),
  ];
}

function findEntity(root: XmlElement, wanted: string | undefined): XmlElement {
  const providers = listEntities(root).filter((entity) => {
    const entityId = readAttribute(entity, "entityID");
    const isUsable = entityId && entityId.length <= 1024 && findProvider(entity);
    return isUsable && (wanted === undefined || entityId === wanted);
  });
  if (providers.length > 1) throw new SamlError("saml_metadata_several_providers");
  if (!providers[0])
    throw new SamlError(wanted === undefined ? "saml_metadata_not_metadata" : "saml_metadata_other_entity");
  return providers[0];
}

/** Browsers are sent to these addresses with a request, so they are https, or a server on the same machine. */
const isAcceptable = (address: string): boolean => {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || url.username || url.password || url.hash || address.length > 2048) return false;
  const isLoopback = ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback);
};

function readEndpoints(provider: XmlElement): IdentityProvider["endpoints"] {
  const found = childrenNamed(provider, md, "SingleSignOnService").flatMap((service) => {
    const binding = bindings[readAttribute(service, "Binding") ?? ""];
    const url = readAttribute(service, "Location")?.trim() ?? "";
    return binding && isAcceptable(url) ? [{ binding, url }] : [];
  });
  // One of each, and HTTP-Redirect first: it needs no page in between.
  const endpoints = (["redirect", "post"] as const).flatMap(
    (binding) => found.find((each) => each.binding === binding) ?? [],
  );
  if (endpoints.length === 0) throw new SamlError("saml_metadata_no_endpoint");
  return endpoints;
}

function readCertificates(provider: XmlElement): string[] {
  const certificates = childrenNamed(provider, md, "KeyDescriptor")
    .filter((descriptor) => (readAttribute(descriptor, "use") ?? "signing") === "signing")
    .flatMap((descriptor) => childrenNamed(descriptor, dsig, "KeyInfo"))
    .flatMap((info) => childrenNamed(info, dsig, "X509Data"))
    // The first certificate of a chain is the one that has the key.
    .flatMap((data) => childrenNamed(data, dsig, "X509Certificate").slice(0, 1))
    .map((element) => {
      const bytes = readBase64(readText(element) ?? "");
      if (!bytes) throw new SamlError("saml_certificate_invalid");
      return toPem(bytes);
    });
  const unique = [...new Set(certificates)];
  if (unique.length === 0) throw new SamlError("saml_metadata_no_certificate");
  if (unique.length > 10) throw new SamlError("saml_too_large");
  readKeys(unique);
  return unique;
}

export function describeCertificate(pem: string): CertificateFacts {
  const certificate = new X509Certificate(pem);
  return {
    fingerprint: certificate.fingerprint256.replaceAll(":", "").toLowerCase(),
    subject: certificate.subject?.replaceAll("\n", ", ") ?? "",
    notBefore: Date.parse(certificate.validFrom),
    notAfter: Date.parse(certificate.validTo),
  };
}

export interface MetadataChange {
  entityId: { before: string; after: string } | null;
  certificatesAdded: CertificateFacts[];
  certificatesRemoved: CertificateFacts[];
  endpointsAdded: IdentityProvider["endpoints"];
  endpointsRemoved: IdentityProvider["endpoints"];
  wantsSignedRequests: { before: boolean; after: boolean } | null;
}

/** Describes what would change. Returns null if nothing does; the order of certificates does not count. */
export function compareMetadata(current: IdentityProvider, next: IdentityProvider): MetadataChange | null {
  const toKey = ({ binding, url }: IdentityProvider["endpoints"][number]) => `${binding} ${url}`;
  const missing = <Item>(items: Item[], others: Item[], key: (item: Item) => string) => {
    const known = new Set(others.map(key));
    return items.filter((item) => !known.has(key(item)));
  };
  const before = current.certificates.map(describeCertificate);
  const after = next.certificates.map(describeCertificate);
  const differ = <Value>(from: Value, to: Value) => (from === to ? null : { before: from, after: to });
  const change: MetadataChange = {
    entityId: differ(current.entityId, next.entityId),
    certificatesAdded: missing(after, before, ({ fingerprint }) => fingerprint),
    certificatesRemoved: missing(before, after, ({ fingerprint }) => fingerprint),
    endpointsAdded: missing(next.endpoints, current.endpoints, toKey),
    endpointsRemoved: missing(current.endpoints, next.endpoints, toKey),
    wantsSignedRequests: differ(current.wantsSignedRequests, next.wantsSignedRequests),
  };
  const isEmpty = Object.values(change).every(
    (value) => value === null || (Array.isArray(value) && value.length === 0),
  );
  return isEmpty ? null : change;
}
