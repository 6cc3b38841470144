import { generateKeyPairSync } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { edit, find, findAll, remove, signAgain } from "../../../../test/fixtures/saml-idp/dom.ts";
import { createParties, type Parties } from "../../../../test/fixtures/saml-idp/parties.ts";
import { assertionWrapping, responseWrapping } from "../../../../test/fixtures/saml-idp/wrapping.ts";
import { createServiceProviderKeys, parseResponse, SamlError, verifyResponse } from "./index.ts";
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

describe("identifiers and markup", () => {
  test("a duplicate ID is refused", () => {
    const xml = edit(signedAssertion, (document) => {
      const id = find(document, "Assertion").getAttribute("ID");
      find(document, "Status").setAttribute("ID", id);
    });
    expect(parties.judge(xml)).toBe("saml_id_invalid");
  });

  test("the same id under another spelling of the attribute is refused", () => {
    const xml = edit(signedAssertion, (document) => {
      const id = find(document, "Assertion").getAttribute("ID");
      find(document, "Status").setAttribute("Id", id);
    });
    expect(parties.judge(xml)).toBe("saml_id_invalid");
  });

  test("attribute pollution: an ID in a namespace is refused", () => {
    const xml = edit(signedAssertion, (document) =>
      find(document, "Assertion").setAttributeNS("urn:other", "x:ID", "_other"),
    );
    expect(parties.judge(xml)).toBe("saml_id_invalid");
  });

  test("the same attribute twice is refused", () => {
    const xml = signedAssertion.replace(/<saml:Assertion /, '<saml:Assertion ID="_evil" ');
    expect(parties.judge(xml)).toBe("saml_xml_invalid");
  });

  test("the same attribute under two prefixes of one namespace is refused", () => {
    const xml = signedAssertion.replace(
      "<saml:Assertion ",
      '<saml:Assertion xmlns:a="urn:x" xmlns:b="urn:x" a:z="1" b:z="2" ',
    );
    expect(parties.judge(xml)).toBe("saml_xml_invalid");
  });

  test("namespace confusion: the prefix of the assertion bound to another namespace is refused", () => {
    const xml = signedAssertion.replace(
      `<saml:Assertion xmlns:saml="${saml}"`,
      '<saml:Assertion xmlns:saml="urn:x"',
    );
    expect(parties.judge(xml)).toBe("saml_assertion_count");
  });

  test("namespace confusion: a NameID of another namespace before the genuine one is not read", () => {
    const xml = signChanged((document) => {
      const genuine = find(document, "NameID");
      const other = document.createElementNS("urn:x", "x:NameID");
      other.textContent = "victim";
      genuine.parentNode.insertBefore(other, genuine);
    });
    expect(parties.judge(xml)).toBe("accepted as person-1");
  });

  test("a prefix that is not declared is refused", () => {
    const xml = signedAssertion.replace("<samlp:Status>", "<samlp:Status><nobody:X/>");
    expect(parties.judge(xml)).toBe("saml_xml_invalid");
  });

  test.each(["xmlns:xml='urn:x'", "xmlns:x='http://www.w3.org/2000/xmlns/'"])(
    "the declaration of a reserved namespace (%s) is refused",
    (declaration) => {
      const xml = signedAssertion.replace("<samlp:Status>", `<samlp:Status ${declaration}>`);
      expect(parties.judge(xml)).toBe("saml_xml_invalid");
    },
  );

  test("a comment inside NameID is refused", () => {
    const xml = signedAssertion.replace(">person-1<", ">person<!-- -->-1<");
    expect(parties.judge(xml)).toBe("saml_markup_forbidden");
  });

  test("a CDATA section inside NameID is refused", () => {
    const xml = signedAssertion.replace(">person-1<", ">person<![CDATA[-1]]><");
    expect(parties.judge(xml)).toBe("saml_markup_forbidden");
  });

  test("a processing instruction is refused", () => {
    expect(parties.judge(signedAssertion.replace("<samlp:Status>", "<?x y?><samlp:Status>"))).toBe(
      "saml_markup_forbidden",
    );
  });

  test("an element inside NameID is not read as a part of the name", () => {
    const xml = signChanged((document) => {
      find(document, "NameID").appendChild(document.createElementNS(saml, "saml:X")).textContent = "-admin";
    });
    expect(parties.judge(xml)).toBe("saml_subject_missing");
  });

  test("a second NameID is refused", () => {
    const xml = signChanged((document) => {
      const genuine = find(document, "NameID");
      genuine.parentNode.appendChild(genuine.cloneNode(true)).textContent = "victim";
    });
    expect(parties.judge(xml)).toBe("saml_subject_missing");
  });

  test("a DOCTYPE is refused", () => {
    expect(parties.judge(`<!DOCTYPE Response>${signedAssertion}`)).toBe("saml_markup_forbidden");
  });

  test("an entity bomb is refused", () => {
    const bomb = `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">${Array.from({ length: 9 }, (_, n) => `<!ENTITY a${n} "${`&a${n || ""};`.repeat(10)}">`).join("")}]>`;
    expect(parties.judge(bomb + signedAssertion.replace("person-1", "&a8;"))).toBe("saml_markup_forbidden");
  });

  test("an external entity is refused", () => {
    const doctype = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>';
    expect(parties.judge(doctype + signedAssertion.replace("person-1", "&a;"))).toBe("saml_markup_forbidden");
  });

  test("an entity that is not declared is refused", () => {
    expect(parties.judge(signedAssertion.replace("person-1", "&a;"))).toBe("saml_xml_invalid");
  });

  test("a second root element, and text after the root, are refused", () => {
    expect(parties.judge(`${signedAssertion}<x/>`)).toBe("saml_xml_invalid");
    expect(parties.judge(`${signedAssertion}x`)).toBe("saml_xml_invalid");
  });
});

