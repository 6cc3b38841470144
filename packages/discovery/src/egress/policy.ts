import { classify, findEmbeddedV4, findGuardedRange, type Ip, isWithin, parseIp } from "./addresses.ts";
import { type AllowRule, parseAllowRule } from "./allow.ts";
import { EgressError } from "./errors.ts";
import type { EgressPolicy } from "./types.ts";

/** Applies the policy. Each check throws an `EgressError` when it refuses. */
export interface Guard {
  /** Scheme, user-info, port and host of a URL, before anything is resolved. */
  checkUrl(url: URL): void;
  /** A host as the connector sees it: a literal address is decided here, a name by its suffix. */
  checkHost(host: string, port: number): void;
  /** One address that `host` stands for. */
  checkAddress(address: string, host: string, port: number): void;
  /** Refuses a redirect from another machine to a loopback address that EGRESS_ALLOW does not list. */
  checkRedirect(from: URL, to: URL): void;
}

/** Ports where something other than HTTP listens and where an HTTP request could be read as commands. (WHATWG fetch, "bad port".) */
const refusedPorts = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

/** What a request asked for. */
interface Target {
  host: string;
  port: number;
  /** The host is itself an address. */
  isLiteral: boolean;
}

/** How many accepted hosts a guard remembers. */
const maxAcceptedHosts = 1_000;

const localSuffixes = ["localhost", "local", "internal", "localdomain", "home.arpa"];

export function createGuard(policy: EgressPolicy): Guard {
  const rules = policy.allow.map(parseAllowRule);

  const matchesPort = (rule: AllowRule, port: number) => rule.port === undefined || rule.port === port;
  const isNameAllowed = (name: string, port: number) =>
    rules.some((rule) => "name" in rule && matchesPort(rule, port) && matchesName(rule, name));
  const isAddressAllowed = (ip: Ip, port: number) =>
    rules.some((rule) => "cidr" in rule && matchesPort(rule, port) && isWithin(ip, rule.cidr));
  const isPortAllowed = (host: string, port: number) =>
    rules.some((rule) => {
      if (rule.port !== port) return false;
      if ("name" in rule) return matchesName(rule, host);
      const ip = parseIp(host);
      return ip !== undefined && isWithin(ip, rule.cidr);
    });

  /** `isEmbedded`: an IPv4 address inside an IPv6 one, which the loopback exception does not cover. */
  function isPermitted(ip: Ip, target: Target, isEmbedded = false): boolean {
    const { host, port, isLiteral } = target;
    const named = !isLiteral && isNameAllowed(host, port);
    const kind = classify(ip);
    // `localhost` may only mean this machine.
    if (isLocalhost(host) && !named)
      return kind === "loopback" && (policy.allowLoopback || isAddressAllowed(ip, port));
    if (kind === "public") return true;
    if (!findEmbeddedV4(ip).every((inner) => isPermitted(inner, target, true))) return false;
    const guarded = findGuardedRange(ip);
    if (guarded) {
      // A guarded address needs an entry that is not wider than the guarded range.
      const [, bits] = guarded;
      return rules.some(
        (rule) =>
          "cidr" in rule && rule.cidr[1] >= bits && matchesPort(rule, port) && isWithin(ip, rule.cidr),
      );
    }
    if (named || isAddressAllowed(ip, port)) return true;
    return kind === "loopback" && policy.allowLoopback && isLiteral && !isEmbedded;
  }

  /** The verdict depends on nothing but the policy, the host and the port. */
  const acceptedHosts = new Set<string>();

  function checkHost(rawHost: string, port: number): void {
    const key = `${port} ${rawHost}`;
    if (acceptedHosts.has(key)) return;
    decideHost(rawHost, port);
    if (acceptedHosts.size >= maxAcceptedHosts) acceptedHosts.clear();
    acceptedHosts.add(key);
  }

  function decideHost(rawHost: string, port: number): void {
    const host = normalizeHost(rawHost);
    const ip = parseIp(host);
    if (ip) {
      checkIp(ip, { host, port, isLiteral: true });
      return;
    }
    // No longer than DNS allows: host names appear in messages, and a redirect chooses them.
    if (host.length > 253 || host.split(".").includes("")) {
      throw new EgressError("invalid_url", "The address has a host name that cannot exist in DNS.");
    }
    if (refusedPorts.has(port) && !isPortAllowed(host, port)) throw createPortError(host, port);
    if (isNameAllowed(host, port)) return;
    if (isLocalhost(host) && (policy.allowLoopback || rules.some((rule) => "cidr" in rule))) return;
    if (localSuffixes.some((suffix) => host === suffix || host.endsWith(`.${suffix}`))) {
      throw createPolicyError(`${host} is a name of this machine or of its private network`, host);
    }
  }

  function checkAddress(address: string, rawHost: string, port: number): void {
    const host = normalizeHost(rawHost);
    const ip = parseIp(address);
    if (!ip)
      throw new EgressError("refused_by_policy", `${host} resolved to something that is not an address.`);
    checkIp(ip, { host, port, isLiteral: parseIp(host) !== undefined });
  }

  function checkIp(ip: Ip, target: Target): void {
    const { host, port, isLiteral } = target;
    if (isLiteral && refusedPorts.has(port) && !isPortAllowed(host, port)) throw createPortError(host, port);
    if (isPermitted(ip, target)) return;
    // The message does not show the address of a name, because it may come from a private name server.
    const what = classNames[classify(ip)];
    if (findGuardedRange(ip)) {
      throw new EgressError(
        "refused_by_policy",
        `${host} ${isLiteral ? "is" : "resolves to"} ${what}. It can be reached only if EGRESS_ALLOW lists that very address.`,
      );
    }
    throw createPolicyError(`${host} ${isLiteral ? "is" : "resolves to"} ${what}`, host);
  }

  return {
    checkUrl(url) {
      if (url.protocol !== "http:" && url.protocol !== "https:") {
        throw new EgressError("invalid_url", "The address must start with http:// or https://.");
      }
      if (url.username !== "" || url.password !== "") {
        throw new EgressError("invalid_url", "The address must not hold a user name or password.");
      }
      checkHost(url.hostname, getPort(url));
    },
    checkHost,
    checkAddress,
    checkRedirect(from, to) {
      if (!isLoopbackHost(to.hostname) || isLoopbackHost(from.hostname)) return;
      const host = normalizeHost(to.hostname);
      const ip = parseIp(host);
      if (ip ? isAddressAllowed(ip, getPort(to)) : isNameAllowed(host, getPort(to))) return;
      throw new EgressError(
        "redirect_refused",
        `${from.host} redirected to this machine itself, which is not followed.`,
        {
          url: from,
          target: to.origin,
        },
      );
    },
  };
}

