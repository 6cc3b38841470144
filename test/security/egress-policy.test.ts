import { parseEgressAllow } from "@signalbox/discovery/egress";
import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { describe, expect, test } from "vitest";
import { createGuard } from "../../packages/discovery/src/egress/policy.ts";

type Guard = ReturnType<typeof createGuard>;

const asks =
  (guard: Guard) =>
  (address: string, host = address, port = 443) => {
    try {
      guard.checkAddress(address, host, port);
      return true;
    } catch {
      return false;
    }
  };
const closed = asks(createGuard({ allow: [], allowLoopback: false }));
const local = asks(createGuard({ allow: [], allowLoopback: true }));

const v4Text = (bytes: readonly number[]) => bytes.join(".");
const octets = (n: number) => [n >>> 24, (n >>> 16) & 255, (n >>> 8) & 255, n & 255];
const anyV4 = fc.nat({ max: 0xffffffff }).map((n) => octets(n >>> 0));
const inV4 = (base: string, bits: number) =>
  fc.nat({ max: 2 ** (32 - bits) - 1 }).map((low) => {
    const start = ipaddr.IPv4.parse(base).octets.reduce((sum, octet) => sum * 256 + octet, 0);
    return octets((start + low) >>> 0);
  });
const privateV4 = fc.oneof(
  inV4("0.0.0.0", 8),
  inV4("10.0.0.0", 8),
  inV4("100.64.0.0", 10),
  inV4("127.0.0.0", 8),
  inV4("169.254.0.0", 16),
  inV4("172.16.0.0", 12),
  inV4("192.0.0.0", 24),
  inV4("192.168.0.0", 16),
  inV4("198.18.0.0", 15),
  inV4("224.0.0.0", 3),
  fc.constantFrom([168, 63, 129, 16], [100, 100, 100, 200]),
);

const v6 = (bytes: readonly number[]) => ipaddr.fromByteArray([...bytes]).toString();
const tail = (n: number) => fc.uint8Array({ minLength: n, maxLength: n }).map((bytes) => [...bytes]);
const zeros = (n: number) => Array.from({ length: n }, () => 0);
/** Every way an IPv6 address carries an IPv4 one. */
const carriers = (v4: readonly number[], noise: readonly number[]) => [
  v6([...zeros(12), ...v4]),
  v6([...zeros(10), 255, 255, ...v4]),
  v6([...zeros(8), 255, 255, 0, 0, ...v4]),
  v6([0, 0x64, 0xff, 0x9b, ...zeros(8), ...v4]),
  v6([0, 0x64, 0xff, 0x9b, 0, 1, ...noise.slice(0, 6), ...v4]),
  v6([0x20, 0x02, ...v4, ...noise.slice(0, 10)]),
  v6([0x20, 0x01, 0, 0, ...v4, ...noise.slice(0, 8)]),
  v6([0x20, 0x01, 0, 0, ...noise.slice(0, 8), ...v4.map((octet) => octet ^ 255)]),
  v6([0x26, ...noise.slice(0, 7), 0, 0, 0x5e, 0xfe, ...v4]),
  v6([0x26, ...noise.slice(0, 7), 2, 0, 0x5e, 0xfe, ...v4]),
];

