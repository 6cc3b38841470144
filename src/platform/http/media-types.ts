/** Media types of files, by the end of their name. */
const types: Record<string, string> = {
  css: "text/css; charset=UTF-8",
  html: "text/html; charset=UTF-8",
  ico: "image/x-icon",
  jpg: "image/jpeg",
  js: "text/javascript; charset=UTF-8",
  json: "application/json; charset=UTF-8",
  map: "application/json; charset=UTF-8",
  mjs: "text/javascript; charset=UTF-8",
  png: "image/png",
  svg: "image/svg+xml; charset=UTF-8",
  txt: "text/plain; charset=UTF-8",
  wasm: "application/wasm",
  webmanifest: "application/manifest+json; charset=UTF-8",
  webp: "image/webp",
  woff2: "font/woff2",
  xml: "application/xml; charset=UTF-8",
};

export function findMediaType(name: string): string {
  const end = name.slice(name.lastIndexOf(".") + 1).toLowerCase();
  return Object.hasOwn(types, end) ? types[end]! : "application/octet-stream";
}

/** Returns true for types whose files become smaller when they are compressed. */
export const isCompressible = (type: string): boolean =>
  /^text\/|[/+](?:json|xml)\b|\/(?:wasm|javascript)\b|\/x-icon$/.test(type);
