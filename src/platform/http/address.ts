import type { Socket } from "node:net";
import ipaddr from "ipaddr.js";
import type { Config } from "../config.ts";
import type { HttpRequest } from "./request.ts";

/**
 * Returns the address of the client. It goes through the forwarding header from the end, beginning at the socket. The
 * first address that is not a trusted proxy is the client.
 */
export function findClientAddress(
  { exchange, headers }: Pick<HttpRequest, "headers"> & { exchange: { socket: Socket } },
  trusted: Config["trustedProxies"],
): string {
  const socket: Connection = exchange.socket;
  const peer = socket[peerAddress] ?? rememberPeer(socket);
  if (trusted.length === 0) return peer;
  const hops = (headers["x-forwarded-for"] ?? "")
    .split(",")
    .map((hop) => hop.trim())
    .filter(Boolean);
  let address = peer;
  while (hops.length > 0 && isTrusted(address, trusted)) address = normalize(hops.pop()!);
  return address;
}

const peerAddress = Symbol("peer address");
type Connection = Socket & { [peerAddress]?: string };

/** Call it when the connection opens. A closed socket no longer has the address of its peer. */
export function rememberPeer(socket: Connection): string {
  const address = normalize(socket.remoteAddress ?? "unknown");
  socket[peerAddress] = address;
  return address;
}

/**
 * Returns the network by which attempts are counted. A client with one IPv6 address usually has its whole /64, and could
 * use another address for each attempt.
 */
export function toNetwork(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address;
  const parts = ipaddr.IPv6.parse(address).parts.slice(0, 4);
  return `${new ipaddr.IPv6([...parts, 0, 0, 0, 0]).toString()}/64`;
}

function normalize(address: string): string {
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : "unknown";
}

function isTrusted(address: string, trusted: Config["trustedProxies"]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  return trusted.some(
    ([network, bits]) => parsed.kind() === network.kind() && parsed.match(network as ipaddr.IPv4, bits),
  );
}
