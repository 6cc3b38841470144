import { afterEach, describe, expect, test } from "vitest";
import { buildVerdict, reduceFindingsToCodes } from "../../../../test/fixtures/mcp-hostile/behaviour.ts";
import {
  listenOn,
  type RunningServer,
  startLegacySseServer,
  startModernServer,
  startOidcServer,
  startSessionServer,
} from "../../../../test/fixtures/mcp-servers/official.ts";
import {
  startBearerKeyServer,
  startProtectedServer,
} from "../../../../test/fixtures/mcp-servers/protected.ts";
import { createEgress } from "../egress/index.ts";
import { discover as discoverServer } from "../index.ts";

const egress = createEgress({ allow: [], allowLoopback: true });
const redirectUri = (id: string) => `https://signalbox.example/v1/oauth-providers/${id}/connect/callback`;

const running: RunningServer[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) await server.close();
});

async function start<T extends RunningServer>(starting: Promise<T>): Promise<T> {
  const server = await starting;
  running.push(server);
  return server;
}

async function discover(url: string) {
  const outcome = await discoverServer(url, { egress, redirectUri });
  await outcome.closed;
  return outcome;
}

const TOOLS = [
  { name: "echo", readOnlyHint: true },
  { name: "wipe", destructiveHint: true, openWorldHint: false },
];
const open = (protocolVersion: string) => ({
  status: "ready" as const,
  protocolVersion,
  initialize: "succeeded" as const,
  authentication: { kind: "none" as const },
  tools: { visibility: "available_without_auth" as const, count: 2, items: TOOLS },
});

describe("servers of the official packages", () => {
  test.each([
    ["the newest protocol only", () => startModernServer("reject")],
    ["both protocols at one address", () => startModernServer("stateless")],
    ["the newest protocol, always streaming", () => startModernServer("reject", "sse")],
  ])("%s is open, with the revision 2026-07-28", async (_, starting) => {
    const { base } = await start(starting());
    const { result } = await discover(`${base}/mcp`);
    expect(reduceFindingsToCodes(result)).toEqual(buildVerdict(open("2026-07-28"), `${base}/mcp`));
  });

  test.each([
    ["with streamed replies", false],
    ["with JSON replies", true],
  ])("a server of the older protocol %s is open, and every session is closed", async (_, json) => {
    const server = await start(startSessionServer(json));
    const { result, evidence } = await discover(`${server.base}/mcp`);
    expect(reduceFindingsToCodes(result)).toEqual(buildVerdict(open("2025-11-25"), `${server.base}/mcp`));
    expect(server.opened).toBe(1);
    expect(server.alive.size).toBe(0);
    expect(evidence).toContainEqual(expect.objectContaining({ method: "DELETE", status: 200 }));
  });

  test("the transport of 2024-11-05 is recognized and not connected", async () => {
    const { base } = await start(startLegacySseServer());
    const { result } = await discover(`${base}/sse`);
    expect(reduceFindingsToCodes(result)).toEqual(
      buildVerdict(
        {
          status: "unsupported",
          initialize: "failed",
          authentication: { kind: "none" },
          tools: { visibility: "unavailable" },
          warnings: ["legacy_sse_transport"],
        },
        `${base}/sse`,
      ),
    );
  });

  test("a server with a bearer key and no metadata needs a token", async () => {
    const { base } = await start(startBearerKeyServer());
    const { result } = await discover(`${base}/mcp`);
    expect(reduceFindingsToCodes(result)).toEqual(
      buildVerdict(
        {
          status: "manual_action_required",
          initialize: "authentication_required",
          authentication: { kind: "manual_bearer" },
          tools: { visibility: "requires_auth" },
          requirements: ["bearer_token"],
        },
        `${base}/mcp`,
      ),
    );
  });

  test.each([
    ["with dynamic registration", true],
    ["without dynamic registration", false],
  ])("OAuth with a certified authorization server %s is recognized", async (_, registration) => {
    const as = await start(startOidcServer(registration));
    const { base } = await start(startProtectedServer(as.base));
    const { result } = await discover(`${base}/mcp`);
    const { authorizationServers, ...section } = result.authentication;
    expect({ ...reduceFindingsToCodes(result), authentication: section }).toMatchObject({
      status: registration ? "ready" : "manual_action_required",
      server: { url: `${base}/mcp`, initialize: "authentication_required" },
      authentication: {
        kind: "oauth",
        resource: `${base}/mcp`,
        protectedResourceMetadataUrl: `${base}/.well-known/oauth-protected-resource/mcp`,
        requiredScopes: ["files:read"],
        recommendedScopes: ["files:read", "offline_access"],
        refreshSupport: "supported",
        availableRegistrationMethods: registration ? ["pre_registered", "dynamic"] : ["pre_registered"],
        recommendedRegistrationMethod: registration ? "dynamic" : "pre_registered",
      },
      tools: { visibility: "requires_auth" },
      manualRequirements: registration ? [] : ["oauth_client_registration"],
      warnings: [],
    });
    expect(authorizationServers).toEqual([
      expect.objectContaining({
        issuer: as.base,
        authorizationEndpoint: `${as.base}/auth`,
        tokenEndpoint: `${as.base}/token`,
        ...(registration ? { registrationEndpoint: `${as.base}/reg` } : {}),
        codeChallengeMethodsSupported: ["S256"],
      }),
    ]);
  });

  test("an unknown name and a closed port have different verdicts", async () => {
    const closed = await listenOn(() => () => undefined);
    await closed.close();
    const refused = await discover(`${closed.base}/mcp`);
    expect(refused.result.status).toBe("unreachable");
    expect(refused.result.warnings[0]?.message).toContain("refused the connection");
    const nowhere = createEgress(
      { allow: [], allowLoopback: true },
      { lookup: () => Promise.reject(Object.assign(new Error("no"), { code: "ENOTFOUND" })) },
    );
    const { result } = await discoverServer("https://mcp.example/x", {
      egress: nowhere,
      redirectUri,
    });
    expect(result.status).toBe("unreachable");
    expect(result.warnings[0]?.message).toContain("does not exist in DNS");
  });
});
