import { afterEach, describe, expect, test } from "vitest";
import { discoverRequirements } from "../../../src/features/mcp-connections/engine/index.ts";
import { createEgress } from "../../../src/platform/egress/index.ts";
import { codesOnly, wholeVerdict } from "../../fixtures/mcp-hostile/behaviour.ts";
import {
  authorizationServer,
  legacySse,
  listenOn,
  modern,
  type Running,
  withSessions,
} from "../../fixtures/mcp-servers/official.ts";
import { bearerKey, protectedBy } from "../../fixtures/mcp-servers/protected.ts";

const egress = createEgress({ allow: [], allowLoopback: true });
const redirectUri = (id: string) => `https://signalbox.example/v1/oauth-providers/${id}/connect/callback`;

const running: Running[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) await server.close();
});

async function start<T extends Running>(starting: Promise<T>): Promise<T> {
  const server = await starting;
  running.push(server);
  return server;
}

async function discover(url: string) {
  const outcome = await discoverRequirements(url, { egress, redirectUri });
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

describe("servers made with the official packages", () => {
  test.each([
    ["the newest era alone", () => modern("reject")],
    ["both eras at one address", () => modern("stateless")],
    ["the newest era, always streaming", () => modern("reject", "sse")],
  ])("%s: open, at 2026-07-28", async (_, starting) => {
    const { base } = await start(starting());
    const { result } = await discover(`${base}/mcp`);
    expect(codesOnly(result)).toEqual(wholeVerdict(open("2026-07-28"), `${base}/mcp`));
  });

  test.each([
    ["streaming its answers", false],
    ["answering in JSON", true],
  ])("the older era with sessions, %s: open, and every session is closed again", async (_, json) => {
    const server = await start(withSessions(json));
    const { result, evidence } = await discover(`${server.base}/mcp`);
    expect(codesOnly(result)).toEqual(wholeVerdict(open("2025-11-25"), `${server.base}/mcp`));
    expect(server.opened).toBe(1);
    expect(server.alive.size).toBe(0);
    expect(evidence).toContainEqual(expect.objectContaining({ method: "DELETE", status: 200 }));
  });

  test("the transport of 2024-11-05 is recognised and not connected", async () => {
    const { base } = await start(legacySse());
    const { result } = await discover(`${base}/sse`);
    expect(codesOnly(result)).toEqual(
      wholeVerdict(
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

  test("a bearer key and nothing else", async () => {
    const { base } = await start(bearerKey());
    const { result } = await discover(`${base}/mcp`);
    expect(codesOnly(result)).toEqual(
      wholeVerdict(
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
    ["without it", false],
  ])("OAuth by a certified authorization server %s", async (_, registration) => {
    const as = await start(authorizationServer(registration));
    const { base } = await start(protectedBy(as.base));
    const { result } = await discover(`${base}/mcp`);
    const { authorizationServers, ...section } = result.authentication;
    expect({ ...codesOnly(result), authentication: section }).toMatchObject({
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

  test("a name that does not exist and a port that is closed are told apart", async () => {
    const closed = await listenOn(() => () => undefined);
    await closed.close();
    const refused = await discover(`${closed.base}/mcp`);
    expect(refused.result.status).toBe("unreachable");
    expect(refused.result.warnings[0]?.message).toContain("refused the connection");
    const nowhere = createEgress(
      { allow: [], allowLoopback: true },
      { lookup: () => Promise.reject(Object.assign(new Error("no"), { code: "ENOTFOUND" })) },
    );
    const { result } = await discoverRequirements("https://mcp.example/x", {
      egress: nowhere,
      redirectUri,
    });
    expect(result.status).toBe("unreachable");
    expect(result.warnings[0]?.message).toContain("does not exist in DNS");
  });
});
