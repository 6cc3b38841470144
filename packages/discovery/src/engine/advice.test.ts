import { describe, expect, test } from "vitest";
import { openHandshake } from "../../../../test/fixtures/mcp-hostile/parts.ts";
import { startHostileServer } from "../../../../test/fixtures/mcp-hostile/server.ts";
import { createScriptedEgress } from "../../../../test/fixtures/scripted-egress.ts";
import { createEgress } from "../egress/index.ts";
import type { EgressErrorKind } from "../egress/types.ts";
import { discover as discoverServer } from "../index.ts";

const redirectUri = (id: string) => `https://signalbox.example/v1/oauth-providers/${id}/connect/callback`;
type Script = Parameters<typeof createScriptedEgress>[0];

async function discover(url: string, script: Script) {
  const egress = createScriptedEgress(script);
  const { result, evidence } = await discoverServer(url, { egress, redirectUri });
  const reasons = Object.fromEntries(result.manualRequirements.map(({ code, reason }) => [code, reason]));
  const messages = Object.fromEntries(result.warnings.map(({ code, message }) => [code, message]));
  return { result, evidence, reasons, messages, asked: egress.asked };
}

const json = (value: unknown) => Response.json(value);
const denied = (challenge = "Bearer") =>
  new Response(null, { status: 401, headers: { "www-authenticate": challenge } });
const as = (over: Record<string, unknown> = {}) =>
  json({
    issuer: "https://login.example/t1",
    authorization_endpoint: "https://login.example/t1/authorize",
    token_endpoint: "https://login.example/t1/token",
    code_challenge_methods_supported: ["S256"],
    ...over,
  });

/** An OAuth server at https://mcp.example/mcp whose authorization server answers with this. */
const oauth =
  (metadata: () => Response | EgressErrorKind | undefined, issuer = "https://login.example/t1"): Script =>
  (url) => {
    if (url === "https://mcp.example/mcp") return denied();
    if (url.includes("oauth-protected-resource"))
      return json({ resource: "https://mcp.example/mcp", authorization_servers: [issuer] });
    return url.includes("login.example") ? metadata() : undefined;
  };

