export const resolvConfPath = "/etc/resolv.conf";

/** Settings of `resolv.conf` except the name servers, which c-ares reads itself. */
export interface ResolvConf {
  search: readonly string[];
  /** A name with at least this many dots is queried as it is before the search list is tried. */
  ndots: number;
  /** Timeout of the first try at one server, in milliseconds. */
  timeoutMs: number;
  tries: number;
}

/** Lower than the limits of glibc (30 s and 5 tries), because a request cannot wait that long for a name. */
const maxTimeoutMs = 1_500;
const maxTries = 3;
const maxDomains = 8;

export function parseResolvConf(text: string): ResolvConf {
  let search: string[] = [];
  let ndots = 1;
  let timeoutMs = maxTimeoutMs;
  let tries = 2;
  for (const line of text.split(/\r?\n/)) {
    const [keyword, ...values] = line
      .replace(/[#;].*/, "")
      .trim()
      .split(/\s+/);
    // The last `search` or `domain` line counts, as in glibc.
    if (keyword === "search" || keyword === "domain")
      search = values.slice(0, maxDomains).map((domain) => domain.toLowerCase().replace(/\.$/, ""));
    if (keyword !== "options") continue;
    for (const option of values) {
      const [name, value] = option.split(":");
      const number = Number(value);
      if (!Number.isInteger(number) || number < 0) continue;
      if (name === "ndots") ndots = Math.min(number, 15);
      if (name === "timeout" && number > 0) timeoutMs = Math.min(number * 1000, maxTimeoutMs);
      if (name === "attempts" && number > 0) tries = Math.min(number, maxTries);
    }
  }
  return { search: search.filter((domain) => domain !== ""), ndots, timeoutMs, tries };
}

/** The names to query, in order, as resolv.conf(5) describes. */
export function candidateNames(name: string, { search, ndots }: ResolvConf): string[] {
  const dots = name.split(".").length - 1;
  const searched = search.map((domain) => `${name}.${domain}`).filter((full) => full.length <= 253);
  return dots >= ndots ? [name, ...searched] : [...searched, name];
}
