import { beforeAll, describe, expect, test } from "vitest";
import { edit, find, signAgain } from "../../../../test/fixtures/saml-idp/dom.ts";
import { persistent } from "../../../../test/fixtures/saml-idp/issuer.ts";
import { createParties, type Parties } from "../../../../test/fixtures/saml-idp/parties.ts";
import { createServiceProviderKeys } from "./index.ts";

const minute = 60_000;
const cbc = "http://www.w3.org/2001/04/xmlenc#aes256-cbc";

describe("a response of an independent identity provider", () => {
  let parties: Parties;
  beforeAll(async () => {
    parties = await createParties();
  });

  test("gives subject, session, times and attributes", async () => {
    const before = Date.now();
    const verified = parties.verify(await parties.issue({ sessionIndex: "_session-1" }));
    expect(verified).toMatchObject({
      assertionId: expect.stringMatching(/^_\w+/),
      sessionIndex: "_session-1",
      inResponseTo: "_request-1",
      subject: {
        nameId: "person-1",
        format: persistent,
        key: JSON.stringify(["nameid", persistent, "", "", "person-1"]),
      },
      attributes: [
        { name: "email", values: ["ann@acme.test"] },
        { name: "groups", values: ["engineering", "on-call"] },
      ],
    });
    expect(verified.authnInstant).toBeGreaterThanOrEqual(before - 1);
    expect(verified.notOnOrAfter - verified.authnInstant).toBe(5 * minute);
    expect(verified.replayUntil).toBe(verified.notOnOrAfter + 90_000);
  });

  test.each(["assertion", "response", "both"] as const)("is accepted if it signs: %s", async (sign) => {
    expect(parties.judge(await parties.issue({ sign }))).toBe("accepted as person-1");
  });

  test.each([
    ["assertion", "response"],
    ["assertion", "both"],
    ["response", "assertion"],
    ["response", "both"],
  ] as const)(
    "that signs only the %s is refused if the connector requires: %s",
    async (sign, requireSigned) => {
      const settings = { requireSigned };
      expect(parties.judge(await parties.issue({ sign }), { settings })).toBe("saml_signature_missing");
    },
  );

  test("started by the identity provider is accepted only if the caller allows it", async () => {
    const xml = await parties.issue({ inResponseTo: null });
    expect(parties.judge(xml, { expected: { unsolicited: true } })).toBe("accepted as person-1");
    expect(parties.judge(xml)).toBe("saml_unsolicited");
  });

  test("to a request is not accepted as one that nobody requested", async () => {
    const xml = await parties.issue();
    expect(parties.judge(xml, { expected: { unsolicited: true } })).toBe("saml_in_response_to_mismatch");
  });

  test("may be signed with either certificate during a roll-over", async () => {
    const { identityProvider } = parties.settings;
    const certificates = [parties.strangerKeys.certificate, parties.providerKeys.certificate];
    const settings = { identityProvider: { ...identityProvider, certificates } };
    const keys = parties.strangerKeys;
    expect(parties.judge(await parties.issue(), { settings })).toBe("accepted as person-1");
    expect(parties.judge(await parties.issue({ keys }), { settings })).toBe("accepted as person-1");
  });

  test.each(["assertion", "both"] as const)("may be encrypted with AES-GCM (signed: %s)", async (sign) => {
    const encryptFor = parties.settings.keys!.certificate;
    expect(parties.judge(await parties.issue({ sign, encryptFor }))).toBe("accepted as person-1");
  });

  test("may be encrypted for the earlier key", async () => {
    const encryptFor = parties.settings.keys!.certificate;
    const keys = await createServiceProviderKeys("newer", new Date(), { bits: 2048 });
    const xml = await parties.issue({ encryptFor });
    const settings = { keys, previousKeys: [parties.settings.keys!] };
    expect(parties.judge(xml, { settings })).toBe("accepted as person-1");
    expect(parties.judge(xml, { settings: { keys } })).toBe("saml_decryption_failed");
  });

  test("encrypted with AES-CBC is accepted only below a signature of the response", async () => {
    const options = { encryptFor: parties.settings.keys!.certificate, cipher: cbc };
    expect(parties.judge(await parties.issue({ ...options, sign: "both" }))).toBe("accepted as person-1");
    expect(parties.judge(await parties.issue(options))).toBe("saml_encryption_unsigned_cbc");
  });

  test("without a person is refused with the reason that the provider gave", async () => {
    const xml = edit(await parties.issue(), (document) => {
      const status = find(document, "StatusCode");
      status.setAttribute("Value", "urn:oasis:names:tc:SAML:2.0:status:Responder");
      const inner = status.cloneNode(true);
      inner.setAttribute("Value", "urn:oasis:names:tc:SAML:2.0:status:AuthnFailed");
      status.appendChild(inner);
    });
    expect(() => parties.verify(xml)).toThrow(/It reported AuthnFailed/);
    expect(parties.judge(xml)).toBe("saml_status_not_success");
  });

  test("with a transient NameID needs an attribute that identifies the person", async () => {
    const nameIdFormat = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient";
    const attributes = { uid: "ann", mail: ["a@acme.test", "b@acme.test"] };
    const xml = await parties.issue({ nameIdFormat, attributes });
    expect(parties.judge(xml)).toBe("saml_subject_transient");
    const { subject } = parties.verify(xml, { settings: { subjectAttribute: "uid" } });
    expect(subject.key).toBe('["attribute","uid","ann"]');
    for (const subjectAttribute of ["mail", "absent", "__proto__"])
      expect(parties.judge(xml, { settings: { subjectAttribute } })).toBe("saml_subject_attribute");
  });

  test("names a person by NameID, format and qualifiers; qualifiers that say the default change nothing", async () => {
    const { entityId, identityProvider } = parties.settings;
    const unsigned = await parties.issue();
    const readKey = (attributes: Record<string, string>) => {
      const xml = edit(unsigned, (document) => {
        const name = find(document, "NameID");
        for (const [attribute, value] of Object.entries(attributes)) name.setAttribute(attribute, value);
      });
      return parties.verify(signAgain(xml, parties.providerKeys)).subject.key;
    };
    const usual = readKey({});
    expect(readKey({ NameQualifier: identityProvider.entityId, SPNameQualifier: entityId })).toBe(usual);
    const others = [
      readKey({ NameQualifier: "other" }),
      readKey({ SPNameQualifier: "other" }),
      readKey({ Format: "urn:other" }),
      readKey({ NameQualifier: "a".repeat(5_000) }),
      readKey({ NameQualifier: "b".repeat(5_000) }),
    ];
    expect(new Set([usual, ...others]).size).toBe(6);
    for (const key of others) expect(key.length).toBeLessThanOrEqual(600);
  });

  test("accepts clocks that differ by less than 90 seconds, and no more", async () => {
    const xml = await parties.issue({ lifetimeInSeconds: 120 });
    const { authnInstant: issued } = parties.verify(xml);
    const judgeAt = (now: number) => parties.judge(xml, { now });
    expect(judgeAt(issued - 89_000)).toBe("accepted as person-1");
    expect(judgeAt(issued - 91_000)).toBe("saml_not_yet_valid");
    expect(judgeAt(issued + 120_000 + 89_000)).toBe("accepted as person-1");
    expect(judgeAt(issued + 120_000 + 91_000)).toBe("saml_expired");
  });

  test("is refused ten minutes after it was issued, however long it says it is valid", async () => {
    const xml = await parties.issue({ lifetimeInSeconds: 3600 });
    const { authnInstant: issued } = parties.verify(xml);
    expect(parties.judge(xml, { now: issued + 11 * minute })).toBe("accepted as person-1");
    expect(parties.judge(xml, { now: issued + 12 * minute })).toBe("saml_too_old");
  });

  test("may carry line ends of Windows and an XML declaration", async () => {
    const xml = await parties.issue();
    expect(parties.judge(`<?xml version="1.0" encoding="UTF-8"?>\r\n${xml}\r\n`)).toBe(
      "accepted as person-1",
    );
    const encoded = `<?xml version="1.0" encoding="ISO-8859-1"?>${xml}`;
    expect(parties.judge(encoded)).toBe("saml_xml_invalid");
  });

  test.each([
    ["http://www.w3.org/2001/04/xmldsig-more#rsa-sha512", "http://www.w3.org/2001/04/xmlenc#sha512"],
  ])("may be signed with %s", async (algorithm, digest) => {
    const xml = signAgain(await parties.issue(), parties.providerKeys, { algorithm, digest });
    expect(parties.judge(xml)).toBe("accepted as person-1");
  });

  test("that repeats an attribute has all its values once more, under one name", async () => {
    const xml = edit(await parties.issue({ sign: "nothing" }), (document) => {
      const attribute = find(document, "Attribute");
      attribute.parentNode.appendChild(attribute.cloneNode(true));
    });
    const { attributes } = parties.verify(signAgain(xml, parties.providerKeys));
    expect(attributes.map(({ name, values }) => [name, values.length])).toEqual([
      ["email", 2],
      ["groups", 2],
    ]);
  });
});
