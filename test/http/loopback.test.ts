import { describe, expect, test } from "vitest";
import { connectorBody } from "../connectors.ts";
import { createWorkspace, useServer } from "../harness.ts";
import { serve } from "../security/egress-kit.ts";

/** The documented deployment behind a proxy: the service listens on loopback, but other people can reach it. */
const proxied = [
  ["PUBLIC_URL", { PUBLIC_URL: "https://signalbox.example.com" }],
  ["TRUSTED_PROXIES", { TRUSTED_PROXIES: "127.0.0.1" }],
] as const;

describe.each(proxied)("an instance behind a proxy, detected by %s", (_name, env) => {
  const server = useServer({ env });
  test("does not connect to services on its own machine for a new account", async () => {
    let asked = 0;
    const internal = await serve((_request, reply) => {
      asked += 1;
      reply.end("{}");
    });
    const { owner } = await createWorkspace(server);
    for (const host of ["127.0.0.1", "localhost", "[::1]"]) {
      const url = `http://${host}:${internal.port}`;
      const found = await server.call("/v1/mcp-connections/discover", {
        headers: owner.auth,
        body: { url: `${url}/mcp` },
      });
      expect(found.status).toBe(200);
      expect(found.body.status).toBe("unreachable");
      expect(found.body.warnings.map(({ code }: { code: string }) => code)).toContain("egress_refused");

      const connector = await server.call("/v1/connectors", {
        headers: owner.auth,
        body: connectorBody({ cloneUrl: `${url}/r.git` }),
      });
      expect(connector.status).toBe(400);
      expect(JSON.stringify(connector.body)).toContain("EGRESS_ALLOW");

      const provider = await server.call("/v1/oauth-providers", {
        headers: owner.auth,
        body: {
          id: "inside",
          name: "Inside",
          authorizationEndpoint: `${url}/authorize`,
          tokenEndpoint: `${url}/token`,
        },
      });
      expect(provider.status).toBe(400);
      expect(JSON.stringify(provider.body)).toContain("EGRESS_ALLOW");
    }
    expect(asked).toBe(0);
  });
});
