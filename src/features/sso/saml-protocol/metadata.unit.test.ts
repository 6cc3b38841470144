import { X509Certificate } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import {
  compareMetadata,
  createServiceProviderKeys,
  describeCertificate,
  readMetadata,
  SamlError,
  type ServiceProviderKeys,
  writeMetadata,
} from "./index.ts";

const md = "urn:oasis:names:tc:SAML:2.0:metadata";
const redirect = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect";
const post = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST";
const now = Date.parse("2026-11-16T00:00:00Z");

let first: ServiceProviderKeys;
let second: ServiceProviderKeys;
beforeAll(async () => {
  [first, second] = (await Promise.all(
    ["first", "second"].map((name) => createServiceProviderKeys(name, new Date(now))),
  )) as [ServiceProviderKeys, ServiceProviderKeys];
});

const bare = ({ certificate }: ServiceProviderKeys) => certificate.replace(/-----[^-]+-----|\n/g, "");
const writeKey = (certificate: string, use = "signing") =>
  `<KeyDescriptor${use ? ` use="${use}"` : ""}><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>\n${certificate}\n</X509Certificate></X509Data></KeyInfo></KeyDescriptor>`;
const writeService = (binding: string, location: string) =>
  `<SingleSignOnService Binding="${binding}" Location="${location}"/>`;
const writeProvider = ({
  entityId = "https://idp.test/",
  attributes = "",
  keys = writeKey(bare(first)),
  services = writeService(post, "https://idp.test/post") + writeService(redirect, "https://idp.test/sso"),
} = {}) =>
  `<EntityDescriptor xmlns="${md}" entityID="${entityId}"><IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol" ${attributes}>${keys}<NameIDFormat>urn:x</NameIDFormat>${services}</IDPSSODescriptor></EntityDescriptor>`;
/** With ten attributes. */
const otherElement = `<Other ${Array.from({ length: 10 }, (_, n) => `a${n}="text"`).join(" ")}/>`;
const read = (xml: string, entityId?: string) =>
  readMetadata(xml, { now, ...(entityId ? { entityId } : {}) });
const judge = (xml: string) => {
  try {
    read(xml);
    return "accepted";
  } catch (error) {
    if (error instanceof SamlError) return error.code;
    throw error;
  }
};

describe("metadata of an identity provider", () => {
  test("gives entity id, endpoints, certificates and flags", () => {
    const xml = `<?xml version="1.0"?>\n<!-- by hand --> ${writeProvider({ attributes: 'WantAuthnRequestsSigned="true"' })}`;
    expect(read(xml)).toEqual({
      entityId: "https://idp.test/",
      endpoints: [
        { binding: "redirect", url: "https://idp.test/sso" },
        { binding: "post", url: "https://idp.test/post" },
      ],
      certificates: [first.certificate],
      wantsSignedRequests: true,
      nameIdFormats: ["urn:x"],
      validUntil: null,
    });
  });

  test("may have as much beside the provider as large federation servers write", () => {
    const others = otherElement.repeat(900);
    expect(judge(writeProvider().replace("<NameIDFormat", `<!-- by hand -->${others}<NameIDFormat`))).toBe(
      "accepted",
    );
  });

  test("may have several keys for a roll-over; keys for encryption are left out", () => {
    const keys = writeKey(bare(first)) + writeKey(bare(second), "") + writeKey(bare(second), "encryption");
    expect(read(writeProvider({ keys })).certificates).toEqual([first.certificate, second.certificate]);
  });

  test("of a federation needs the entity id of the provider", () => {
    const several = `<EntitiesDescriptor xmlns="${md}">${writeProvider()}<EntitiesDescriptor>${writeProvider({ entityId: "https://b.test/" })}</EntitiesDescriptor></EntitiesDescriptor>`;
    expect(judge(several)).toBe("saml_metadata_several_providers");
    expect(read(several, "https://b.test/").entityId).toBe("https://b.test/");
    expect(() => read(several, "https://c.test/")).toThrow(SamlError);
  });

  test.each<[string, () => string, string]>([
    ["a DOCTYPE", () => `<!DOCTYPE x>${writeProvider()}`, "saml_markup_forbidden"],
    ["an entity bomb", () => `<!DOCTYPE x [<!ENTITY a "b">]>${writeProvider()}`, "saml_markup_forbidden"],
    ["a comment without an end", () => `<!--${writeProvider()}`, "saml_xml_invalid"],
    ["an oversized document", () => `${writeProvider()}${" ".repeat(1024 * 1024)}`, "saml_too_large"],
    ["a document of comments", () => `${"<!---->".repeat(501)}${writeProvider()}`, "saml_too_large"],
    [
      "a document with very many attributes",
      () => `${writeProvider().replace("<NameIDFormat", `${otherElement.repeat(1_001)}<NameIDFormat`)}`,
      "saml_too_large",
    ],
    ["a page", () => "<html><body/></html>", "saml_metadata_not_metadata"],
    ["something else than XML", () => "{}", "saml_xml_invalid"],
    ["no certificate", () => writeProvider({ keys: "" }), "saml_metadata_no_certificate"],
    ["a broken certificate", () => writeProvider({ keys: writeKey("AAAA") }), "saml_certificate_invalid"],
    ["no endpoint", () => writeProvider({ services: "" }), "saml_metadata_no_endpoint"],
    [
      "an endpoint without https",
      () => writeProvider({ services: writeService(redirect, "http://idp.test/sso") }),
      "saml_metadata_no_endpoint",
    ],
    [
      "an endpoint that is a script",
      () => writeProvider({ services: writeService(redirect, "javascript:alert(1)") }),
      "saml_metadata_no_endpoint",
    ],
    [
      "an expired document",
      () => writeProvider({ attributes: 'validUntil="2026-11-15T00:00:00Z"' }),
      "saml_metadata_expired",
    ],
    [
      "metadata of a service provider",
      () => writeMetadata({ entityId: "https://sp.test/", acsUrl: "https://sp.test/acs" }),
      "saml_metadata_not_metadata",
    ],
  ])("%s is refused", (_, write, code) => {
    expect(judge(write())).toBe(code);
  });

  test("a weak key is refused", async () => {
    const weak = await createServiceProviderKeys("weak", new Date(now), { bits: 1024 });
    expect(judge(writeProvider({ keys: writeKey(bare(weak)) }))).toBe("saml_key_weak");
  });
});

