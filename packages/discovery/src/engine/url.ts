const credentialParameters = new Set([
  "access_token",
  "api_key",
  "client_secret",
  "token",
  "refresh_token",
  "id_token",
  "code_verifier",
  "password",
]);

/** Returns the reason why a text cannot be the URL of an MCP server, or undefined if it can. */
export function findUrlProblem(text: string): string | undefined {
  // WHATWG URL silently repairs text that RFC 3986 forbids. The repaired URL may not be the intended one.
  if (!/^[\w\-.~:/?#[\]@!$&'()*+,;=%]+$/.test(text)) {
    return "Not a URI: spaces, control characters and characters outside ASCII must be percent-encoded.";
  }
  if (/%(?![0-9a-f]{2})/i.test(text))
    return "Not a URI: a percent sign must be followed by two hexadecimal digits.";
  if (!/^https?:\/\//i.test(text)) return "The URL must begin with http:// or https://.";
  if (!URL.canParse(text)) return "Not a URI: the host or the port cannot be read.";
  const authority = /^https?:\/\/([^/?#]*)/i.exec(text)?.[1] ?? "";
  // WHATWG URL skips further slashes, and takes the host and a user name after them.
  if (authority === "") return "Not a URI: after http:// or https:// there must be a host.";
  if (authority.includes("@")) return "The URL must not contain a user name or password.";
  if (text.includes("#")) return "The URL must not contain a fragment.";
  for (const name of new URL(text).searchParams.keys()) {
    if (credentialParameters.has(name.trim().toLowerCase())) {
      return `The query parameter "${name.trim().toLowerCase()}" carries a credential. Discovery needs none: leave it out.`;
    }
  }
  return undefined;
}
