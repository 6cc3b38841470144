import type { HttpHeaders } from "./request.ts";

/** A person opened this address in a browser: the reply is looked at, not read by a program. */
export function isNavigation(headers: HttpHeaders): boolean {
  // No browser can send an API key with a navigation, whatever the program accepts.
  if (headers["x-api-key"] !== undefined) return false;
  return headers["sec-fetch-mode"] === "navigate" || prefersHtml(headers.accept);
}

function prefersHtml(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const wish = (type: string) => weightOf(accept, type);
  return wish("text/html") > wish("application/json");
}

/** How much a type is wanted (RFC 9110, 12.5.1): the most specific range that it is in says so. */
function weightOf(accept: string, type: string): number {
  const ranges = [type, `${type.slice(0, type.indexOf("/"))}/*`, "*/*"];
  const best = accept
    .toLowerCase()
    .split(",", 50)
    .map((text) => text.split(";").map((part) => part.trim()))
    .map(([range = "", ...parameters]) => ({
      rank: ranges.indexOf(range),
      weight: Number(parameters.find((one) => one.startsWith("q="))?.slice(2) ?? 1),
    }))
    .filter(({ rank }) => rank >= 0)
    .sort((a, b) => a.rank - b.rank)[0];
  return best === undefined || Number.isNaN(best.weight) ? 0 : best.weight;
}
