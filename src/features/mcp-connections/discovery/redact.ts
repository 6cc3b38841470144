import { decodePart, redactUrl } from "@signalbox/discovery";

const mark = "[redacted]";
/** A shorter text could be a part of ordinary words. */
const minSecretLength = 6;

/** The ways to write a part of a URL: as it is, decoded, and encoded by others. */
function listSpellings(part: string): string[] {
  const texts = [decodePart(part), decodePart(part.replaceAll("+", " "))];
  const encoded = texts.map(encodeURIComponent);
  const escapes = /%[0-9a-f]{2}/gi;
  return [
    ...texts,
    ...[part, ...encoded].flatMap((text) => [
      text,
      text.replace(escapes, (code) => code.toUpperCase()),
      text.replace(escapes, (code) => code.toLowerCase()),
    ]),
    ...encoded.map((text) => text.replaceAll("%20", "+")),
  ];
}

/** An address without a query, without escapes, and with segments that are too short for a secret. */
const plainUrl = /^https?:\/\/[a-z0-9.-]+(?::\d{1,5})?(?:\/[\w.~-]{0,31})*$/;
const maxPlainLength = 500;

/** The parts of a URL that are not shown, in each of their spellings. */
export function listSecrets(url: string): string[] {
  // Every call of a tool asks, and most addresses are shown as they are.
  if (url.length <= maxPlainLength && plainUrl.test(url)) return [];
  const { pathname, search } = new URL(url);
  const shown = redactUrl(url);
  const parameters = search
    .slice(1)
    .split("&")
    .flatMap((parameter) => {
      const [name = "", ...value] = parameter.split("=");
      return [name, value.join("=")];
    });
  const secrets = [...pathname.split("/"), ...parameters]
    .filter((part) => part.length >= minSecretLength)
    .map(listSpellings)
    .filter((spellings) => !spellings.some((spelling) => shown.includes(spelling)));
  return [...new Set(secrets.flat())];
}

/**
 * Replaces credentials of the URL wherever a value contains them, and characters that cannot be stored. For values that
 * are stored or shared.
 */
export function createRedaction(url: string): <T>(value: T) => T {
  const secrets = listSecrets(url);
  const shown = redactUrl(url);
  const redactText = (text: string) =>
    secrets
      .reduce((kept, secret) => kept.replaceAll(secret, mark), text.replaceAll(url, shown))
      // A server can send text that the database cannot store.
      .replaceAll("\0", "\u{fffd}")
      .toWellFormed();
  const redact = (value: unknown): unknown => {
    if (typeof value === "string") return redactText(value);
    if (Array.isArray(value)) return value.map(redact);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, redact(inner)]));
  };
  return (value) => redact(value) as typeof value;
}
