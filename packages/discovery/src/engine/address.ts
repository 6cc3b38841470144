/** An http or https URL, with the facts that discovery derives from it. */
export class HttpAddress {
  readonly url: URL;
  /** True for addresses of this machine, where plain http is safe (RFC 8252 §8.3). */
  readonly isLoopback: boolean;
  #display: string | undefined;

  constructor(url: URL) {
    this.url = url;
    this.isLoopback = isLoopbackName(url.hostname.replace(/\.$/, ""));
  }

  get href(): string {
    return this.url.href;
  }

  get origin(): string {
    return this.url.origin;
  }

  get host(): string {
    return this.url.host;
  }

  /** True for plain http to another machine: a token sent there could be read on the way. */
  get isUnencrypted(): boolean {
    return this.url.protocol === "http:" && !this.isLoopback;
  }

  /** The URL as a person may see it, without credentials. */
  get display(): string {
    this.#display ??= redactUrl(this.url);
    return this.#display;
  }

  /** Reads a reference that was found at this address, which may be relative. */
  resolve(reference: string): HttpAddress | undefined {
    return parseAddress(URL.parse(reference, this.href)?.href);
  }

  /** True for https, and for plain http when both ends are on this machine. */
  isSecureFrom(base: HttpAddress): boolean {
    return this.url.protocol === "https:" || (this.isLoopback && base.isLoopback);
  }

  /** True for the same host with TLS added. */
  isHttpsVersionOf({ url }: HttpAddress): boolean {
    return url.protocol === "http:" && this.url.protocol === "https:" && url.hostname === this.url.hostname;
  }
}

/** Returns the address of a URL that is known to be valid http or https. */
export function createAddress(url: string): HttpAddress {
  return new HttpAddress(new URL(url));
}

export function parseAddress(text: string | undefined): HttpAddress | undefined {
  if (text === undefined || text.length > 2048) return undefined;
  const url = URL.parse(text);
  return url && /^https?:$/.test(url.protocol) ? new HttpAddress(url) : undefined;
}

/** Returns the same text for spellings that differ in a trailing slash, the default port or the case of the host. */
export function normalizeUrl(text: string): string {
  return (parseAddress(text)?.href ?? text).replace(/\/$/, "");
}

function isLoopbackName(host: string): boolean {
  return (
    host === "localhost" ||
    host.endsWith(".localhost") ||
    host === "[::1]" ||
    /^127\.\d+\.\d+\.\d+$/.test(host)
  );
}

const secretNamePattern = /key|token|secret|pass|auth|sig|code|session|cred|jwt|assertion/i;
const secretValuePattern = /^(?=.*\d)(?=.*[a-z])[\w.~+/=-]{20,}$/i;
const secretSegmentPattern = /^(?=.*\d)(?=.*[a-z])[\w.~+/:=-]{32,}$/i;
const uuidPattern = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

const isSecretSegment = (text: string) => secretSegmentPattern.test(text) && !uuidPattern.test(text);

/** Returns a part of a URL without its percent-encoding, or unchanged when it encodes no text. */
export function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const printablePattern = /^[\x21-\x7e]{1,500}$/;

/** True for a URL that has only a host and a path without long segments, as most have: nothing in it is redacted. */
function cannotHideSecret({ username, password, pathname, href }: URL): boolean {
  return username === "" && password === "" && !/[?#]/.test(href) && !/[^/]{32}/.test(pathname);
}

/** Returns a URL as it may be shown to a person or kept in a log: what looks like a credential is left out. */
export function redactUrl(url: URL | string): string {
  const parsed = typeof url === "string" ? URL.parse(url) : url;
  if (!parsed) return "(not a URL)";
  if (cannotHideSecret(parsed)) {
    const isShownAsWritten = typeof url === "string" && printablePattern.test(url);
    return isShownAsWritten ? url : parsed.href.replaceAll("%5Bredacted%5D", "[redacted]").slice(0, 500);
  }
  const shown = new URL(parsed);
  shown.username = "";
  shown.password = "";
  shown.hash = "";
  const segments = shown.pathname.split("/");
  shown.pathname = segments
    .map((part) => (isSecretSegment(decodePart(part)) ? "[redacted]" : part))
    .join("/");
  for (const [name, value] of new URLSearchParams(shown.search)) {
    if (secretNamePattern.test(name) || secretValuePattern.test(value))
      shown.searchParams.set(name, "[redacted]");
    // Some servers take the credential as the whole query.
    else if (value === "" && secretValuePattern.test(name)) {
      shown.searchParams.delete(name);
      shown.searchParams.append("[redacted]", "");
    }
  }
  // Text that needs no redaction is shown unchanged: two issuers may differ only in a slash.
  if (typeof url === "string" && shown.href === parsed.href && printablePattern.test(url)) return url;
  return shown.href.replaceAll("%5Bredacted%5D", "[redacted]").slice(0, 500);
}
