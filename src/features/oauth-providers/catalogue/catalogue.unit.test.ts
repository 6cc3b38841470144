import { describe, expect, test } from "vitest";
import { buildAuthorizeUrl } from "../../../platform/oauth/index.ts";
import { findServer, knownProviders } from "./index.ts";

const providers = [...knownProviders.values()];
const named = providers.map((provider) => [provider.id, provider] as const);

test("the catalogue has at least forty providers, each once", () => {
  expect(providers.length).toBeGreaterThanOrEqual(40);
  expect(new Set(providers.map(({ name }) => name)).size).toBe(providers.length);
});

describe("a provider of the catalogue", () => {
  test.each(named)("%s is complete for a tenant of its own example", async (_, provider) => {
    const server = findServer(provider, provider.tenant?.example ?? null)!;
    expect(JSON.stringify(server)).not.toContain("{tenant}");
    const request = { clientId: "c", redirectUri: "https://x/cb", state: "s", verifier: "v", nonce: "n" };
    const url = new URL(buildAuthorizeUrl(server, { ...request, scopes: provider.scopes }));
    expect(url.protocol).toBe("https:");
    expect(url.searchParams.get("code_challenge_method")).toBe("S256");
    const sent = url.searchParams.get(server.scopeParameter);
    expect(sent?.split(server.scopeSeparator) ?? []).toEqual(provider.scopes);
    for (const scope of [...provider.scopes, ...provider.optionalScopes]) {
      expect(scope).not.toContain(server.scopeSeparator);
    }
  });

  test.each(named)("%s lists no scope twice, and accepts its default tenant", (_, provider) => {
    const scopes = [...provider.scopes, ...provider.optionalScopes];
    expect(new Set(scopes).size).toBe(scopes.length);
    if (provider.tenant?.default) expect(findServer(provider, null)).toBeDefined();
    if (provider.tenant && !provider.tenant.default) expect(findServer(provider, null)).toBeUndefined();
  });

  test.each(named)("%s stays on one site for any text as tenant", (_, provider) => {
    const site = (tenant: string | null) => {
      const server = findServer(provider, tenant);
      return server && new URL(server.tokenEndpoint).hostname;
    };
    for (const tenant of [
      "evil.example/",
      "evil.example#",
      "evil.example?",
      "a@evil.example",
      "a:1",
      "../x",
      "",
      "a b",
      "A\n",
    ]) {
      if (provider.tenant) expect(site(tenant), tenant).toBeUndefined();
      else expect(site(tenant)).toBe(site(null));
    }
  });

  test.each(named)(
    "%s: an entry that identifies people by ID token has an issuer and requests the scope openid",
    (_, provider) => {
      if (provider.server.account?.from !== "id_token") return;
      expect(provider.server.issuer).toBeDefined();
      expect(provider.scopes).toContain("openid");
    },
  );
});
