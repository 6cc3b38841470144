import { promises } from "node:dns";
import { networkInterfaces } from "node:os";

export interface Answer {
  addresses: { address: string; family: 4 | 6 }[];
  ttlSeconds: number;
}

export interface QueryOptions {
  /** Instead of the servers of the system; `address` or `address:port`. */
  servers?: readonly string[] | undefined;
  timeoutMs: number;
  tries: number;
}

export class DnsError extends Error {
  override readonly name = "DnsError";
  /** In the manner of `getaddrinfo`: no such name, no usable answer now, or too many lookups at once. */
  readonly code: "ENOTFOUND" | "EAI_AGAIN" | "DNS_BUSY";
  constructor(code: DnsError["code"], name: string) {
    super(`${code} ${name}`);
    this.code = code;
  }
}

/** Once one family has answered, the other is waited for this long: some name servers never answer for AAAA. */
const otherFamilyMs = 1_000;
const absent = new Set(["ENOTFOUND", "ENODATA", "EBADNAME"]);

/**
 * The addresses of one full name, of both families, asked over UDP without a thread. It has a channel of its own, so
 * that it can be ended by itself, and so that slow answers to others change nothing about its time-outs.
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
  const ask = (family: 4 | 6) =>
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
    const records = (await Promise.all(families.map(ask))).flat();
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

/** Without an IPv6 address of its own the machine tries IPv4 first. */
const hasIpv6 = (): boolean =>
  Object.values(networkInterfaces()).some((list) =>
    list?.some(({ family, internal, address }) => family === "IPv6" && !internal && !/^fe80:/i.test(address)),
  );