describe("the steps for a person", () => {
  test("name the redirect URI, the kind and the secret for a confidential client", async () => {
    const { reasons } = await discover(
      "https://mcp.example/mcp",
      oauth(() => as()),
    );
    expect(reasons.oauth_client_registration).toContain("https://login.example/t1 takes neither");
    expect(reasons.oauth_client_registration).toContain(
      "https://signalbox.example/v1/oauth-providers/login-example/connect/callback",
    );
    expect(reasons.oauth_client_registration).toContain(
      "confidential client, with a client secret (client_secret_basic)",
    );
  });

  test("suggest an id of at most 40 characters, which is what the API accepts", async () => {
    const issuer = "https://a-very-long-name-of-a-tenant-in.login.example";
    const { reasons } = await discover(
      "https://mcp.example/mcp",
      oauth(
        () =>
          as({ issuer, authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` }),
        issuer,
      ),
    );
    const [, id] = /save it as "([^"]+)"/.exec(reasons.oauth_client_registration!)!;
    expect(id).toMatch(/^[a-z0-9][a-z0-9-]{1,39}$/);
  });

  test("ask for no secret for a public client", async () => {
    const { reasons } = await discover(
      "https://mcp.example/mcp",
      oauth(() => as({ token_endpoint_auth_methods_supported: ["none"] })),
    );
    expect(reasons.oauth_client_registration).toContain("no secret is needed");
  });

  test("ask for a key pair when the server requires private_key_jwt", async () => {
    const { reasons } = await discover(
      "https://mcp.example/mcp",
      oauth(() => as({ token_endpoint_auth_methods_supported: ["private_key_jwt"] })),
    );
    expect(reasons.oauth_client_registration).toContain("key pair");
  });

  test("name where metadata was looked for when a token must be entered", async () => {
    const { reasons } = await discover("https://mcp.example/mcp", (url) =>
      url.endsWith("/mcp") && !url.includes("well-known") ? denied() : undefined,
    );
    expect(reasons.bearer_token).toContain("https://mcp.example/.well-known/oauth-protected-resource/mcp");
  });

  test("name both issuers when they do not match", async () => {
    const { messages, result } = await discover(
      "https://mcp.example/mcp",
      oauth(() => as({ issuer: "https://other.example" })),
    );
    expect(messages.oauth_issuer_mismatch).toContain("https://login.example/t1");
    expect(messages.oauth_issuer_mismatch).toContain("https://other.example");
    expect(result.status).toBe("unsupported");
  });

  test("name the host of a sign-in page, and not its query", async () => {
    const { messages } = await discover(
      "https://mcp.example/mcp",
      () =>
        new Response(null, {
          status: 302,
          headers: { location: "https://sso.example/login?state=top-secret" },
        }),
    );
    expect(messages.redirected).toContain("sso.example");
    expect(messages.redirected).not.toContain("top-secret");
  });

  test("pass on Retry-After", async () => {
    const { messages, asked } = await discover(
      "https://mcp.example/mcp",
      () => new Response(null, { status: 429, headers: { "retry-after": "120" } }),
    );
    expect(messages.mcp_http_429).toContain("after 120 seconds");
    expect(asked).toHaveLength(2);
  });

  test("need a public address of this instance for client metadata documents", async () => {
    const script = oauth(() => as({ client_id_metadata_document_supported: true }));
    const { result } = await discover("https://mcp.example/mcp", script);
    expect(result).toMatchObject({
      status: "ready",
      warnings: [],
      authentication: { recommendedRegistrationMethod: "client_metadata" },
    });
  });
});

describe("plain http", () => {
  const open: Script = (url, { rpc, id }) => {
    if (!url.endsWith("/mcp") || url.includes("well-known")) return undefined;
    if (rpc === "initialize")
      return json({ jsonrpc: "2.0", id, result: { protocolVersion: "2025-06-18", capabilities: {} } });
    if (rpc === "tools/list") return json({ jsonrpc: "2.0", id, result: { tools: [] } });
    return undefined;
  };

  test("an open server over plain http is ready, with a warning", async () => {
    const { result, messages } = await discover("http://mcp.example/mcp", open);
    expect(result.status).toBe("ready");
    expect(messages.mcp_insecure_transport).toContain("http://mcp.example/mcp");
  });

  test("a server that requires a token over plain http needs https first", async () => {
    const { result, reasons } = await discover("http://mcp.example/mcp", (url) =>
      url === "http://mcp.example/mcp" ? denied() : undefined,
    );
    expect(result.status).toBe("manual_action_required");
    expect(Object.keys(reasons)).toEqual(["https_required", "bearer_token"]);
  });

  test("308 to https on the same host is followed, and the final URL is a step for a person", async () => {
    const { result, reasons, asked } = await discover("http://mcp.example/mcp", (url, request) =>
      url.startsWith("http:")
        ? new Response(null, { status: 308, headers: { location: "https://mcp.example/mcp" } })
        : open(url, request),
    );
    expect(result).toMatchObject({
      status: "manual_action_required",
      server: { url: "http://mcp.example/mcp", initialize: "succeeded" },
    });
    expect(reasons.https_required).toContain("https://mcp.example/mcp");
    expect(asked.filter((line) => line.startsWith("POST http:"))).toHaveLength(2);
  });

  test("302 to https on the same host is not followed by a POST", async () => {
    const { result, reasons, asked } = await discover(
      "http://mcp.example/mcp",
      () => new Response(null, { status: 302, headers: { location: "https://mcp.example/mcp" } }),
    );
    expect(result.status).toBe("manual_action_required");
    expect(reasons.https_required).toContain("https://mcp.example/mcp");
    expect(asked).toHaveLength(2);
  });

  test("a redirect from https to http is not followed", async () => {
    const { result, messages } = await discover(
      "https://mcp.example/mcp",
      () => new Response(null, { status: 307, headers: { location: "http://mcp.example/mcp/" } }),
    );
    expect(result.status).toBe("unsupported");
    expect(messages.redirected).toContain("gives up https");
  });

  test("a public server may not point at an authorization server on this machine", async () => {
    const { result, messages, asked } = await discover(
      "https://mcp.example/mcp",
      oauth(() => as(), "http://localhost:9000"),
    );
    expect(result).toMatchObject({
      status: "unsupported",
      authentication: { kind: "oauth", authorizationServers: [] },
    });
    expect(messages.oauth_insecure_endpoint).toContain("localhost:9000");
    expect(asked.some((line) => line.includes("localhost"))).toBe(false);
  });
});

describe("metadata on another origin", () => {
  const script =
    (resource: string | undefined): Script =>
    (url) => {
      if (url === "https://mcp.example/mcp")
        return denied('Bearer resource_metadata="https://meta.example/prm"');
      if (url === "https://meta.example/prm")
        return json({ resource, authorization_servers: ["https://login.example/t1"] });
      return url.includes("login.example")
        ? as({ registration_endpoint: "https://login.example/reg" })
        : undefined;
    };

  test("is used when it names this server", async () => {
    const { result } = await discover("https://mcp.example/mcp", script("https://mcp.example/mcp"));
    expect(result).toMatchObject({
      status: "ready",
      authentication: { protectedResourceMetadataUrl: "https://meta.example/prm" },
    });
  });

  test("is not used when it names no resource", async () => {
    const { result } = await discover("https://mcp.example/mcp", script(undefined));
    expect(result).toMatchObject({
      status: "unsupported",
      authentication: { kind: "oauth", authorizationServers: [] },
    });
  });
});

describe("an issuer whose path begins with two slashes", () => {
  test("gets no metadata from the host that its path names", async () => {
    const issuer = "https://login.example//other.example/t1";
    const { result, asked } = await discover("https://mcp.example/mcp", (url, request) =>
      url.startsWith("https://other.example/")
        ? as({ issuer })
        : oauth(() => undefined, issuer)(url, request),
    );
    expect(asked.filter((one) => one.includes("https://other.example"))).toEqual([]);
    expect(asked).toContain("GET https://login.example//other.example/t1/.well-known/openid-configuration");
    expect(result.authentication.authorizationServers).toEqual([
      { issuer, clientIdMetadataDocumentSupported: false },
    ]);
  });

  test("does not end the discovery when the path names no host", async () => {
    const issuer = "https://login.example//[";
    const { messages } = await discover(
      "https://mcp.example/mcp",
      oauth(() => undefined, issuer),
    );
    expect(messages.oauth_server_metadata_unavailable).toContain(issuer);
  });
});

describe("a failure of egress", () => {
  test.each([
    ["dns_failed", "unreachable", "mcp_unreachable"],
    ["connection_refused", "unreachable", "mcp_unreachable"],
    ["connection_reset", "unreachable", "mcp_unreachable"],
    ["tls_failed", "unreachable", "mcp_unreachable"],
    ["timeout", "unreachable", "mcp_unreachable"],
    ["refused_by_policy", "unreachable", "egress_refused"],
    ["too_large", "unsupported", "mcp_response_too_large"],
    ["bad_encoding", "unsupported", "mcp_protocol_error"],
    ["protocol_error", "unsupported", "mcp_protocol_error"],
  ] as const)("%s has its own verdict", async (kind, status, code) => {
    const { result, messages } = await discover("https://mcp.example/mcp", () => kind);
    expect(result).toMatchObject({ status, authentication: { kind: "unknown" } });
    expect(messages[code]).toContain(`Scripted: ${kind}.`);
  });

  test("a resolver that is down is a failure of discovery itself", async () => {
    await expect(discover("https://mcp.example/mcp", () => "resolver_down")).rejects.toThrow("DNS settings");
  });

  test("one failed handshake does not hide the result of the other", async () => {
    const { result } = await discover("https://mcp.example/mcp", (url, { rpc }) => {
      if (rpc === "server/discover") return "connection_reset";
      return url === "https://mcp.example/mcp" ? denied() : undefined;
    });
    expect(result.authentication.kind).toBe("manual_bearer");
  });

  test("an untrusted certificate of the authorization server is reported, with a step to continue", async () => {
    const { result, messages } = await discover(
      "https://mcp.example/mcp",
      oauth(() => "tls_failed"),
    );
    expect(result.status).toBe("manual_action_required");
    expect(messages.oauth_server_metadata_unavailable).toContain("Scripted: tls_failed");
  });
});

describe("the evidence", () => {
  test("shows no credentials in addresses and no text of a body", async () => {
    const { evidence, result } = await discover(
      "https://mcp.example/mcp?apikey=s3cr3t-s3cr3t",
      (url, { rpc, id }) => {
        if (url.includes("well-known")) return undefined;
        if (rpc !== "initialize") return new Response("inner text", { status: 500 });
        return json({ jsonrpc: "2.0", id, error: { code: -32000, message: "inner text" } });
      },
    );
    const shown = JSON.stringify({ evidence, warnings: result.warnings });
    expect(shown).not.toContain("s3cr3t");
    expect(shown).not.toContain("inner text");
    expect(shown).toContain("apikey=[redacted]");
  });

  test("of an abandoned request has its duration, and the rule that made it unnecessary", async () => {
    const server = await startHostileServer((request, base) => {
      // This request gets no answer, so the handshake decides.
      if (request.rpc === "server/discover") return { raw: () => undefined };
      return openHandshake(request, base);
    });
    try {
      const { evidence, closed } = await discoverServer(`${server.base}/mcp`, {
        egress: createEgress({ allow: [], allowLoopback: true }),
        redirectUri,
      });
      const entry = evidence.find(({ step }) => step === "probe_discover");
      expect(entry).toMatchObject({ failure: "abandoned", decided: [] });
      expect(entry).not.toHaveProperty("status");
      expect(entry?.rule).toContain("Lifecycle › Initialization");
      // At least the time that it still had after the handshake was answered.
      expect(entry?.ms).toBeGreaterThan(1_000);
      expect(
        evidence.every(({ ms, failure, status }) => failure !== undefined || status !== undefined || ms > 0),
      ).toBe(true);
      await closed;
    } finally {
      await server.close();
    }
  });

  test("names the complete address to use for a correction of the host, and no other part of the reply", async () => {
    const { result, reasons, messages } = await discover(
      "https://10.0.0.5.example:8443/mcp",
      () =>
        new Response("Blocked request. Host not allowed; inner text. Use mcp.example.com instead.", {
          status: 403,
        }),
    );
    expect(result).toMatchObject({
      status: "manual_action_required",
      server: { initialize: "failed" },
      authentication: { kind: "unknown" },
      tools: { visibility: "unavailable" },
    });
    expect(reasons.server_url_correction).toContain("https://mcp.example.com:8443/mcp");
    expect(messages.mcp_http_403).toContain("says nothing about credentials");
    expect(JSON.stringify(result)).not.toContain("inner text");
  });

  test("lists the requests in the order of the procedure", async () => {
    const { asked } = await discover("https://mcp.example/mcp", (url) => {
      if (url === "https://mcp.example/mcp")
        return denied('Bearer resource_metadata="https://mcp.example/gone"');
      return undefined;
    });
    expect(asked).toEqual([
      "POST https://mcp.example/mcp server/discover",
      "POST https://mcp.example/mcp initialize",
      "GET https://mcp.example/gone",
      "GET https://mcp.example/.well-known/oauth-protected-resource/mcp",
      "GET https://mcp.example/.well-known/oauth-protected-resource",
      "GET https://mcp.example/.well-known/oauth-authorization-server",
      "GET https://mcp.example/.well-known/openid-configuration",
    ]);
  });
});
