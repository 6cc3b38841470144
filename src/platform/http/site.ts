import { forbidden } from "../errors.ts";
import type { HttpHeaders } from "./request.ts";

/**
 * Throws unless a page of our own made the request. Browsers send our cookies with requests that other sites make.
 * Requests that only read need no check, because the other site cannot see the reply.
 */
export function refuseOtherSite(headers: HttpHeaders): void {
  const site = headers["sec-fetch-site"];
  const isOwn =
    site === undefined
      ? headers.origin !== undefined && URL.parse(headers.origin)?.host === headers.host
      : site === "same-origin";
  if (!isOwn)
    throw forbidden(
      "cross_site_request",
      "A cookie only counts on requests from this site's own pages. Send a token.",
    );
}

/** Whether a page of another site led the browser here. False for addresses that a person typed or opened from a mail. */
export const isLedByOtherSite = (headers: HttpHeaders): boolean =>
  headers["sec-fetch-site"] === "cross-site" || headers["sec-fetch-site"] === "same-site";
