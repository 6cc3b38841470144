/**
 * Everything the product sends to an address that somebody else chose goes through one `Egress`.
 * It decides which addresses may be reached, connects to exactly the address it checked, and bounds
 * what comes back.
 */
export interface Egress {
  /** One request, redirects followed by hand, the reply read whole (up to `maxBytes` decoded bytes). */
  request(url: string | URL, options?: EgressRequest): Promise<EgressReply>;
  /** The same, but the body is handed over as it arrives; the caller ends it by `close()`. */
  open(url: string | URL, options?: EgressRequest): Promise<EgressStream>;
  /** A WHATWG `fetch` over the same guard, for libraries that take one. */
  fetch: typeof globalThis.fetch;
  /**
   * Returns the egress for addresses that the server at `url` sends. The caller did not choose them, so they must not be
   * loopback addresses, unless that server is itself on this machine.
   */
  forAddressFrom(url: string | URL): Egress;
  /** Why a request to this address would be refused before its name is looked up; undefined when it would not. */
  refusal(url: string | URL): string | undefined;
  /** Ends idle connections. */
  close(): Promise<void>;
}

/** The entry point for all features. A request is always made for an organization. */
export interface EgressGateway extends Pick<Egress, "refusal"> {
  /** Returns the egress of one organization, with its own connections and its own share of the resolver. */
  forOrganization(orgId: string): Egress;
}

export interface EgressRequest {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** Decoded bytes, after content-encoding; more is an `EgressError` of kind `too_large`. Default 1 MiB. */
  maxBytes?: number;
  /** Over the whole exchange, redirects and body included. Default 15 000. */
  timeoutMs?: number;
  /** Any of them ends the exchange. */
  signal?: AbortSignal | readonly AbortSignal[];
  /** How many redirects to follow; 0 hands the 3xx back. Default 3. Never https → http, never POST turned into GET. */
  redirects?: number;
}

/** The limits of `fetch`: decoded bytes, and the time for the whole exchange. */
export interface FetchLimits {
  maxBytes: number;
  timeoutMs: number;
}

interface EgressHead {
  /** The URL that answered, after redirects. */
  url: string;
  status: number;
  /** By lower-case name. A repeated header has all of its values, in order. */
  headers: Record<string, string[]>;
  /** Every hop that was followed, oldest first, without the final URL. */
  redirectedFrom: string[];
}

export interface EgressReply extends EgressHead {
  body: Uint8Array;
  /** The body as UTF-8 text. */
  text(): string;
}

export interface EgressStream extends EgressHead {
  /** Decoded chunks. Ends with an `EgressError` when `maxBytes` or the deadline is passed. */
  chunks: AsyncIterable<Uint8Array>;
  close(): void;
}

/** Why nothing usable came back. The message is written for a person and holds no byte of the reply. */
export type EgressErrorKind =
  | "invalid_url"
  | "refused_by_policy"
  | "dns_failed"
  | "resolver_down"
  | "connection_refused"
  | "connection_reset"
  | "tls_failed"
  | "timeout"
  | "aborted"
  | "too_large"
  | "bad_encoding"
  | "too_many_redirects"
  | "redirect_refused"
  | "protocol_error";

export interface EgressPolicy {
  /** Hosts (`mcp.corp.example`, `*.corp.example`, optionally `:port`) and CIDRs (`10.1.0.0/16`) that may be reached though they are not public. */
  allow: readonly string[];
  /** True when the service itself listens on loopback only: then loopback targets are no secret to the caller. */
  allowLoopback: boolean;
}
