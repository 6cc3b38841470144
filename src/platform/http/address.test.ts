import type { Socket } from "node:net";
import { connect } from "node:net";
import ipaddr from "ipaddr.js";
import { expect, test } from "vitest";
import { findClientAddress, toNetwork } from "./address.ts";
import { listen } from "./server.ts";

const trusted = ["10.0.0.0/8", "::1/128"].map((one) => ipaddr.parseCIDR(one));
const resolveAddress = (peer: string, forwarded?: string, proxies = trusted) =>
  findClientAddress(
    {
      headers: { "x-forwarded-for": forwarded },
      exchange: { socket: { remoteAddress: peer } as Socket },
    },
    proxies,
  );

test("without trusted proxies the header is ignored", () => {
  expect(resolveAddress("203.0.113.9", "1.2.3.4", [])).toBe("203.0.113.9");
});

test("the header of a client that is not a trusted proxy is ignored", () => {
  expect(resolveAddress("203.0.113.9", "1.2.3.4")).toBe("203.0.113.9");
});

test("behind trusted proxies the client is the last address that is not a trusted proxy", () => {
  expect(resolveAddress("10.0.0.1", "1.2.3.4")).toBe("1.2.3.4");
  expect(resolveAddress("10.0.0.1", "6.6.6.6, 1.2.3.4, 10.0.0.7")).toBe("1.2.3.4");
  expect(resolveAddress("::ffff:10.0.0.1", "1.2.3.4")).toBe("1.2.3.4");
  expect(resolveAddress("::1", "2001:db8::1")).toBe("2001:db8::1");
  expect(resolveAddress("10.0.0.1", "10.0.0.2")).toBe("10.0.0.2");
  expect(resolveAddress("10.0.0.1")).toBe("10.0.0.1");
});

test("a value in the header that is not an address gives `unknown`", () => {
  expect(resolveAddress("10.0.0.1", "1.2.3.4, <script>")).toBe("unknown");
  expect(resolveAddress("10.0.0.1", "")).toBe("10.0.0.1");
});

test("attempts are counted by network, because a household has 2^64 IPv6 addresses", () => {
  expect(toNetwork("203.0.113.9")).toBe("203.0.113.9");
  expect(toNetwork("2001:db8:1:2:3:4:5:6")).toBe("2001:db8:1:2::/64");
  expect(toNetwork("2001:db8:1:2:ffff::1")).toBe("2001:db8:1:2::/64");
  expect(toNetwork("unknown")).toBe("unknown");
});

test("the address of the client is known even after the client has disconnected", async () => {
  const { port, serve } = await listen("127.0.0.1", 0);
  const seen = Promise.withResolvers<string>();
  const listening = serve({
    answer: async (request) => {
      request.exchange.socket.destroy();
      seen.resolve(findClientAddress(request, []));
      return new Promise(() => {});
    },
  });
  const client = connect(port, "127.0.0.1", () => client.write("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n"));
  client.on("error", () => {});
  expect(await seen.promise).toBe("127.0.0.1");
  await listening.close(100);
});
