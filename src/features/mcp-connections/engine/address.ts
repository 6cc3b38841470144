/** Addresses that never leave the machine, where plain http gives nothing away (RFC 8252 §8.3). */
export function isLoopback(url: URL): boolean {
  const host = url.hostname.replace(/\.$/, "");
  return (
    host === "localhost" ||
    host.endsWith(".localhost") ||
    host === "[::1]" ||
    /^127\.\d+\.\d+\.\d+$/.test(host)
  );
}

export function parseHttpUrl(text: string | undefined): URL | undefined {
  if (text === undefined || text.length > 2048 || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  return url.protocol === "http:" || url.protocol === "https:" ? url : undefined;
}

/** An address that may be relative to the one it was found at. */
export function resolveHttpUrl(text: string, base: URL): URL | undefined {
  return URL.canParse(text, base.href) ? parseHttpUrl(new URL(text, base).href) : undefined;
}

/** True for https, and for plain http between two ends that are both on this machine. */
export function isSecure(url: URL, base: URL): boolean {
  return url.protocol === "https:" || (isLoopback(url) && isLoopback(base));
}

/** Equal for two texts that write one address differently: a trailing slash, the default port, the case of the host. */
export function sameAddress(text: string): string {
  return (parseHttpUrl(text)?.href ?? text).replace(/\/$/, "");
}

export type ResourceMatch = "exact" | "trailing_slash" | "parent" | "query" | "same_origin" | "foreign";

/** How the `resource` of protected resource metadata relates to the URL that was asked for (RFC 9728 §3.3). */
export function compareResource(resource: string, asked: URL): ResourceMatch {
  const named = parseHttpUrl(resource);
  if (!named || named.origin !== asked.origin) return "foreign";
  const fragmentless = (url: URL) => url.href.replace(/#.*$/, "");
  if (fragmentless(named) === fragmentless(asked)) return "exact";
  const path = (url: URL) => url.pathname.replace(/\/$/, "");
  if (path(named) === path(asked)) return named.search === asked.search ? "trailing_slash" : "query";
  if (`${path(asked)}/`.startsWith(`${path(named)}/`) && named.search === "") return "parent";
  return "same_origin";
}

/** Where protected resource metadata may be, in the order in which it must be looked for (RFC 9728 §3.1). */
export function resourceMetadataUrls(server: URL): URL[] {
  const base = "/.well-known/oauth-protected-resource";
  const path = server.pathname === "/" ? "" : server.pathname;
  const paths = [`${base}${path}${server.search}`];
  // Many servers drop the slash that RFC 9728 keeps.
  if (path.endsWith("/")) paths.push(`${base}${path.slice(0, -1)}${server.search}`);
  paths.push(base);
  return [...new Set(paths)].map((suffix) => new URL(suffix, server.origin));
}

/** Where an issuer's metadata may be, best first (RFC 8414 §3.1, OpenID Connect Discovery §4). */
export function serverMetadataUrls(issuer: URL): URL[] {
  const path = issuer.pathname.replace(/\/$/, "");
  const oauth = new URL(`/.well-known/oauth-authorization-server${path}`, issuer.origin);
  const oidc = new URL(`/.well-known/openid-configuration${path}`, issuer.origin);
  if (path === "") return [oauth, oidc];
  return [oauth, oidc, new URL(`${path}/.well-known/openid-configuration`, issuer.origin)];
}

/** A redirect of a POST that changes neither host nor method, nor takes TLS away. */
export function mayFollowPost(from: URL, to: URL, status: number): boolean {
  if (status !== 307 && status !== 308) return false;
  return to.origin === from.origin || isUpgrade(from, to);
}

/** The same host, with TLS added. */
export function isUpgrade(from: URL, to: URL): boolean {
  return from.protocol === "http:" && to.protocol === "https:" && from.hostname === to.hostname;
}

const SECRET_NAME = /key|token|secret|pass|auth|sig|code|session|cred|jwt|assertion/i;
const SECRET_VALUE = /^(?=.*\d)(?=.*[a-z])[\w.~+/=-]{20,}$/i;
const SECRET_SEGMENT = /^(?=.*\d)(?=.*[a-z])[\w.~=-]{32,}$/i;
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** A URL as it may be shown to a person or kept in a log: what looks like a credential is left out. */
export function showUrl(url: URL | string): string {
  if (!URL.canParse(String(url))) return "(not a URL)";
  const shown = new URL(url);
  shown.username = "";
  shown.password = "";
  shown.hash = "";
  const segments = shown.pathname.split("/");
  shown.pathname = segments
    .map((part) => (SECRET_SEGMENT.test(part) && !UUID.test(part) ? "[redacted]" : part))
    .join("/");
  for (const [name, value] of new URLSearchParams(shown.search)) {
    if (SECRET_NAME.test(name) || SECRET_VALUE.test(value)) shown.searchParams.set(name, "[redacted]");
  }
  // What needed no redaction is shown letter for letter: of two issuers a slash may be the whole difference.
  if (typeof url === "string" && shown.href === new URL(url).href && /^[\x21-\x7e]{1,500}$/.test(url))
    return url;
  return shown.href.replaceAll("%5Bredacted%5D", "[redacted]").slice(0, 500);
}

/** The id under which an administrator would save the provider behind an issuer. */
export function suggestProviderId(issuer: string): string {
  const host = URL.canParse(issuer) ? new URL(issuer).hostname : "custom";
  const id = host
    .replace(/^www\./, "")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  return id.slice(0, 48) || "custom";
}
