/** A path with two slashes at the beginning would be an address with a host. */
const isLocalPath = (text: string): boolean => /^\/(?![/\\])/.test(text);

/** Where to go after a sign-in: a path of this site, and `/` for everything else. */
export function readReturnPath(text: string | undefined, origin: string): string {
  if (text === undefined || !isLocalPath(text)) return "/";
  const url = URL.parse(text, origin);
  if (!url || url.origin !== origin) return "/";
  // The normalized path is checked again, because `/.//elsewhere` becomes `//elsewhere`.
  const path = url.pathname + url.search + url.hash;
  const leadsHere = /^\/(sign-in|sign-up|setup)(\/|$)/.test(url.pathname);
  return isLocalPath(path) && !leadsHere ? path : "/";
}
