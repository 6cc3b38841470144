import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { createEgress } from "../egress/index.ts";
import { discover as discoverServer } from "../index.ts";

const file = (name: string) =>
  readFileSync(join(import.meta.dirname, "../../../../test/fixtures/tls", name), "utf8");
const redirectUri = (id: string) => `https://signalbox.example/${id}`;
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

async function discoverOver(certificate: string) {
  const server = createServer(
    { key: file(`${certificate}.key`), cert: file(`${certificate}.pem`) },
    (_, response) => {
      response.writeHead(401, { "www-authenticate": "Bearer" }).end();
    },
  );
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const egress = createEgress({ allow: [], allowLoopback: true }, { ca: [file("ca.pem")] });
  const { result } = await discoverServer(url, { egress, redirectUri });
  return result;
}

describe("the certificate of a server", () => {
  test("is accepted when it is valid", async () => {
    expect(await discoverOver("good")).toMatchObject({ authentication: { kind: "manual_bearer" } });
  });

  test.each([
    ["expired", "has expired"],
    ["future", "is not valid yet"],
    ["self-signed", "is self-signed"],
  ])("makes the server unreachable, with the reason: %s", async (certificate, why) => {
    const result = await discoverOver(certificate);
    expect(result).toMatchObject({ status: "unreachable", authentication: { kind: "unknown" } });
    expect(result.warnings).toEqual([{ code: "mcp_unreachable", message: expect.stringContaining(why) }]);
  });
});
