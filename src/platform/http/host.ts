import { isLoopbackOnly } from "../config.ts";
import type { Platform } from "../context.ts";
import { isLoopbackHost } from "../egress/index.ts";
import { Refusal } from "../errors.ts";
import type { HttpHeaders } from "./request.ts";

/** What this machine calls itself, with any port. */
const usual = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/;

/**
 * A page of any site can make a browser send requests to 127.0.0.1 under a name of its own (DNS rebinding). An
 * instance that only this machine reaches has no other name than loopback ones, so it refuses all others. A proxy may
 * replace the name by a loopback one and let everybody in, so requests that a proxy has marked are refused too.
 */
export function createHostCheck(config: Platform["config"]): (headers: HttpHeaders) => void {
  if (!isLoopbackOnly(config)) return () => {};
  return (headers) => {
    const mark = forwardingHeaders.find((name) => headers[name] !== undefined);
    if (mark) throw forwarded(mark);
    const { host = "" } = headers;
    if (usual.test(host)) return;
    const name = URL.parse(`http://${host}`)?.hostname;
    if (name === undefined || !isLoopbackHost(name)) throw misdirected();
  };
}

/** Any of these says that somebody else than this machine may have asked. */
const forwardingHeaders = [
  "forwarded",
  "via",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-real-ip",
  "cf-connecting-ip",
  "true-client-ip",
  "x-client-ip",
];

const forwarded = (header: string) =>
  new Refusal(421, {
    error: "misdirected_request",
    message:
      `This request came through a proxy (it has the header ${header}), but this instance is set up for its own machine only. ` +
      "Set PUBLIC_URL to the URL that people use and TRUSTED_PROXIES to the address of the proxy. " +
      "A development proxy on this machine can leave the header out instead.",
  });

const misdirected = () =>
  new Refusal(421, {
    error: "misdirected_request",
    message:
      "This instance answers only to localhost and loopback addresses. To reach it under another name, set PUBLIC_URL to that name's URL.",
  });