describe("size and encoding", () => {
  const judgeField = (field: string) => {
    try {
      verifyResponse(parties.settings, parseResponse(field), { requestId: "_request-1" }, Date.now());
      return "accepted";
    } catch (error) {
      return (error as SamlError).code;
    }
  };

  test("an oversized field is refused before it is decoded", () => {
    expect(judgeField("A".repeat(600_000))).toBe("saml_too_large");
  });

  test("truncated base64 is refused", () => {
    const field = Buffer.from(signedAssertion).toString("base64");
    expect(judgeField(field.slice(0, 1001))).toBe("saml_base64_invalid");
    expect(judgeField(field.slice(0, 1000))).toBe("saml_xml_invalid");
  });

  test.each(["", "%%%%", "PHg+*", "PHg-"])("%j is not base64", (field) => {
    expect(judgeField(field)).toBe("saml_base64_invalid");
  });

  test("bytes that are not UTF-8 are refused", () => {
    const [before, after] = signedAssertion.split("person-1");
    const bytes = Buffer.concat([Buffer.from(before!), Buffer.from([0xff, 0xfe]), Buffer.from(after!)]);
    expect(judgeField(bytes.toString("base64"))).toBe("saml_xml_invalid");
  });

  test.each([
    ["deep nesting", "<a>".repeat(60) + "</a>".repeat(60)],
    ["many elements", "<a/>".repeat(5_001)],
    ["many attributes", `<a ${Array.from({ length: 200 }, (_, n) => `a${n}="" `).join("")}/>`],
  ])("%s is refused before it is parsed", (_, inner) => {
    expect(judgeField(Buffer.from(`<r>${inner}</r>`).toString("base64"))).toBe("saml_too_large");
  });

  test("an assertion without a response is refused", () => {
    const assertion = /<saml:Assertion.*<\/saml:Assertion>/.exec(signedAssertion)![0];
    expect(parties.judge(assertion)).toBe("saml_not_a_response");
  });
});

