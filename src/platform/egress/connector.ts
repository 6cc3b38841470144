import { lookup as systemLookup } from "node:dns";
import net from "node:net";
import tls from "node:tls";
import type { buildConnector } from "undici";
import { parseIp } from "./addresses.ts";
import { EgressError, toEgressError } from "./errors.ts";
import { bareHost, type Guard } from "./policy.ts";

export interface ResolvedAddress {
  address: string;
  family: number;
}
/** Every address of a name, as `getaddrinfo` gives them. */
export type Resolve = (hostname: string) => Promise<ResolvedAddress[]>;

export interface ConnectorOptions {
  resolve: Resolve;
  /** PEM certificates trusted besides the system's own. */
  ca?: readonly string[] | undefined;
  connectTimeoutMs: number;
}

/**
 * Opens sockets for undici. The literal host is checked first; then every address of a name, all of them good or
 * none, and exactly those are handed to the socket; then the address the socket says it reached, before a byte is sent.
 */
export function guardedConnector(guard: Guard, options: ConnectorOptions): buildConnector.connector {
  const ca = options.ca && [...tls.getCACertificates("default"), ...options.ca];

  return ({ hostname, protocol, port: portText }, callback) => {
    const secure = protocol === "https:";
    const host = bareHost(hostname);
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
        checkedAddresses(guard, options.resolve, host, port).then(
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
        // Said aloud, so that NODE_TLS_REJECT_UNAUTHORIZED cannot switch it off.
        rejectUnauthorized: true,
        ...(ca ? { ca } : {}),
      });
      wrapped.on("error", (error) => settle(error));
      wrapped.once("close", () => settle(null));
      wrapped.once("secureConnect", () => settle(null, wrapped));
    });
  };
}

async function checkedAddresses(
  guard: Guard,
  resolve: Resolve,
  host: string,
  port: number,
): Promise<ResolvedAddress[]> {
  const list = await resolve(host).catch((error) => {
    throw toEgressError(error, new URL(`http://${host}`));
  });
  if (list.length === 0) throw new EgressError("dns_failed", `The name ${host} has no address in DNS.`);
  for (const { address } of list) guard.checkAddress(address, host, port);
  return list.map(({ address }) => ({ address, family: net.isIP(address) }));
}

/**
 * `getaddrinfo` runs on libuv's four threads, which files, zlib and password hashing need as well. A name server that
 * never answers must not take them all, so at most two names are asked at a time; one name is asked once for all who wait.
 * A name whose turn comes when everyone who wanted it has given up is not asked: a line of them would outlive its cause.
 */
export function systemResolve({ limit = 2, patienceMs = 10_000 } = {}): Resolve {
  const asking = new Map<string, Promise<ResolvedAddress[]>>();
  const waiting: (() => void)[] = [];
  let running = 0;

  const ask = async (hostname: string) => {
    const since = performance.now();
    const waits = running >= limit;
    if (waits) await new Promise<void>((go) => waiting.push(go));
    else running += 1;
    try {
      if (waits && performance.now() - since > patienceMs)
        throw Object.assign(new Error("not asked in time"), { code: "EAI_AGAIN" });
      return await new Promise<ResolvedAddress[]>((done, fail) => {
        systemLookup(hostname, { all: true }, (error, list) => (error ? fail(error) : done(list)));
      });
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };

  return (hostname) => {
    const known = asking.get(hostname);
    if (known) return known;
    const answer = ask(hostname).finally(() => asking.delete(hostname));
    asking.set(hostname, answer);
    return answer;
  };
}
