const loopback = ["localhost", "127.0.0.1", "[::1]"];

/** Schemes that a browser runs, opens itself, or gives to a part of the system. No app can own them. */
const foreignSchemes = new Set([
  ...["about", "blob", "chrome", "data", "edge", "file", "filesystem", "ftp", "intent", "jar", "javascript"],
  ...["mailto", "ms-appinstaller", "ms-settings", "resource", "search-ms", "sms", "ssh", "tel", "vbscript"],
  ...["view-source", "ws", "wss"],
]);

/** Returns why a browser must not be sent to this address with a code. Undefined when it may. */
export function findRedirectProblem(uri: string): string | undefined {
  const url = URL.parse(uri);
  if (!url || uri.length > 2_000) return "is not an absolute URI.";
  // Programs read other characters in different ways, or drop them, so people could be shown another host.
  if (!/^[\x21-\x5b\x5d-\x7e]+$/.test(uri))
    return "must have ASCII characters only, without spaces and backslashes.";
  if (uri.includes("#")) return "must not have a fragment.";
  if (url.username || url.password) return "must not contain a user name or password.";
  const scheme = url.protocol.slice(0, -1);
  if (scheme === "https")
    return loopback.includes(url.hostname) ? "must use http on a loopback address." : undefined;
  if (scheme === "http")
    return loopback.includes(url.hostname)
      ? undefined
      : "must use https, or http on localhost, 127.0.0.1 or [::1].";
  return foreignSchemes.has(scheme) ? `must not use the scheme ${scheme}.` : undefined;
}

/** Where a browser is sent, for people: a host with its port, or the scheme of an app. */
export function describeRedirect(uri: string): { host: string; kind: "site" | "loopback" | "app" } {
  const url = new URL(uri);
  if (url.protocol === "https:") return { host: url.host, kind: "site" };
  if (url.protocol === "http:") return { host: url.host, kind: "loopback" };
  return { host: url.protocol, kind: "app" };
}
