/** Documents whose signature, algorithms or encryption somebody changed. */
import { generateKeyPairSync } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { edit, find, findAll, remove, signAgain } from "../../../../test/fixtures/saml-idp/dom.ts";
import { createParties, type Parties } from "../../../../test/fixtures/saml-idp/parties.ts";
import { assertionWrapping, responseWrapping } from "../../../../test/fixtures/saml-idp/wrapping.ts";
import { createServiceProviderKeys, SamlError } from "./index.ts";
import { readKeys, verifySignature } from "./signatures.ts";
import { parseXml } from "./xml.ts";

const saml = "urn:oasis:names:tc:SAML:2.0:assertion";
const dsig = "http://www.w3.org/2000/09/xmldsig#";

let parties: Parties;
let signedAssertion: string;
let signedResponse: string;
beforeAll(async () => {
  parties = await createParties();
  signedAssertion = await parties.issue();
  signedResponse = await parties.issue({ sign: "response" });
});

/** The genuine provider signs the changed document, so only the changed content can be the reason. */
const signChanged = (change: Parameters<typeof edit>[1]) =>
  signAgain(edit(signedAssertion, change), parties.providerKeys);

describe("signature wrapping", () => {
  test.each(Object.entries(responseWrapping))("%s (signed response) is refused", (_, wrap) => {
    expect(parties.judge(wrap(signedResponse))).toBe("saml_assertion_count");
  });

  test.each(Object.entries(assertionWrapping))("%s (signed assertion) is refused", (_, wrap) => {
    expect(parties.judge(wrap(signedAssertion))).toBe("saml_assertion_count");
  });

  test.each(Object.entries({ ...responseWrapping, ...assertionWrapping }))(
    "%s never gives a valid signature for the forged name, even without the other checks",
    (name, wrap) => {
      const document = parseXml(wrap(name in responseWrapping ? signedResponse : signedAssertion));
      const keys = readKeys(parties.settings.identityProvider.certificates);
      for (const element of document.elements) {
        if (!["Response", "Assertion"].includes(element.localName)) continue;
        try {
          const verified = verifySignature(document, element, keys);
          expect(verified?.text ?? "").not.toContain("victim");
        } catch (error) {
          expect(error).toBeInstanceOf(SamlError);
        }
      }
    },
  );

  test("an assertion of another namespace beside the signed one is refused", () => {
    const xml = edit(signedAssertion, (document) => {
      const extra = document.createElementNS("urn:other", "x:Assertion");
      document.documentElement.appendChild(extra);
    });
    expect(parties.judge(xml)).toBe("saml_assertion_count");
  });

  test("an assertion inside Advice is refused, even if the provider signed it", () => {
    const xml = signChanged((document) => {
      const assertion = find(document, "Assertion");
      const inner = assertion.cloneNode(true);
      remove(find(inner, "Signature"));
      inner.setAttribute("ID", "_inner");
      assertion.appendChild(document.createElementNS(saml, "saml:Advice")).appendChild(inner);
    });
    expect(parties.judge(xml)).toBe("saml_assertion_count");
  });
});

