import { expect, test } from "vitest";
import { oauth, openHandshake, serverMetadata } from "../../../../test/fixtures/mcp-hostile/parts.ts";
import { startHostileServer } from "../../../../test/fixtures/mcp-hostile/server.ts";
import { createEgress } from "../egress/index.ts";
import { discover } from "../index.ts";

test("without options, only public addresses are reached", async () => {
  const server = await startHostileServer(openHandshake);
  const { result, closed } = await discover(`${server.base}/mcp`);
  await closed;
  expect(result.status).toBe("unreachable");
  expect(result.manualRequirements.map(({ code }) => code)).toEqual(["network_trust"]);
  expect(server.received).toEqual([]);
  await server.close();
});

test.each(["mcp.example/mcp", "https://user:secret@mcp.example/", "https://mcp.example/#top", ""])(
  "the URL %j is refused before anything is sent",
  async (url) => {
    await expect(discover(url)).rejects.toThrow(TypeError);
  },
);

test("without a redirect URI, the advice does not invent one", async () => {
  const egress = createEgress({ allow: [], allowLoopback: true });
  const server = await startHostileServer(
    oauth({ server: (base) => serverMetadata(base, { registration_endpoint: undefined }) }),
  );
  const { result, closed } = await discover(`${server.base}/mcp`, { egress });
  await closed;
  const [requirement] = result.manualRequirements;
  expect(requirement?.code).toBe("oauth_client_registration");
  expect(requirement?.reason).toContain("with the redirect URI of the application that connects.");
  expect(requirement?.reason).not.toContain("undefined");
  await server.close();
  await egress.close();
});
