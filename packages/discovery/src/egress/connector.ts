import net from "node:net";
import tls from "node:tls";
import type { buildConnector } from "undici";
import { parseIp } from "./addresses.ts";
import type { Resolve, ResolvedAddress } from "./dns/index.ts";
import { EgressError, toEgressError } from "./errors.ts";
import { type Guard, normalizeHost } from "./policy.ts";

export interface ConnectorOptions {
  resolve: Resolve;
  /** The share of the resolver that lookups count against. */
  share: string;
  /** PEM certificates trusted besides the system's own. */
  ca?: readonly string[] | undefined;
  connectTimeoutMs: number;
}

/**
 * Opens sockets for undici. The literal host is checked first; then every address of a name, all of them good or
 * none, and exactly those are handed to the socket; then the address the socket says it reached, before a byte is sent.
 */
export function createGuardedConnector(guard: Guard, options: ConnectorOptions): buildConnector.connector {
  const ca = options.ca && [...tls.getCACertificates("default"), ...options.ca];

  return ({ hostname, protocol, port: portText }, callback) => {
    const secure = protocol === "https:";
    const host = normalizeHost(hostname);
    const port = Number(portText) || (secure ? 443 : 80);
    let socket: net.Socket | undefined;
    let settled = false;

    const settle = (error: Error | null, ready?: net.Socket) => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      if (ready) {
        callback(null, ready);
        return;
      }
      socket?.destroy();
      callback(error ?? new EgressError("connection_reset", `${host} closed the connection.`), null);
    };
    const timer = setTimeout(
      () => settle(new EgressError("timeout", `${host} did not accept a connection in time.`)),
      options.connectTimeoutMs,
    );
    timer.unref();

    try {
      guard.checkHost(host, port);
    } catch (error) {
      process.nextTick(settle, error as Error);
      return;
    }

    socket = net.connect({
      host,
      port,
      noDelay: true,
      autoSelectFamily: true,
      lookup: (_name, { all }, done) => {
        resolveCheckedAddresses(guard, options, host, port).then(
          (list) => (all ? done(null, list) : done(null, list[0]!.address, list[0]!.family)),
          (error) => done(error, []),
        );
      },
    });
    // This listener stays: an error between here and undici's own listeners must not end the process.
    socket.on("error", (error) => settle(error));
    socket.once("close", () => settle(null));
    socket.once("connect", () => {
      const plain = socket!;
      try {
        guard.checkAddress(plain.remoteAddress ?? "", host, port);
      } catch (error) {
        settle(error as Error);
        return;
      }
      if (!secure) {
        settle(null, plain);
        return;
      }
      const wrapped = tls.connect({
        socket: plain,
        host,
        // Server name indication carries names only.
        ...(parseIp(host) ? {} : { servername: host }),
        ALPNProtocols: ["http/1.1"],
        // Set explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED cannot switch it off.
        rejectUnauthorized: true,
        ...(ca ? { ca } : {}),
      });
      wrapped.on("error", (error) => settle(error));
      wrapped.once("close", () => settle(null));
      wrapped.once("secureConnect", () => settle(null, wrapped));
    });
  };
}

async function resolveCheckedAddresses(
  guard: Guard,
  { resolve, share }: ConnectorOptions,
  host: string,
  port: number,
): Promise<ResolvedAddress[]> {
  const list = await resolve(host, share).catch((error) => {
    throw toEgressError(error, new URL(`http://${host}`));
  });
  if (list.length === 0) throw new EgressError("dns_failed", `The name ${host} has no address in DNS.`);
  for (const { address } of list) guard.checkAddress(address, host, port);
  return list.map(({ address }) => ({ address, family: net.isIP(address) }));
}
