/** A path with two slashes at the beginning would be a URL with a host. */
const isLocalPath = (text: string) => /^\/(?![/\\])/.test(text);

/** Returns the normalized path, or undefined when the text is not a path on this site. */
export function parseReturnPath(publicUrl: string, path: string): string | undefined {
  const url = isLocalPath(path) ? URL.parse(path, publicUrl) : null;
  // The normalized path is checked again, because `/.//elsewhere` becomes `//elsewhere`.
  const plain = url && url.pathname + url.search + url.hash;
  return plain && isLocalPath(plain) && url.origin === new URL(publicUrl).origin ? plain : undefined;
}
