import type { HttpHeaders } from "./request.ts";

/** Returns true when a person opened this address in a browser. */
export function isNavigation(headers: HttpHeaders): boolean {
  // A browser cannot send an API key with a navigation, so this is a program, whatever it accepts.
  if (headers["x-api-key"] !== undefined) return false;
  return headers["sec-fetch-mode"] === "navigate" || prefersHtml(headers.accept);
}

function prefersHtml(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const wish = (type: string) => weightOf(accept, type);
  return wish("text/html") > wish("application/json");
}

/** Returns the weight of a media type (RFC 9110, 12.5.1). The most specific range that matches decides. */
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
