import {
  constants,
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  privateDecrypt,
  publicEncrypt,
  sign,
  X509Certificate,
} from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { edit, find, findAll, remove, signAgain } from "../../../../test/fixtures/saml-idp/dom.ts";
import { createParties, type Parties } from "../../../../test/fixtures/saml-idp/parties.ts";
import { writeCertificate } from "./keys.ts";

const more = "http://www.w3.org/2001/04/xmldsig-more#";
const dsig = "http://www.w3.org/2000/09/xmldsig#";
const xenc11 = "http://www.w3.org/2009/xmlenc11#";

let parties: Parties;
beforeAll(async () => {
  parties = await createParties();
});

describe("what other identity providers send is accepted:", () => {
  test.each([
    ["P-256", "ecdsa-sha256", "sha256"],
    ["P-384", "ecdsa-sha384", "sha384"],
    ["P-521", "ecdsa-sha512", "sha512"],
  ])("a signature with a key on %s (%s)", async (namedCurve, name, hash) => {
    const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve });
    const issuer = createPrivateKey(parties.strangerKeys.privateKey);
    const certificates = [writeCertificate("ec", new Date(), publicKey, issuer)];
    const algorithm = more + name;
    const xml = signAgain(
      await parties.issue(),
      { privateKey: privateKey.export({ type: "pkcs8", format: "pem" }) as string },
      {
        algorithm,
        configure: (signer) => {
          signer.SignatureAlgorithms = { [algorithm]: createEcdsa(algorithm, hash, privateKey) };
        },
      },
    );
    const { identityProvider } = parties.settings;
    const settings = { identityProvider: { ...identityProvider, certificates } };
    expect(parties.judge(xml, { settings })).toBe("accepted as person-1");
    // The key of another kind does not verify it, and does not fail either.
    expect(parties.judge(xml)).toBe("saml_signature_key_unknown");
  });

  test("prefixes that the canonicalization treats inclusively (Okta, AD FS)", async () => {
    const xml = signAgain(await parties.issue(), parties.providerKeys, { inclusivePrefixes: ["xs", "saml"] });
    expect(xml).toContain("PrefixList");
    expect(parties.judge(xml)).toBe("accepted as person-1");
  });

  test("the prefix of signatures declared at the root", async () => {
    const signed = signAgain(await parties.issue(), parties.providerKeys, { prefix: "ds" });
    const declaration = ` xmlns:ds="${dsig}"`;
    const xml = signed
      .replace(`<ds:Signature${declaration}`, "<ds:Signature")
      .replace("<samlp:Response", `<samlp:Response${declaration}`);
    expect(xml).not.toBe(signed);
    expect(parties.judge(xml)).toBe("accepted as person-1");
  });

  test("RSA-OAEP with SHA-256 for digest and mask (Keycloak)", async () => {
    const { certificate, privateKey } = parties.settings.keys!;
    const xml = await parties.issue({ encryptFor: certificate });
    const change = (maskHash: string) =>
      edit(xml, (document) => {
        const key = find(document, "EncryptedKey");
        const value = find(key, "CipherValue");
        const contentKey = privateDecrypt(
          { key: privateKey, oaepHash: "sha1", padding: constants.RSA_PKCS1_OAEP_PADDING },
          Buffer.from(value.textContent, "base64"),
        );
        const { publicKey } = new X509Certificate(certificate);
        const sealed = publicEncrypt(
          { key: publicKey, oaepHash: "sha256", padding: constants.RSA_PKCS1_OAEP_PADDING },
          contentKey,
        );
        value.textContent = sealed.toString("base64");
        const method = find(key, "EncryptionMethod");
        method.setAttribute("Algorithm", `${xenc11}rsa-oaep`);
        for (const child of findAll(method, "DigestMethod")) remove(child);
        const digest = method.appendChild(document.createElementNS(dsig, "DigestMethod"));
        digest.setAttribute("Algorithm", "http://www.w3.org/2001/04/xmlenc#sha256");
        const mask = method.appendChild(document.createElementNS(xenc11, "MGF"));
        mask.setAttribute("Algorithm", `${xenc11}mgf1${maskHash}`);
      });
    expect(parties.judge(change("sha256"))).toBe("accepted as person-1");
    expect(parties.judge(change("sha1"))).toBe("saml_algorithm_forbidden");
  });

  test("an encrypted key beside the encrypted data (OpenSAML)", async () => {
    const xml = edit(await parties.issue({ encryptFor: parties.settings.keys!.certificate }), (document) => {
      const key = remove(find(document, "EncryptedKey"));
      find(document, "EncryptedAssertion").appendChild(key);
    });
    expect(parties.judge(xml)).toBe("accepted as person-1");
  });
});

function createEcdsa(name: string, hash: string, key: KeyObject) {
  return class {
    getAlgorithmName = () => name;
    getSignature = ((text: string) =>
      sign(hash, Buffer.from(text), { key, dsaEncoding: "ieee-p1363" }).toString("base64")) as never;
    verifySignature = (() => false) as never;
  };
}
