import { weighMediaType } from "./accept.ts";
import type { HttpHeaders } from "./request.ts";

/** Returns true when a person opened this address in a browser. */
export function isNavigation(headers: HttpHeaders): boolean {
  // A browser cannot send an API key with a navigation, so this is a program, whatever it accepts.
  if (headers["x-api-key"] !== undefined) return false;
  return headers["sec-fetch-mode"] === "navigate" || prefersHtml(headers.accept);
}

function prefersHtml(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const wish = (type: string) => weighMediaType(accept, type);
  return wish("text/html") > wish("application/json");
}
