import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { join } from "node:path";
import { discover } from "@signalbox/discovery";
import { createEgress, type EgressPolicy } from "@signalbox/discovery/egress";
import { describe, expect, test } from "vitest";
import { everyName, failure, serveTls, watchSockets } from "./egress-kit.ts";

const file = (name: string) => readFileSync(join(import.meta.dirname, "../fixtures/tls", name), "utf8");
const certificate = { key: file("good.key"), cert: file("good.pem") };

type Documents = Record<string, { status?: number; headers?: Record<string, string>; json?: unknown }>;

/** An https server; what it is asked is kept. */
async function serveDocuments(documents: (base: string) => Documents, host: string) {
  const asked: string[] = [];
  let base = "";
  const server = createServer(certificate, (request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const { status = 200, headers = {}, json } = documents(base)[request.url ?? ""] ?? { status: 404 };
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(json === undefined ? "" : JSON.stringify(json));
  });
  const listening = await serveTls(server);
  base = `https://${host}:${listening.port}`;
  return { base, asked, ...listening };
}

const server = (issuer: string, over: Record<string, unknown> = {}) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  registration_endpoint: `${issuer}/register`,
  code_challenge_methods_supported: ["S256"],
  ...over,
});

/** What stands on the machine of this service: it would answer every question to an attacker's liking. */
const insider = (resource: () => string) =>
  serveDocuments(
    (base) => ({
      "/prm": { json: { resource: resource(), authorization_servers: [base] } },
      "/.well-known/oauth-authorization-server": { json: server(base) },
      "/moved": { json: server("https://tls.test") },
    }),
    "127.0.0.1",
  );

interface Case {
  challenge?: (inside: string) => string;
  resource?: (inside: string, base: string) => Documents[string];
  server?: (inside: string, base: string) => Documents[string];
  mcp?: (inside: string) => Documents[string];
}

/** A server somewhere else (`tls.test`), which tries to make this service look into its own machine. */
async function attack(
  what: Case,
  {
    policy = { allow: ["tls.test"], allowLoopback: true },
    asked = "tls.test",
    spelled = (base: string) => base,
  }: { policy?: EgressPolicy; asked?: string; spelled?: (base: string) => string } = {},
) {
  let resource = "";
  const inside = await insider(() => resource);
  const at = spelled(inside.base);
  const outside = await serveDocuments((base) => {
    const challenge = what.challenge?.(at) ?? "Bearer";
    return {
      "/mcp": what.mcp?.(at) ?? { status: 401, headers: { "www-authenticate": challenge } },
      "/.well-known/oauth-protected-resource/mcp": what.resource?.(at, base) ?? { status: 404 },
      "/.well-known/oauth-authorization-server": what.server?.(at, base) ?? { status: 404 },
    };
  }, asked);
  resource = `${outside.base}/mcp`;
  const egress = createEgress(policy, { lookup: everyName("127.0.0.1"), ca: [file("ca.pem")] });
  const { result } = await discover(resource, {
    egress,
    redirectUri: (id) => `https://signalbox.example/${id}`,
  });
  await egress.close();
  return { result, inside, outside, codes: result.warnings.map(({ code }) => code) };
}

const byChallenge: Case = { challenge: (inside) => `Bearer resource_metadata="${inside}/prm"` };
const byServers: Case = {
  resource: (inside, base) => ({ json: { resource: `${base}/mcp`, authorization_servers: [inside] } }),
};