describe("a change of metadata", () => {
  test("is none if only the order or the format differs", () => {
    const keys = writeKey(bare(first)) + writeKey(bare(second));
    const turned = writeKey(bare(second)) + writeKey(bare(first));
    expect(compareMetadata(read(writeProvider({ keys })), read(writeProvider({ keys: turned })))).toBeNull();
  });

  test("names the certificates that come and go, with fingerprint and end", () => {
    const next = read(
      writeProvider({
        keys: writeKey(bare(second)),
        services: writeService(redirect, "https://idp.test/new"),
        attributes: 'WantAuthnRequestsSigned="1"',
        entityId: "https://new.test/",
      }),
    );
    const added = describeCertificate(second.certificate);
    expect(compareMetadata(read(writeProvider()), next)).toEqual({
      entityId: { before: "https://idp.test/", after: "https://new.test/" },
      certificatesAdded: [added],
      certificatesRemoved: [describeCertificate(first.certificate)],
      endpointsAdded: [{ binding: "redirect", url: "https://idp.test/new" }],
      endpointsRemoved: [
        { binding: "redirect", url: "https://idp.test/sso" },
        { binding: "post", url: "https://idp.test/post" },
      ],
      wantsSignedRequests: { before: false, after: true },
    });
    expect(added).toEqual({
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
      subject: "CN=second",
      notBefore: now,
      notAfter: Date.parse("2036-11-16T00:00:00Z"),
    });
  });
});

describe("our own keys and metadata", () => {
  test("the certificate is self-signed, fits its key, and is valid for ten years", () => {
    const certificate = new X509Certificate(first.certificate);
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.issuer).toBe(certificate.subject);
    expect(certificate.ca).toBe(false);
    expect(certificate.publicKey.asymmetricKeyDetails?.modulusLength).toBe(3072);
    expect(new X509Certificate(second.certificate).serialNumber).not.toBe(certificate.serialNumber);
  });

  test("years from 2050 on are written with four digits", async () => {
    const { certificate } = await createServiceProviderKeys("late", new Date("2045-01-02T03:04:05Z"), {
      bits: 1024,
    });
    expect(describeCertificate(certificate)).toMatchObject({
      notBefore: Date.parse("2045-01-02T03:04:05Z"),
      notAfter: Date.parse("2055-01-02T03:04:05Z"),
    });
  });

  test("metadata names both certificates during a roll-over, and encrypts with the newer one", () => {
    const xml = writeMetadata({
      entityId: 'https://sp.test/?a=1&b="2"',
      acsUrl: "https://sp.test/acs",
      keys: second,
      previousKeys: [first],
    });
    expect(xml.match(/use="signing"/g)).toHaveLength(2);
    expect(xml.match(/use="encryption"/g)).toHaveLength(1);
    expect(xml.split('use="encryption"')[1]).toContain(bare(second));
    expect(xml).toContain("https://sp.test/?a=1&#38;b=&#34;2&#34;");
    expect(xml).not.toContain("PRIVATE");
  });
});
