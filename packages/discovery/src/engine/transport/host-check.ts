/** The server refuses the Host header. `acceptedHost` is the host that it names instead, if any. */
export interface HostCheck {
  acceptedHost?: string;
}

const hostPattern = /\bhosts?\b|\bhostnames?\b|\bHTTP_HOST\b/i;
const refusalPattern =
  /\b(?:invalid|allow(?:ed)?|unknown|unexpected|expected|blocked|rejected|mismatch|only|must|use|not)\b/i;
/** Matches "Invalid Host: 10.0.0.5" and "This host is not allowed". */
const hostRefusalPattern =
  /\b(?:invalid|unknown|unexpected|blocked|disallowed|bad)\s+(?:http\s+)?host(?:name)?\b|\bhost(?:name)?\b(?:\s+not|[^\n]{0,280}?\b(?:is not|isn't|was not))\s+(?:allowed|permitted|recognized)\b/i;

/**
 * Recognizes an error body that refuses the Host header, which is a protection against DNS rebinding. Nothing of the
 * body is reported except a host name.
 */
export function findHostCheck(body: string, requested: URL): HostCheck | undefined {
  const at = body.search(hostPattern);
  if (at < 0 || !refusalPattern.test(body)) return undefined;
  // A host name before the word "host" has another meaning: "Your IP 203.0.113.5 is not allowed on this host".
  const acceptedHost = findHosts(body.slice(at)).find((host) => !isSameHost(host, requested));
  if (acceptedHost) return { acceptedHost };
  return hostRefusalPattern.test(body) ? {} : undefined;
}

const fileExtensions = new Set([
  "js",
  "ts",
  "mjs",
  "cjs",
  "json",
  "py",
  "rb",
  "html",
  "toml",
  "yaml",
  "yml",
  "env",
]);

/** Finds host names in a text. Links to documentation and names of files and settings are skipped. */
function findHosts(text: string): string[] {
  const links = /\bhttps?:\/\/[^\s"'`<>()\\,]+/g;
  const found = [...text.matchAll(links)].flatMap(([link]) => {
    const url = URL.parse(link.replace(/[.;:]+$/, ""));
    return url && url.pathname === "/" ? [url.host] : [];
  });
  const names =
    /(?<![\w.@/-])(localhost|\[[0-9a-f:]+\]|\d{1,3}(?:\.\d{1,3}){3}|[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*\.([a-z]{2,24}))(:\d{1,5})?(?![\w/-]|\.\w)/g;
  for (const [whole, , suffix] of text.replace(links, " ").matchAll(names))
    if (!suffix || !fileExtensions.has(suffix)) found.push(whole);
  return found.filter((host) => host.length <= 260 && URL.canParse(`http://${host}`));
}

function isSameHost(host: string, requested: URL): boolean {
  const url = new URL(`${requested.protocol}//${host}`);
  // A name without a port matches every port.
  return url.hostname === requested.hostname && (url.port === requested.port || !/:\d+$/.test(host));
}
