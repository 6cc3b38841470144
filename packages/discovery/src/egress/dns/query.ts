import { promises } from "node:dns";
import { networkInterfaces } from "node:os";

export interface Answer {
  addresses: { address: string; family: 4 | 6 }[];
  ttlSeconds: number;
}

export interface QueryOptions {
  /** Name servers to use instead of the system's, as `address` or `address:port`. */
  servers?: readonly string[] | undefined;
  timeoutMs: number;
  tries: number;
}

export class DnsError extends Error {
  override readonly name = "DnsError";
  /**
   * Like the codes of `getaddrinfo`: the name does not exist, there is no usable answer now, or too many lookups wait.
   */
  readonly code: "ENOTFOUND" | "EAI_AGAIN" | "DNS_BUSY";
  constructor(code: DnsError["code"], name: string) {
    super(`${code} ${name}`);
    this.code = code;
  }
}

/**
 * How long to wait for the second address family after the first has answered. Some name servers never answer AAAA
 * queries.
 */
const otherFamilyMs = 1_000;
const absent = new Set(["ENOTFOUND", "ENODATA", "EBADNAME"]);

/**
 * Queries the IPv4 and IPv6 addresses of one full name over UDP, without a thread. Each query has its own channel, so
 * it can be cancelled alone, and slow answers to other queries do not change its timeouts.
 */
export async function queryAddresses(
  name: string,
  { servers, timeoutMs, tries }: QueryOptions,
  signal: AbortSignal,
): Promise<Answer> {
  signal.throwIfAborted();
  const resolver = new promises.Resolver({ timeout: timeoutMs, tries });
  if (servers) resolver.setServers(servers);
  const cancel = () => resolver.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  let timer: NodeJS.Timeout | undefined;
  const failures: string[] = [];
  const queryFamily = (family: 4 | 6) =>
    (family === 4 ? resolver.resolve4(name, { ttl: true }) : resolver.resolve6(name, { ttl: true })).then(
      (records) => {
        timer ??= setTimeout(cancel, otherFamilyMs);
        return records.map(({ address, ttl }) => ({ address, ttl, family }));
      },
      (error: { code?: string }) => {
        failures.push(error.code ?? "");
        return [];
      },
    );
  try {
    const families = hasIpv6() ? ([6, 4] as const) : ([4, 6] as const);
    const records = (await Promise.all(families.map(queryFamily))).flat();
    if (records.length === 0)
      throw new DnsError(failures.every((code) => absent.has(code)) ? "ENOTFOUND" : "EAI_AGAIN", name);
    return {
      addresses: records.map(({ address, family }) => ({ address, family })),
      ttlSeconds: Math.min(...records.map(({ ttl }) => ttl)),
    };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", cancel);
  }
}

/** A machine without an IPv6 address tries IPv4 first. */
const hasIpv6 = (): boolean =>
  Object.values(networkInterfaces()).some((list) =>
    list?.some(({ family, internal, address }) => family === "IPv6" && !internal && !/^fe80:/i.test(address)),
  );
