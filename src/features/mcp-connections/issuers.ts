const normalize = (issuer: string): string => (URL.parse(issuer)?.href ?? issuer).replace(/\/$/, "");

/** MCP servers often write an issuer with a slash at its end that it does not have itself, or without one. */
export const isSameIssuer = (one: string, other: string | null): boolean =>
  other !== null && normalize(one) === normalize(other);

/** The same issuer with, or without, the slash. Undefined for an issuer without a path, where both are the same URL. */
export function findOtherSpelling(issuer: string): string | undefined {
  if (URL.parse(issuer)?.pathname === "/") return undefined;
  return issuer.endsWith("/") ? issuer.slice(0, -1) : `${issuer}/`;
}
