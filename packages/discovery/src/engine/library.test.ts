import { expect, test } from "vitest";
import { oauth, openHandshake, serverMetadata } from "../../../../test/fixtures/mcp-hostile/parts.ts";
import { startHostileServer } from "../../../../test/fixtures/mcp-hostile/server.ts";
import { createEgress } from "../egress/index.ts";
import { type DiscoveryProgress, discover } from "../index.ts";

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

test("progress reports every request in order, and each ends as the evidence says", async () => {
  const egress = createEgress({ allow: [], allowLoopback: true });
  const server = await startHostileServer(oauth());
  const progress: DiscoveryProgress[] = [];
  const outcome = await discover(`${server.base}/mcp`, { egress, onProgress: (one) => progress.push(one) });
  await outcome.closed;
  const sent = progress.filter(({ phase }) => phase === "sent");
  expect(sent.map(({ index }) => index)).toEqual(outcome.evidence.map((_, index) => index));
  for (const [index, item] of outcome.evidence.entries()) {
    const ofRequest = progress.filter((one) => one.index === index);
    expect(ofRequest.at(-1)!.evidence).toEqual(item);
    expect(ofRequest.map(({ phase }) => phase).slice(0, 2)).toEqual(["sent", "answered"]);
  }
  await server.close();
  await egress.close();
});

test("a discovery that is aborted sends nothing more, and still ends with a result", async () => {
  const egress = createEgress({ allow: [], allowLoopback: true });
  const stop = new AbortController();
  const server = await startHostileServer((request, base) => {
    stop.abort();
    return oauth()(request, base);
  });
  const { result, closed } = await discover(`${server.base}/mcp`, { egress, signal: stop.signal });
  await closed;
  // The first two requests are sent together.
  expect(server.received.length).toBeLessThanOrEqual(2);
  expect(result.server.url).toBe(`${server.base}/mcp`);

  const before = server.received.length;
  await (await discover(`${server.base}/mcp`, { egress, signal: AbortSignal.abort() })).closed;
  expect(server.received).toHaveLength(before);
  await server.close();
  await egress.close();
});