describe("addresses and times", () => {
  test.each([
    ["audience", "saml_audience_mismatch"],
    ["issuer", "saml_issuer_mismatch"],
    ["destination", "saml_destination_mismatch"],
    ["recipient", "saml_recipient_mismatch"],
  ])("a response with the %s of somebody else is refused", async (field, code) => {
    expect(parties.judge(await parties.issue({ [field]: "https://other.test/" }))).toBe(code);
  });

  test("the issuer of the assertion counts too, not only that of the response", () => {
    const xml = signChanged((document) => {
      findAll(document, "Issuer")[1]!.textContent = "https://other.test/";
    });
    expect(parties.judge(xml)).toBe("saml_issuer_mismatch");
  });

  test("the answer to another request is refused", async () => {
    const xml = await parties.issue({ inResponseTo: "_request-2" });
    expect(parties.judge(xml)).toBe("saml_in_response_to_mismatch");
  });

  test("a request id that was changed in the unsigned envelope only is refused", async () => {
    const xml = edit(await parties.issue({ inResponseTo: "_request-2" }), (document) =>
      document.documentElement.setAttribute("InResponseTo", "_request-1"),
    );
    expect(parties.judge(xml)).toBe("saml_in_response_to_mismatch");
  });

  test("a request id that is only in the unsigned envelope is refused", async () => {
    const xml = edit(await parties.issue({ inResponseTo: null }), (document) =>
      document.documentElement.setAttribute("InResponseTo", "_request-1"),
    );
    expect(parties.judge(xml)).toBe("saml_in_response_to_mismatch");
  });

  test("stripped Conditions are refused", () => {
    const xml = signChanged((document) => remove(find(document, "Conditions")));
    expect(parties.judge(xml)).toBe("saml_conditions_invalid");
    const unsigned = edit(signedAssertion, (document) => remove(find(document, "Conditions")));
    expect(parties.judge(unsigned)).toBe("saml_signature_digest_mismatch");
  });

  test("a second Conditions is refused", () => {
    const xml = signChanged((document) => {
      const conditions = find(document, "Conditions");
      conditions.parentNode.appendChild(conditions.cloneNode(true));
    });
    expect(parties.judge(xml)).toBe("saml_conditions_invalid");
  });

  test("a condition that the service does not know is refused", () => {
    const xml = signChanged((document) => {
      find(document, "Conditions").appendChild(document.createElementNS(saml, "saml:Condition"));
    });
    expect(parties.judge(xml)).toBe("saml_conditions_invalid");
  });

  test("Conditions without an audience are refused", () => {
    const xml = signChanged((document) => remove(find(document, "AudienceRestriction")));
    expect(parties.judge(xml)).toBe("saml_audience_mismatch");
  });

  test("every AudienceRestriction must name us", () => {
    const xml = signChanged((document) => {
      const restriction = find(document, "AudienceRestriction");
      const other = restriction.cloneNode(true);
      find(other, "Audience").textContent = "https://other.test/";
      restriction.parentNode.appendChild(other);
    });
    expect(parties.judge(xml)).toBe("saml_audience_mismatch");
  });

  test("a second confirmation for somebody else is refused", () => {
    const xml = signChanged((document) => {
      const confirmation = find(document, "SubjectConfirmation");
      const other = confirmation.cloneNode(true);
      find(other, "SubjectConfirmationData").setAttribute("Recipient", "https://other.test/");
      confirmation.parentNode.appendChild(other);
    });
    expect(parties.judge(xml)).toBe("saml_recipient_mismatch");
  });

  test("a missing recipient is refused", () => {
    const xml = signChanged((document) =>
      find(document, "SubjectConfirmationData").removeAttribute("Recipient"),
    );
    expect(parties.judge(xml)).toBe("saml_recipient_mismatch");
  });

  test("a confirmation without an end is refused", () => {
    const xml = signChanged((document) =>
      find(document, "SubjectConfirmationData").removeAttribute("NotOnOrAfter"),
    );
    expect(parties.judge(xml)).toBe("saml_time_invalid");
  });

  test("a confirmation by another method than bearer is refused", () => {
    const xml = signChanged((document) =>
      find(document, "SubjectConfirmation").setAttribute(
        "Method",
        "urn:oasis:names:tc:SAML:2.0:cm:holder-of-key",
      ),
    );
    expect(parties.judge(xml)).toBe("saml_confirmation_missing");
  });

  test("an assertion without AuthnStatement is refused", () => {
    const xml = signChanged((document) => remove(find(document, "AuthnStatement")));
    expect(parties.judge(xml)).toBe("saml_authentication_missing");
  });

  test("an ended session at the provider is refused", () => {
    const xml = signChanged((document) =>
      find(document, "AuthnStatement").setAttribute("SessionNotOnOrAfter", "2020-01-01T00:00:00Z"),
    );
    expect(parties.judge(xml)).toBe("saml_session_expired");
  });

  test.each(["2026-11-16", "tomorrow", "2026-13-01T00:00:00Z", "2026-11-16T00:00:00"])(
    "the time %s is refused",
    (time) => {
      const xml = signChanged((document) => find(document, "Conditions").setAttribute("NotOnOrAfter", time));
      expect(parties.judge(xml)).toBe("saml_time_invalid");
    },
  );

  test("an expired response and one that is not yet valid are refused", () => {
    expect(parties.judge(signedAssertion, { now: Date.now() + 3_600_000 })).toBe("saml_expired");
    expect(parties.judge(signedAssertion, { now: Date.now() - 3_600_000 })).toBe("saml_not_yet_valid");
  });

  test("a replay has the same assertion id, so that the caller can refuse it", () => {
    const first = parties.verify(signedAssertion);
    const second = parties.verify(signedAssertion);
    expect(second.assertionId).toBe(first.assertionId);
    expect(second.replayUntil).toBeGreaterThan(Date.now());
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

test("no refusal repeats a value of the document", async () => {
  const options = { nameId: "secret-name", attributes: { email: "secret@acme.test" } };
  const documents = [
    await parties.issue({ ...options, audience: "https://secret.test/" }),
    await parties.issue({ ...options, issuer: "https://secret.test/" }),
    await parties.issue({ ...options, destination: "https://secret.test/" }),
    await parties.issue({ ...options, recipient: "https://secret.test/" }),
    await parties.issue({ ...options, keys: parties.strangerKeys }),
    await parties.issue({ ...options, inResponseTo: "_secret" }),
  ];
  for (const xml of documents) {
    let message = "";
    try {
      parties.verify(xml);
    } catch (error) {
      message = (error as SamlError).message;
    }
    expect(message).toMatch(/\.$/);
    expect(message).not.toContain("secret");
  }
});
