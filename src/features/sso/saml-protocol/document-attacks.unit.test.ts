/** Documents whose markup, identifiers, addresses or times somebody changed. */
import { beforeAll, describe, expect, test } from "vitest";
import { edit, find, findAll, remove, signAgain } from "../../../../test/fixtures/saml-idp/dom.ts";
import { createParties, type Parties } from "../../../../test/fixtures/saml-idp/parties.ts";
import { parseResponse, type SamlError, verifyResponse } from "./index.ts";

const saml = "urn:oasis:names:tc:SAML:2.0:assertion";

let parties: Parties;
let signedAssertion: string;
beforeAll(async () => {
  parties = await createParties();
  signedAssertion = await parties.issue();
});

/** The genuine provider signs the changed document, so only the changed content can be the reason. */
const signChanged = (change: Parameters<typeof edit>[1]) =>
  signAgain(edit(signedAssertion, change), parties.providerKeys);

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

  const writeAttributes = (name: string, count: number) =>
    Array.from({ length: count }, (_, n) => `${name}${n}="urn:x"`).join(" ");

  test.each([
    ["deep nesting", "<a>".repeat(60) + "</a>".repeat(60)],
    ["many elements", "<a/>".repeat(5_001)],
    ["many attributes", `<a ${Array.from({ length: 200 }, (_, n) => `a${n}="" `).join("")}/>`],
    ["many elements with many attributes", `<a ${writeAttributes("a", 100)}/>`.repeat(101)],
    [
      "many namespaces for many elements",
      `<a ${writeAttributes("xmlns:a", 60)}><b ${writeAttributes("xmlns:b", 41)}/></a>`,
    ],
  ])("%s is refused before it is parsed", (_, inner) => {
    expect(judgeField(Buffer.from(`<r>${inner}</r>`).toString("base64"))).toBe("saml_too_large");
  });

  test("namespaces that are out of scope do not count", () => {
    const inner = `<a ${writeAttributes("xmlns:a", 60)}><b/></a>`.repeat(50);
    expect(judgeField(Buffer.from(`<r>${inner}</r>`).toString("base64"))).toBe("saml_not_a_response");
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
