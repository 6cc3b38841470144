import type { EgressErrorKind } from "./types.ts";

export interface EgressErrorDetails {
  /** The requested URL. Its query is not part of the error, because it may contain tokens. */
  url?: URL | undefined;
  /** The system's or the protocol's own code, such as `ECONNREFUSED` or `CERT_HAS_EXPIRED`. */
  code?: string | undefined;
  /** For a redirect that was not followed: the status that asked for it, and the origin it pointed to. */
  status?: number | undefined;
  target?: string | undefined;
}

/**
 * Why a request failed. It has no `cause`, because errors are logged, and the original errors contain parts of the reply
 * and of the peer's certificate.
 */
export class EgressError extends Error {
  override readonly name = "EgressError";
  readonly kind: EgressErrorKind;
  /** Origin and path of the request that failed; empty when the URL could not be read. */
  readonly url: string;
  readonly code: string | undefined;
  readonly status: number | undefined;
  readonly target: string | undefined;

  constructor(kind: EgressErrorKind, message: string, details: EgressErrorDetails = {}) {
    super(message);
    this.kind = kind;
    this.url = details.url ? details.url.origin + details.url.pathname : "";
    this.code = details.code;
    this.status = details.status;
    this.target = details.target;
  }
}

type ErrorTemplate = readonly [EgressErrorKind, (host: string) => string];

const refused: ErrorTemplate = [
  "connection_refused",
  (host) => `${host} refused the connection: nothing listens there, or a firewall rejects it.`,
];
const unreachable: ErrorTemplate = [
  "connection_refused",
  (host) => `There is no route to ${host} from this machine.`,
];
const reset: ErrorTemplate = [
  "connection_reset",
  (host) => `${host} closed the connection before it answered.`,
];
const cutShort: ErrorTemplate = [
  "connection_reset",
  (host) => `${host} closed the connection in the middle of its reply.`,
];
const slowConnect: ErrorTemplate = ["timeout", (host) => `${host} did not accept a connection in time.`];
const noSuchName: ErrorTemplate = ["dns_failed", (host) => `The name of ${host} does not exist in DNS.`];
const resolverDown: ErrorTemplate = [
  "resolver_down",
  (host) => `The name server gave no answer when asked for ${host}. Check the DNS settings of this machine.`,
];
const lookupsBusy: ErrorTemplate = [
  "resolver_down",
  (host) =>
    `Too many names are being looked up for this organization, so ${host} was not looked up. Try again shortly.`,
];
const selfSigned: ErrorTemplate = [
  "tls_failed",
  (host) =>
    `The TLS certificate of ${host} is self-signed. If you trust it, start with NODE_EXTRA_CA_CERTS naming its file.`,
];
const unknownIssuer: ErrorTemplate = [
  "tls_failed",
  (host) =>
    `The TLS certificate of ${host} comes from an authority that is not trusted here, or its chain is incomplete. ` +
    "For your own authority, start with NODE_EXTRA_CA_CERTS naming its file.",
];
const notTls: ErrorTemplate = [
  "tls_failed",
  (host) => `${host} does not speak TLS on that port. Is the address http instead?`,
];

const templatesByCode: Readonly<Record<string, ErrorTemplate>> = {
  ENOTFOUND: noSuchName,
  ENODATA: noSuchName,
  EAI_NODATA: noSuchName,
  EAI_NONAME: noSuchName,
  EAI_AGAIN: resolverDown,
  EAI_FAIL: resolverDown,
  EAI_SYSTEM: resolverDown,
  DNS_BUSY: lookupsBusy,
  ETIMEOUT: resolverDown,
  ESERVFAIL: resolverDown,
  EREFUSED: resolverDown,
  ECONNREFUSED: refused,
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  EHOSTDOWN: unreachable,
  ENETDOWN: unreachable,
  EADDRNOTAVAIL: unreachable,
  EACCES: unreachable,
  EPERM: unreachable,
  ETIMEDOUT: slowConnect,
  ECONNRESET: reset,
  ECONNABORTED: reset,
  EPIPE: reset,
  UND_ERR_SOCKET: reset,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: [
    "connection_reset",
    (host) => `${host} sent a reply that does not have the length it announced; it was cut short.`,
  ],
  HPE_INVALID_EOF_STATE: cutShort,
  ERR_STREAM_PREMATURE_CLOSE: cutShort,
  UND_ERR_HEADERS_OVERFLOW: ["too_large", (host) => `${host} sent more response headers than are accepted.`],
  CERT_HAS_EXPIRED: ["tls_failed", (host) => `The TLS certificate of ${host} has expired.`],
  CERT_NOT_YET_VALID: [
    "tls_failed",
    (host) => `The TLS certificate of ${host} is not valid yet. Check the clock of this machine too.`,
  ],
  CERT_REVOKED: ["tls_failed", (host) => `The TLS certificate of ${host} was revoked.`],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    "tls_failed",
    (host) => `The TLS certificate that ${host} showed was issued for another name.`,
  ],
  DEPTH_ZERO_SELF_SIGNED_CERT: selfSigned,
  SELF_SIGNED_CERT_IN_CHAIN: unknownIssuer,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownIssuer,
  UNABLE_TO_GET_ISSUER_CERT: unknownIssuer,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownIssuer,
  ERR_SSL_WRONG_VERSION_NUMBER: notTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: notTls,
  EPROTO: notTls,
};

/** Converts an error of the network into a message for a person. Only its code is used, never its text. */
export function toEgressError(thrown: unknown, url: URL): EgressError {
  if (thrown instanceof EgressError) {
    if (thrown.url !== "") return thrown;
    const { kind, message, code, status, target } = thrown;
    return new EgressError(kind, message, { url, code, status, target });
  }
  const code = findErrorCode(thrown);
  const host = url.host;
  const [kind, describe] = (code !== undefined && templatesByCode[code]) || findTemplateByPrefix(code);
  return new EgressError(kind, describe(host), { url, code });
}

function findTemplateByPrefix(code = ""): ErrorTemplate {
  if (/^(Z_|ERR_ZSTD|ZSTD_|ERR_BROTLI|ERR__ERROR|ERR__?[A-Z]+_DECODER|BROTLI)/.test(code)) {
    return ["bad_encoding", (host) => `${host} sent a body that does not match its content-encoding.`];
  }
  if (
    /^(ERR_SSL_|ERR_TLS_|CERT_|CRL_|UNABLE_TO_|INVALID_CA|PATH_LENGTH|HOSTNAME_MISMATCH|INVALID_PURPOSE)/.test(
      code,
    )
  ) {
    return ["tls_failed", (host) => `A secure connection to ${host} could not be made (${code}).`];
  }
  if (code.startsWith("HPE_")) return ["protocol_error", (host) => `${host} did not answer in valid HTTP.`];
  if (code === "UND_ERR_INVALID_ARG") {
    return [
      "protocol_error",
      (host) => `The request to ${host} holds a header or method that HTTP does not allow.`,
    ];
  }
  return ["protocol_error", (host) => `The exchange with ${host} failed${code ? ` (${code})` : ""}.`];
}

function findErrorCode(thrown: unknown): string | undefined {
  if (typeof thrown !== "object" || thrown === null) return undefined;
  const { code, errors } = thrown as { code?: unknown; errors?: unknown };
  if (typeof code === "string") return code;
  return Array.isArray(errors) ? findErrorCode(errors[0]) : undefined;
}