describe("signatures", () => {
  test("an unsigned response is refused", async () => {
    expect(parties.judge(await parties.issue({ sign: "nothing" }))).toBe("saml_signature_missing");
  });

  test("a tampered NameID is refused", () => {
    const xml = edit(signedAssertion, (document) => {
      find(document, "NameID").textContent = "victim";
    });
    expect(parties.judge(xml)).toBe("saml_signature_digest_mismatch");
  });

  test("a tampered attribute is refused", () => {
    expect(parties.judge(signedAssertion.replace("on-call", "owners"))).toBe(
      "saml_signature_digest_mismatch",
    );
  });

  test("a digest that was replaced to fit the tampered content is refused", () => {
    const tampered = edit(signedAssertion, (document) => {
      find(document, "NameID").textContent = "victim";
    });
    const own = signAgain(tampered, parties.strangerKeys);
    const digest = /<DigestValue>(.*?)<\/DigestValue>/.exec(own)![1]!;
    const xml = tampered.replace(/<DigestValue>.*?<\/DigestValue>/, `<DigestValue>${digest}</DigestValue>`);
    expect(parties.judge(xml)).toBe("saml_signature_key_unknown");
  });

  test("the key of a stranger, with the stranger's certificate in KeyInfo, is refused", async () => {
    const xml = await parties.issue({ keys: parties.strangerKeys });
    expect(parties.judge(xml)).toBe("saml_signature_key_unknown");
  });

  test("a valid signature of the assertion does not excuse a false one of the response", async () => {
    const xml = (await parties.issue({ sign: "both" })).replace(/ID="_[^"]+"/, 'ID="_other"');
    expect(parties.judge(xml)).toBe("saml_signature_misplaced");
  });

  test("two signatures in one assertion are refused", () => {
    const xml = edit(signedAssertion, (document) => {
      const signature = find(document, "Signature");
      signature.parentNode.insertBefore(signature.cloneNode(true), signature);
    });
    expect(parties.judge(xml)).toBe("saml_signature_misplaced");
  });

  test("a signature outside of the element that it signs is refused", () => {
    const xml = edit(signedAssertion, (document) => {
      document.documentElement.appendChild(remove(find(document, "Signature")));
    });
    expect(parties.judge(xml)).toBe("saml_signature_misplaced");
  });

  test("two references in one signature are refused", () => {
    const xml = edit(signedAssertion, (document) => {
      const reference = find(document, "Reference");
      reference.parentNode.appendChild(reference.cloneNode(true));
    });
    expect(parties.judge(xml)).toBe("saml_signature_malformed");
  });

  test("two SignedInfo in one signature are refused", () => {
    const xml = edit(signedAssertion, (document) => {
      const info = find(document, "SignedInfo");
      info.parentNode.appendChild(info.cloneNode(true));
    });
    expect(parties.judge(xml)).toBe("saml_signature_malformed");
  });

  test("a second DigestValue is refused", () => {
    const xml = edit(signedAssertion, (document) => {
      const value = find(document, "DigestValue");
      value.parentNode.insertBefore(value.cloneNode(true), value);
    });
    expect(parties.judge(xml)).toBe("saml_signature_malformed");
  });

  test("an element inside SignatureValue is refused", () => {
    const xml = edit(signedAssertion, (document) => {
      find(document, "SignatureValue").appendChild(document.createElementNS(dsig, "X"));
    });
    expect(parties.judge(xml)).toBe("saml_signature_malformed");
  });

  test("a reference to the whole document (empty URI) is refused", () => {
    const xml = edit(signedAssertion, (document) => find(document, "Reference").setAttribute("URI", ""));
    expect(parties.judge(xml)).toBe("saml_signature_misplaced");
  });

  test("what a stranger puts into KeyInfo, which no signature covers, is not part of the verified content", () => {
    const xml = edit(signedAssertion, (document) => {
      const attribute = find(document, "Attribute").cloneNode(true);
      attribute.setAttribute("Name", "seeded");
      find(document, "KeyInfo").appendChild(attribute);
    });
    const document = parseXml(xml);
    const assertion = document.elements.find(({ localName }) => localName === "Assertion")!;
    const keys = readKeys(parties.settings.identityProvider.certificates);
    const { text } = verifySignature(document, assertion, keys)!;
    expect(text).toContain("person-1");
    expect(text).not.toContain("seeded");
    expect(parties.verify(xml).attributes.map(({ name }) => name)).toEqual(["email", "groups"]);
  });

  test("a signature in another namespace is refused", () => {
    const xml = signedAssertion.replace(`xmlns="${dsig}"`, 'xmlns="urn:other"');
    expect(parties.judge(xml)).toBe("saml_signature_misplaced");
  });
});