describe("a server on another machine, while the caller may use loopback", () => {
  const spellings: [string, (base: string) => string][] = [
    ["127.0.0.1", (base) => base],
    ["localhost", (base) => base.replace("127.0.0.1", "localhost")],
    ["a name under localhost", (base) => base.replace("127.0.0.1", "tls.test.localhost.")],
    ["127.1", (base) => base.replace("127.0.0.1", "127.1")],
    ["one number", (base) => base.replace("127.0.0.1", "2130706433")],
    ["::1", (base) => base.replace("127.0.0.1", "[::1]")],
    ["a mapped address", (base) => base.replace("127.0.0.1", "[::ffff:127.0.0.1]")],
  ];

  test.each(spellings)(
    "cannot have its metadata fetched from this machine, written as %s",
    async (_, spelled) => {
      const { attempts } = watchSockets();
      const { result, inside, outside, codes } = await attack(byChallenge, { spelled });
      expect(inside.connections()).toBe(0);
      expect(attempts.every((attempt) => attempt === `127.0.0.1 ${outside.port}`)).toBe(true);
      expect(codes).toContain("egress_refused");
      expect(result).toMatchObject({
        status: "manual_action_required",
        authentication: { kind: "manual_bearer", authorizationServers: [] },
      });
    },
  );

  test.each(spellings)(
    "cannot name this machine as its authorization server, written as %s",
    async (_, spelled) => {
      const { result, inside } = await attack(byServers, { spelled });
      expect(inside.connections()).toBe(0);
      expect(result.status).toBe("manual_action_required");
      expect(result.manualRequirements.map(({ code }) => code)).toContain("network_trust");
    },
  );

  test("cannot redirect its metadata to this machine", async () => {
    const moved = (path: string) => (inside: string) => ({
      status: 302,
      headers: { location: `${inside}${path}` },
    });
    const first = await attack({ resource: moved("/prm") });
    expect(first.inside.connections()).toBe(0);
    const second = await attack({
      resource: (_, base) => ({ json: { resource: `${base}/mcp`, authorization_servers: [base] } }),
      server: moved("/moved"),
    });
    expect(second.inside.connections()).toBe(0);
    expect(second.codes).toEqual(["egress_refused"]);
  });

  test("cannot redirect its endpoint to this machine", async () => {
    const { inside, result } = await attack({
      mcp: (at) => ({ status: 307, headers: { location: `${at}/mcp` } }),
    });
    expect(inside.connections()).toBe(0);
    expect(result.status).toBe("unsupported");
  });

  test("cannot send people or tokens to this machine through the endpoints of an authorization server", async () => {
    const { result, inside, codes } = await attack({
      resource: (_, base) => ({ json: { resource: `${base}/mcp`, authorization_servers: [base] } }),
      server: (at, base) => ({
        json: server(base, {
          authorization_endpoint: `${at}/authorize`,
          registration_endpoint: `${at}/register`,
        }),
      }),
    });
    expect(inside.connections()).toBe(0);
    expect(result.status).toBe("unsupported");
    expect(codes).toEqual([
      "oauth_insecure_endpoint",
      "oauth_insecure_endpoint",
      "oauth_server_metadata_incomplete",
    ]);
    const [item] = result.authentication.authorizationServers;
    expect(item).not.toHaveProperty("authorizationEndpoint");
    expect(item).not.toHaveProperty("registrationEndpoint");
  });

  test("whose token endpoint is in a private network is not ready", async () => {
    const { result, codes } = await attack({
      resource: (_, base) => ({ json: { resource: `${base}/mcp`, authorization_servers: [base] } }),
      server: (_, base) => ({
        json: server(base, {
          token_endpoint: "https://10.0.0.8/token",
          registration_endpoint: "https://register.internal/",
        }),
      }),
    });
    expect(result.status).toBe("manual_action_required");
    expect(result.manualRequirements.map(({ code }) => code)).toEqual([
      "network_trust",
      "oauth_client_registration",
    ]);
    expect(codes).toEqual(["egress_refused", "egress_refused"]);
    expect(result.authentication).toMatchObject({
      authorizationServers: [{ tokenEndpoint: "https://10.0.0.8/token" }],
      availableRegistrationMethods: ["pre_registered"],
    });
  });

  test("may name this machine when the operator has listed it", async () => {
    const policy = { allow: ["tls.test", "127.0.0.1"], allowLoopback: true };
    const { result, inside } = await attack(byServers, { policy });
    expect(inside.asked).toContain("GET /.well-known/oauth-authorization-server");
    expect(result.authentication.authorizationServers[0]).toHaveProperty("issuer", inside.base);
  });
});

test("a server on this machine may name other servers on this machine", async () => {
  for (const what of [byChallenge, byServers]) {
    const { result, inside } = await attack(what, {
      policy: { allow: [], allowLoopback: true },
      asked: "127.0.0.1",
    });
    expect(inside.connections()).toBeGreaterThan(0);
    expect(result).toMatchObject({ status: "ready", authentication: { kind: "oauth" } });
  }
});

describe("egress to addresses that a server named", () => {
  const egress = createEgress({ allow: ["10.0.0.1"], allowLoopback: true });

  test("refuses loopback unless that server is on loopback itself", async () => {
    const { attempts } = watchSockets();
    for (const origin of [
      "https://mcp.example/mcp",
      "https://10.0.0.1",
      "http://[::ffff:127.0.0.1]",
      "nonsense",
    ]) {
      const named = egress.forAddressFrom(origin);
      for (const target of ["http://127.0.0.1:9", "http://localhost:9", "http://[::1]:9"]) {
        expect(named.refusal(target)).toContain("EGRESS_ALLOW");
        expect((await failure(named.request(target))).kind).toBe("refused_by_policy");
        await expect(named.fetch(target)).rejects.toThrow("EGRESS_ALLOW");
        // Nor does asking again for somebody on this machine widen it.
        expect(named.forAddressFrom("http://localhost").refusal(target)).toContain("EGRESS_ALLOW");
      }
      expect(named.refusal("https://10.0.0.1/")).toBeUndefined();
    }
    expect(attempts).toEqual([]);
    for (const origin of ["http://127.0.0.1:3000", "http://localhost", "http://[::1]/mcp"]) {
      expect(egress.forAddressFrom(origin).refusal("http://127.0.0.1:8000")).toBeUndefined();
    }
  });

  test("checks an address without sending anything", () => {
    expect(egress.refusal("http://10.0.0.2/")).toContain("private address");
    expect(egress.refusal("file:///etc/passwd")).toContain("http://");
    expect(egress.refusal("not a URL")).toBe("The address is not a URL.");
    expect(egress.refusal("https://mcp.example/")).toBeUndefined();
  });
});