describe("without entries", () => {
  test("no address of a private IPv4 range is allowed", () => {
    fc.assert(
      fc.property(privateV4, (bytes) => !closed(v4Text(bytes))),
      { numRuns: 2000 },
    );
  });

  test("no IPv6 address that carries a private IPv4 one is allowed, with or without loopback", () => {
    fc.assert(
      fc.property(privateV4, tail(16), (bytes, noise) => {
        const opened = carriers(bytes, noise).filter((address) => closed(address) || local(address));
        return opened.every((address) => address === "::1");
      }),
      { numRuns: 500 },
    );
  });

  test("no IPv6 address outside 2000::/3 is allowed", () => {
    fc.assert(
      fc.property(tail(16), (bytes) => {
        fc.pre((bytes[0]! & 0xe0) !== 0x20);
        expect(closed(v6(bytes))).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });

  test("loopback opens exactly 127.0.0.0/8 and ::1", () => {
    fc.assert(
      fc.property(anyV4, (bytes) => local(v4Text(bytes)) === (closed(v4Text(bytes)) || bytes[0] === 127)),
      { numRuns: 2000 },
    );
    fc.assert(
      fc.property(tail(16), (bytes) => local(v6(bytes)) === closed(v6(bytes))),
      { numRuns: 2000 },
    );
    expect(local("::1")).toBe(true);
    expect(local("127.0.0.1", "elsewhere.test")).toBe(false);
    expect(local("127.0.0.1", "localhost")).toBe(true);
    expect(local("10.0.0.1", "localhost")).toBe(false);
  });

  test("ordinary public addresses are allowed", () => {
    for (const address of [
      "1.1.1.1",
      "8.8.8.8",
      "93.184.216.34",
      "2606:4700::1111",
      "2a00:1450:4001::200e",
    ]) {
      expect(closed(address), address).toBe(true);
    }
  });
});

describe("with entries", () => {
  test("a network allows its own addresses, except the protected ones, and nothing else", () => {
    fc.assert(
      fc.property(anyV4, fc.nat({ max: 32 }), anyV4, tail(16), (base, bits, probe, noise) => {
        const network = `${ipaddr.IPv4.networkAddressFromCIDR(`${v4Text(base)}/${bits}`)}/${bits}`;
        const open = asks(createGuard({ allow: [network], allowLoopback: false }));
        const inside = ipaddr.IPv4.parse(v4Text(probe)).match(ipaddr.IPv4.parseCIDR(network));
        if (!inside) expect(open(v4Text(probe))).toBe(closed(v4Text(probe)));
        return carriers(probe, noise).every((address) => open(address) === closed(address));
      }),
      { numRuns: 500 },
    );
  });

  test("a network allows the private addresses that it contains", () => {
    fc.assert(
      fc.property(inV4("10.1.0.0", 16), (bytes) => {
        expect(asks(createGuard({ allow: ["10.1.0.0/16"], allowLoopback: false }))(v4Text(bytes))).toBe(true);
      }),
    );
  });

  test("link-local and metadata addresses are not allowed by a large network or by a name", () => {
    const guarded = [
      ["169.254.169.254", "169.254.169.254"],
      ["169.254.169.254", "169.254.169.0/24"],
      ["169.254.1.1", "169.254.0.0/16"],
      ["168.63.129.16", "168.63.129.16"],
      ["100.100.100.200", "100.100.100.200/32"],
      ["fe80::1", "fe80::/10"],
      ["fd00:ec2::254", "fd00:ec2::254"],
      ["192.0.0.192", "192.0.0.192"],
    ] as const;
    const broad = [
      "0.0.0.0/0",
      "::/0",
      "169.0.0.0/8",
      "169.254.0.0/15",
      "168.63.129.0/24",
      "100.64.0.0/10",
      "fe80::/9",
      "fd00::/8",
      "192.0.0.0/24",
      "corp.test",
      "*.test",
    ];
    const wide = asks(
      createGuard({ allow: broad.filter((entry) => entry !== "169.254.0.0/15"), allowLoopback: true }),
    );
    for (const [address, entry] of guarded) {
      expect(wide(address), address).toBe(false);
      expect(wide(address, "corp.test"), address).toBe(false);
      expect(wide(address, "a.test"), address).toBe(false);
      const exact = asks(createGuard({ allow: [entry], allowLoopback: false }));
      expect(exact(address), `${address} by ${entry}`).toBe(true);
      expect(exact("10.0.0.1")).toBe(false);
    }
    expect(wide("10.0.0.1")).toBe(true);
  });

  test("a host allows the addresses that it resolves to, on its port if one is given", () => {
    const open = asks(createGuard({ allow: ["mcp.corp.test:8443", "*.apps.test"], allowLoopback: false }));
    expect(open("10.0.0.1", "mcp.corp.test", 8443)).toBe(true);
    expect(open("10.0.0.1", "MCP.corp.test.", 8443)).toBe(true);
    expect(open("10.0.0.1", "mcp.corp.test", 443)).toBe(false);
    expect(open("10.0.0.1", "x.mcp.corp.test", 8443)).toBe(false);
    expect(open("10.0.0.1", "a.apps.test")).toBe(true);
    expect(open("10.0.0.1", "a.b.apps.test")).toBe(true);
    expect(open("10.0.0.1", "apps.test")).toBe(false);
    expect(open("10.0.0.1", "evilapps.test")).toBe(false);
    expect(open("10.0.0.1", "a.apps.test.evil.test")).toBe(false);
    expect(open("10.0.0.1")).toBe(false);
  });

  test("an entry for a translation prefix does not allow the translated addresses", () => {
    const open = asks(createGuard({ allow: ["64:ff9b::/96"], allowLoopback: true }));
    expect(open("64:ff9b::808:808")).toBe(true);
    expect(open("64:ff9b::a00:1")).toBe(false);
    expect(open("64:ff9b::7f00:1")).toBe(false);
    expect(open("64:ff9b::a9fe:a9fe")).toBe(false);
  });
});

describe("EGRESS_ALLOW", () => {
  test("is a list of hosts, addresses and networks, separated by commas or white space", () => {
    expect(
      parseEgressAllow(
        " MCP.corp.example, *.corp.example:8443\n10.1.0.0/16 10.2.3.4:80 fd00::/8,[fd00::1]:9 ::1 ",
      ),
    ).toEqual([
      "mcp.corp.example",
      "*.corp.example:8443",
      "10.1.0.0/16",
      "10.2.3.4:80",
      "fd00::/8",
      "[fd00::1]:9",
      "::1",
    ]);
    expect(parseEgressAllow("")).toEqual([]);
    expect(parseEgressAllow("bücher.example.")).toEqual(["xn--bcher-kva.example"]);
  });

  test("reports an invalid entry in one sentence", () => {
    for (const entry of [
      "https://mcp.corp.example",
      "*",
      "*.",
      "a.*.example",
      "*corp.example",
      "10.0.0.0/33",
      "10.1.2.3/16",
      "10.0.0.0/",
      "10.0.0.0/8/9",
      "fd00::/129",
      "host/24",
      "host:0",
      "host:70000",
      "host:",
      "0x7f.1",
      "2130706433",
      "a..b",
      "user@host",
      "[::1",
      "10.0.0.0/8:80",
    ]) {
      let message = "";
      try {
        parseEgressAllow(`ok.example, ${entry}`);
      } catch (error) {
        message = (error as Error).message;
      }
      expect(message, entry).toContain(`"${entry}"`);
      expect(message, entry).toMatch(/^[^\n]+\.$/);
    }
  });

  test("gives the same entry when its text is parsed again", () => {
    fc.assert(
      fc.property(fc.oneof(fc.domain(), fc.ipV4(), fc.ipV6()), (entry) => {
        const once = parseEgressAllow(entry);
        expect(parseEgressAllow(once.join(","))).toEqual(once);
      }),
    );
  });
});
