import { isLoopbackHost } from "@signalbox/discovery/egress";
import { isLoopbackOnly } from "../config.ts";
import type { Platform } from "../context.ts";
import { Refusal } from "../errors.ts";
import type { HttpHeaders } from "./request.ts";

/** The usual loopback hosts, with any port. */
const usual = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/;

/**
 * Prevents DNS rebinding, by which a web page sends requests to 127.0.0.1 under its own host name: a loopback-only
 * instance refuses all other hosts. It also refuses requests with proxy headers, because a proxy can replace the host
 * and make the instance public.
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

/** Each of these headers shows that the request came through a proxy. */
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
