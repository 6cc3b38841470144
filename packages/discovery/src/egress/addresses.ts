import ipaddr from "ipaddr.js";

export type Ip = ipaddr.IPv4 | ipaddr.IPv6;
export type Cidr = readonly [Ip, number];

/** `guarded`: link-local and cloud metadata, which hand out credentials to whoever asks from the inside. */
export type AddressClass = "public" | "loopback" | "private" | "guarded" | "special";

const cidr = (text: string): Cidr => ipaddr.parseCIDR(text);

const guardedRanges: readonly Cidr[] = [
  cidr("169.254.0.0/16"),
  cidr("fe80::/10"),
  cidr("168.63.129.16/32"), // Azure's host agent, on an address that looks public
  cidr("100.100.100.200/32"), // Alibaba Cloud
  cidr("192.0.0.192/32"), // Oracle Cloud
  cidr("fd00:ec2::/32"), // AWS: metadata, DNS, time, pod identity
  cidr("fd20:ce::254/128"), // Google Cloud
  cidr("fd00:42::42/128"), // Scaleway
];

// Nothing outside 2000::/3 is allocated for the public internet; ipaddr.js calls the rest unicast too.
const globalV6 = cidr("2000::/3");

/** Undefined for anything that is not the plain text of one address. */
export function parseIp(text: string): Ip | undefined {
  const plain = text.startsWith("[") && text.endsWith("]") ? text.slice(1, -1) : text;
  if (ipaddr.IPv4.isValidFourPartDecimal(plain)) return ipaddr.IPv4.parse(plain);
  return ipaddr.IPv6.isValid(plain) ? ipaddr.IPv6.parse(plain) : undefined;
}

export function isWithin(ip: Ip, [network, bits]: Cidr): boolean {
  return ip.kind() === network.kind() && ip.match(network, bits);
}

/** The guarded range this address lies in, if any. */
export function findGuardedRange(ip: Ip): Cidr | undefined {
  return guardedRanges.find((range) => isWithin(ip, range));
}

export function classify(ip: Ip): AddressClass {
  if (findGuardedRange(ip)) return "guarded";
  const range: string = ip.range();
  if (range === "loopback") return "loopback";
  if (range === "private" || range === "carrierGradeNat" || range === "uniqueLocal") return "private";
  if (range !== "unicast") return "special";
  if (ip.kind() === "ipv4") return "public";
  if (!isWithin(ip, globalV6)) return "special";
  return findEmbeddedV4(ip).every((inner) => classify(inner) === "public") ? "public" : "special";
}

/** Where a v6 prefix hides IPv4 addresses: bit offsets of each, and whether the bits are inverted. */
const transitionRanges: readonly { range: Cidr; at: readonly number[]; inverted?: readonly number[] }[] = [
  { range: cidr("::/96"), at: [96] }, // IPv4-compatible
  { range: cidr("::ffff:0:0/96"), at: [96] }, // IPv4-mapped
  { range: cidr("::ffff:0:0:0/96"), at: [96] }, // SIIT
  { range: cidr("64:ff9b::/96"), at: [96] }, // NAT64
  { range: cidr("2002::/16"), at: [16] }, // 6to4
  { range: cidr("2001::/32"), at: [32], inverted: [96] }, // Teredo: server, client
];
// NAT64 of one's own choosing (RFC 8215); RFC 6052 puts the address in a place that depends on the prefix length.
const localNat64 = cidr("64:ff9b:1::/48");

/** Every IPv4 address that a network may turn this IPv6 address into. */
export function findEmbeddedV4(ip: Ip): ipaddr.IPv4[] {
  if (ip.kind() === "ipv4" || ip.range() === "loopback" || ip.range() === "unspecified") return [];
  const bytes = ip.toByteArray();
  const v4 = (from: readonly number[], flip = 0) => new ipaddr.IPv4(from.map((i) => bytes[i]! ^ flip));
  const run = (bit: number) => [0, 1, 2, 3].map((n) => bit / 8 + n);
  const found: ipaddr.IPv4[] = [];
  for (const { range, at, inverted = [] } of transitionRanges) {
    if (!isWithin(ip, range)) continue;
    for (const bit of at) found.push(v4(run(bit)));
    for (const bit of inverted) found.push(v4(run(bit), 0xff));
  }
  if (isWithin(ip, localNat64)) {
    // Byte 8 is skipped by RFC 6052 for every prefix shorter than /96.
    for (const places of [[6, 7, 9, 10], [7, 9, 10, 11], [9, 10, 11, 12], run(96)]) found.push(v4(places));
  }
  // ISATAP: any prefix, interface identifier [02]00:5efe:a.b.c.d.
  if ((bytes[8]! & 0xfd) === 0 && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe) {
    found.push(v4(run(96)));
  }
  return found;
}
