import { SAML } from "@node-saml/node-saml";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { type Dom, edit } from "../../../../test/fixtures/saml-idp/dom.ts";
import { createParties, type Parties } from "../../../../test/fixtures/saml-idp/parties.ts";
import { SamlError, type VerifiedAssertion } from "./index.ts";

let parties: Parties;
let genuine: Record<"assertion" | "response" | "both" | "encrypted", string>;
beforeAll(async () => {
  parties = await createParties();
  genuine = {
    assertion: await parties.issue(),
    response: await parties.issue({ sign: "response" }),
    both: await parties.issue({ sign: "both" }),
    encrypted: await parties.issue({ encryptFor: parties.settings.keys!.certificate }),
  };
});

const kinds = fc.constantFrom("assertion", "response", "both", "encrypted") as fc.Arbitrary<
  keyof typeof genuine
>;
const fraction = fc.double({ min: 0, max: 0.999_999, noNaN: true });
const fragment = fc.constantFrom(
  "victim",
  "<saml:NameID>victim</saml:NameID>",
  " ",
  "\r\n",
  "&#x76;",
  "<!-- -->",
  "]]>",
  'ID="_evil"',
  '<saml:Audience xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">https://victim.test/</saml:Audience>',
  "\u0000",
  "\ud800",
);

/** Everything that a caller uses of the result. */
const describeIdentity = ({ subject, attributes, assertionId, sessionIndex }: VerifiedAssertion) =>
  JSON.stringify({ subject, attributes, assertionId, sessionIndex });

/** Either refused with a code of ours, or the same identity as before. Anything else fails the test. */
function checkHarmless(kind: keyof typeof genuine, xml: string): void {
  let verified: VerifiedAssertion;
  try {
    verified = parties.verify(xml);
  } catch (error) {
    expect(error).toBeInstanceOf(SamlError);
    return;
  }
  expect(describeIdentity(verified)).toBe(describeIdentity(parties.verify(genuine[kind])));
}

const listNodes = (node: Dom): Dom[] => {
  const nodes: Dom[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) nodes.push(child, ...listNodes(child));
  return nodes;
};

describe("a changed response is refused, or means the same person", () => {
  test("after random changes of its text", () => {
    const change = fc.oneof(
      fc.record({ kind: fc.constant("insert" as const), at: fraction, text: fragment }),
      fc.record({
        kind: fc.constant("delete" as const),
        at: fraction,
        length: fc.integer({ min: 1, max: 200 }),
      }),
      fc.record({ kind: fc.constant("flip" as const), at: fraction, bit: fc.integer({ min: 0, max: 6 }) }),
      fc.record({
        kind: fc.constant("copy" as const),
        from: fraction,
        at: fraction,
        length: fc.integer({ min: 1, max: 2000 }),
      }),
    );
    fc.assert(
      fc.property(kinds, fc.array(change, { minLength: 1, maxLength: 3 }), (kind, changes) => {
        let xml = genuine[kind];
        for (const each of changes) {
          const at = Math.floor(each.at * xml.length);
          const [before, after] = [xml.slice(0, at), xml.slice(at)];
          if (each.kind === "insert") xml = before + each.text + after;
          else if (each.kind === "delete") xml = before + after.slice(each.length);
          else if (each.kind === "flip")
            xml = before + String.fromCharCode(after.charCodeAt(0) ^ (1 << each.bit)) + after.slice(1);
          else {
            const from = Math.floor(each.from * xml.length);
            xml = before + xml.slice(from, from + each.length) + after;
          }
        }
        checkHarmless(kind, xml);
      }),
      { numRuns: 300 },
    );
  });

  test("after its elements were moved, copied, removed and renamed", () => {
    const change = fc.record({
      kind: fc.constantFrom("move", "copy", "remove", "text", "id", "name"),
      from: fraction,
      to: fraction,
    });
    fc.assert(
      fc.property(kinds, fc.array(change, { minLength: 1, maxLength: 4 }), (kind, changes) => {
        let xml: string;
        try {
          xml = edit(genuine[kind], (document) => {
            for (const each of changes) {
              const nodes = listNodes(document).filter((node) => node.localName);
              const from = nodes[Math.floor(each.from * nodes.length)]!;
              const to = nodes[Math.floor(each.to * nodes.length)]!;
              if (each.kind === "move") to.appendChild(from.parentNode.removeChild(from));
              else if (each.kind === "copy") to.appendChild(from.cloneNode(true));
              else if (each.kind === "remove") from.parentNode.removeChild(from);
              else if (each.kind === "text") from.textContent = "victim";
              else if (each.kind === "id") from.setAttribute("ID", to.getAttribute("ID") || "_evil");
              else from.parentNode.replaceChild(document.createElementNS("urn:x", `x:${to.localName}`), from);
            }
          });
        } catch {
          // The DOM refuses to move an element into itself.
          return;
        }
        checkHarmless(kind, xml);
      }),
      { numRuns: 300 },
    );
  });
});

test("what is accepted is accepted by node-saml too, with the same name", async () => {
  const { entityId, acsUrl, keys, identityProvider } = parties.settings;
  for (const [kind, xml] of Object.entries(genuine)) {
    const { subject } = parties.verify(xml);
    const peer = new SAML({
      issuer: entityId,
      audience: entityId,
      callbackUrl: acsUrl,
      idpCert: identityProvider.certificates,
      decryptionPvk: keys!.privateKey,
      wantAssertionsSigned: kind !== "response",
      wantAuthnResponseSigned: kind === "response" || kind === "both",
    });
    const { profile } = await peer.validatePostResponseAsync({
      SAMLResponse: Buffer.from(xml).toString("base64"),
    });
    expect(profile?.nameID).toBe(subject.nameId);
  }
});