describe("algorithms", () => {
  test("RSA-SHA1 is refused", async () => {
    expect(parties.judge(await parties.issue({ algorithm: "rsa-sha1" }))).toBe("saml_algorithm_forbidden");
  });

  test("a SHA-1 digest below an RSA-SHA256 signature is refused", () => {
    const xml = signAgain(signedAssertion, parties.providerKeys, { digest: `${dsig}sha1` });
    expect(parties.judge(xml)).toBe("saml_algorithm_forbidden");
  });

  test("HMAC with the public certificate as its key is refused", () => {
    const [certificate] = parties.settings.identityProvider.certificates;
    const xml = signAgain(
      edit(signedAssertion, (document) => {
        find(document, "NameID").textContent = "victim";
      }),
      { privateKey: certificate! },
      { algorithm: `${dsig}hmac-sha1`, configure: (signer) => signer.enableHMAC() },
    );
    expect(parties.judge(xml)).toBe("saml_algorithm_forbidden");
  });

  test.each([
    "http://www.w3.org/TR/2001/REC-xml-c14n-20010315",
    "http://www.w3.org/2001/10/xml-exc-c14n#WithComments",
  ])("the transform %s is refused", (transform) => {
    const transforms = [`${dsig}enveloped-signature`, transform];
    const xml = signAgain(signedAssertion, parties.providerKeys, { transforms });
    expect(parties.judge(xml)).toBe("saml_algorithm_forbidden");
  });

  test.each(["http://www.w3.org/TR/1999/REC-xslt-19991116", "http://www.w3.org/TR/1999/REC-xpath-19991116"])(
    "the transform %s is refused before it is applied",
    (transform) => {
      const xml = edit(signedAssertion, (document) =>
        findAll(document, "Transform")[1]!.setAttribute("Algorithm", transform),
      );
      expect(parties.judge(xml)).toBe("saml_algorithm_forbidden");
    },
  );

  test("a third transform is refused", () => {
    const xml = edit(signedAssertion, (document) => {
      const transform = findAll(document, "Transform")[1]!;
      transform.parentNode.appendChild(transform.cloneNode(true));
    });
    expect(parties.judge(xml)).toBe("saml_signature_malformed");
  });

  test("a certificate with an RSA key of 1024 bits is refused", async () => {
    const weak = await createServiceProviderKeys("weak", new Date(), { bits: 1024 });
    const { identityProvider } = parties.settings;
    const settings = { identityProvider: { ...identityProvider, certificates: [weak.certificate] } };
    expect(parties.judge(signedAssertion, { settings })).toBe("saml_key_weak");
  });

  test("a certificate that is only a key is refused", () => {
    const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const certificates = [publicKey.export({ type: "spki", format: "pem" }) as string];
    const { identityProvider } = parties.settings;
    const settings = { identityProvider: { ...identityProvider, certificates } };
    expect(parties.judge(signedAssertion, { settings })).toBe("saml_certificate_invalid");
  });
});

describe("encryption", () => {
  const encryptFor = () => parties.settings.keys!.certificate;
  const tamper = (xml: string, last: boolean) =>
    edit(xml, (document) => {
      const value = findAll(document, "CipherValue").at(last ? -1 : 0)!;
      const bytes = Buffer.from(value.textContent, "base64");
      bytes[40] = bytes[40]! ^ 1;
      value.textContent = bytes.toString("base64");
    });

  test("a tampered cipher text and a tampered key give the same code", async () => {
    const xml = await parties.issue({ encryptFor: encryptFor() });
    expect(parties.judge(tamper(xml, true))).toBe("saml_decryption_failed");
    expect(parties.judge(tamper(xml, false))).toBe("saml_decryption_failed");
  });

  test("a tampered cipher text below a signed response is refused by the signature", async () => {
    const xml = await parties.issue({ encryptFor: encryptFor(), sign: "both" });
    expect(parties.judge(tamper(xml, true))).toBe("saml_signature_digest_mismatch");
  });

  test("an assertion that a stranger encrypted with our public certificate is refused", async () => {
    const options = { encryptFor: encryptFor(), nameId: "victim" };
    expect(parties.judge(await parties.issue({ ...options, sign: "nothing" }))).toBe(
      "saml_signature_missing",
    );
    expect(parties.judge(await parties.issue({ ...options, keys: parties.strangerKeys }))).toBe(
      "saml_signature_key_unknown",
    );
  });

  test("a plain assertion beside an encrypted one is refused", async () => {
    const xml = edit(await parties.issue({ encryptFor: encryptFor() }), (document) => {
      document.documentElement.appendChild(document.createElementNS(saml, "saml:Assertion"));
    });
    expect(parties.judge(xml)).toBe("saml_assertion_count");
  });

  test.each([
    ["RSA with PKCS #1 v1.5 padding", "EncryptionMethod", "http://www.w3.org/2001/04/xmlenc#rsa-1_5"],
  ])("%s is refused", async (_, element, algorithm) => {
    const xml = edit(await parties.issue({ encryptFor: encryptFor() }), (document) =>
      findAll(document, element).at(-1)!.setAttribute("Algorithm", algorithm),
    );
    expect(parties.judge(xml)).toBe("saml_algorithm_forbidden");
  });

  test("triple DES is refused", async () => {
    const cipher = "http://www.w3.org/2001/04/xmlenc#tripledes-cbc";
    const xml = await parties.issue({ encryptFor: encryptFor(), cipher, sign: "both" });
    expect(parties.judge(xml)).toBe("saml_algorithm_forbidden");
  });
});
