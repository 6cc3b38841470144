import { isIP } from "node:net";

export const hostsPath =
  process.platform === "win32" ? "C:\\Windows\\System32\\drivers\\etc\\hosts" : "/etc/hosts";

/** The addresses of each name in a hosts file, in the order of its lines. */
export function parseHosts(text: string): ReadonlyMap<string, readonly string[]> {
  const hosts = new Map<string, string[]>();
  for (const line of text.split(/\r?\n/)) {
    const [address = "", ...names] = line.replace(/#.*/, "").trim().split(/\s+/);
    if (isIP(address) === 0) continue;
    for (const name of names) {
      const key = name.toLowerCase().replace(/\.$/, "");
      const known = hosts.get(key);
      if (!known) hosts.set(key, [address]);
      else if (!known.includes(address)) known.push(address);
    }
  }
  return hosts;
}

/** RFC 6761: these names always mean this machine and are never sent to DNS. */
export const isLocalhostName = (name: string) => name === "localhost" || name.endsWith(".localhost");
export const loopbackAddresses = ["127.0.0.1", "::1"] as const;