const classNames = {
  public: "an address",
  loopback: "a loopback address of this machine",
  private: "a private address",
  guarded: "a link-local or cloud metadata address",
  special: "not a public address",
} as const;

function createPolicyError(sentence: string, host: string): EgressError {
  return new EgressError(
    "refused_by_policy",
    `${sentence}, which this service does not reach by default. To allow it, add ${host} to EGRESS_ALLOW.`,
  );
}

function createPortError(host: string, port: number): EgressError {
  return new EgressError(
    "refused_by_policy",
    `Port ${port} belongs to another protocol than HTTP. To use it all the same, add ${host}:${port} to EGRESS_ALLOW.`,
  );
}

function matchesName(rule: { name: string; wildcard: boolean }, host: string): boolean {
  return rule.wildcard ? host.endsWith(`.${rule.name}`) : host === rule.name;
}

/** Lower case, without brackets and without the one trailing dot that DNS allows. */
export function normalizeHost(host: string): string {
  const plain = host.startsWith("[") && host.endsWith("]") ? host.slice(1, -1) : host;
  return plain.toLowerCase().replace(/\.$/, "");
}

function getPort(url: URL): number {
  if (url.port !== "") return Number(url.port);
  return url.protocol === "https:" ? 443 : 80;
}

function isLocalhost(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost");
}

export function isLoopbackHost(hostname: string): boolean {
  const host = normalizeHost(hostname);
  const ip = parseIp(host);
  return ip ? classify(ip) === "loopback" : isLocalhost(host);
}
