import { verify, X509Certificate } from "node:crypto";
import { inflateRawSync } from "node:zlib";
import samlp from "samlp";
import { beforeAll, describe, expect, test } from "vitest";
import { createParties, type Parties } from "../../../../test/fixtures/saml-idp/parties.ts";
import { createAuthnRequest, type SamlError } from "./index.ts";
import { readKeys, verifySignature } from "./signatures.ts";
import { parseXml, readAttribute } from "./xml.ts";

const now = Date.parse("2026-11-16T01:02:03.004Z");
let parties: Parties;
beforeAll(async () => {
  parties = await createParties();
});

const parseAtProvider = (query: Record<string, string>, method: "GET" | "POST", signingCert?: string) =>
  new Promise<unknown>((resolve, reject) =>
    samlp.parseRequest(
      { method, url: "/sso", query: method === "GET" ? query : {}, body: method === "POST" ? query : {} },
      signingCert ? { signingCert } : {},
      (error, data) => (error ? reject(error) : resolve(data)),
    ),
  );

describe("a request", () => {
  test("by redirect is understood by the identity provider, with its signature", async () => {
    const { settings } = parties;
    const request = createAuthnRequest(settings, { now, relayState: "attempt 1", forceAuthn: true });
    if (request.binding !== "redirect") throw new Error("expected a redirect");
    const url = new URL(request.url);
    expect(url.origin + url.pathname).toBe("https://idp.test/sso");
    expect([...url.searchParams.keys()]).toEqual(["SAMLRequest", "RelayState", "SigAlg", "Signature"]);
    const query = Object.fromEntries(url.searchParams);
    expect(await parseAtProvider(query, "GET", settings.keys!.certificate)).toEqual({
      id: request.id,
      issuer: settings.entityId,
      assertionConsumerServiceURL: settings.acsUrl,
      destination: "https://idp.test/sso",
      forceAuthn: "true",
    });
    const signed = url.search.slice(1).split("&Signature=")[0]!;
    const { publicKey } = new X509Certificate(settings.keys!.certificate);
    expect(verify("sha256", Buffer.from(signed), publicKey, Buffer.from(query.Signature!, "base64"))).toBe(
      true,
    );
    const xml = inflateRawSync(Buffer.from(query.SAMLRequest!, "base64")).toString();
    expect(readAttribute(parseXml(xml).root, "IssueInstant")).toBe("2026-11-16T01:02:03.004Z");
  });

  test("by form is signed inside the XML, and understood by the identity provider", async () => {
    const { settings } = parties;
    const request = createAuthnRequest(settings, { now, binding: "post" });
    if (request.binding !== "post") throw new Error("expected a form");
    expect(Object.keys(request.fields)).toEqual(["SAMLRequest"]);
    const document = parseXml(Buffer.from(request.fields.SAMLRequest, "base64").toString());
    const keys = readKeys([settings.keys!.certificate]);
    expect(readAttribute(verifySignature(document, document.root, keys)!.root, "ID")).toBe(request.id);
    expect(await parseAtProvider({ ...request.fields }, "POST", settings.keys!.certificate)).toMatchObject({
      id: request.id,
    });
  });

  test("keeps the query of the endpoint, and has an id of its own each time", () => {
    const { keys: _, ...settings } = parties.settings;
    const endpoints = [{ binding: "redirect" as const, url: "https://idp.test/sso?tenant=1" }];
    const identityProvider = { ...settings.identityProvider, endpoints };
    const make = () => createAuthnRequest({ ...settings, identityProvider }, { now });
    expect(make()).toMatchObject({
      url: expect.stringMatching(/^https:\/\/idp\.test\/sso\?tenant=1&SAMLRequest=/),
    });
    expect(new Set(Array.from({ length: 50 }, () => make().id)).size).toBe(50);
  });

  test("is refused if the provider does not offer the binding, or requires a signature that we cannot make", () => {
    const { keys: _, ...settings } = parties.settings;
    const { identityProvider } = settings;
    const readCode = (run: () => unknown) => {
      try {
        run();
      } catch (error) {
        return (error as SamlError).code;
      }
    };
    const onlyPost = { ...identityProvider, endpoints: identityProvider.endpoints.slice(1) };
    expect(
      readCode(() =>
        createAuthnRequest({ ...settings, identityProvider: onlyPost }, { now, binding: "redirect" }),
      ),
    ).toBe("saml_binding_unsupported");
    const strict = { ...identityProvider, wantsSignedRequests: true };
    expect(readCode(() => createAuthnRequest({ ...settings, identityProvider: strict }, { now }))).toBe(
      "saml_signing_key_missing",
    );
  });
});
