/** The server accepts 256 KiB of payload as JSON. The rest is a reserve. */
export const maxPayloadBytes = 250 * 1024;
/** The server accepts 100 levels, and the request around a payload has some. */
const maxDepth = 90;

export type Payload = Record<string, unknown>;

export const isObject = (value: unknown): value is Payload =>
  value !== null && typeof value === "object" && !Array.isArray(value);

/** Makes a payload acceptable: storable text, not too deep, not too long. A truncated payload has the field `cut`. */
export function fitPayload(payload: Payload): Payload {
  if (isDeeperThan(maxDepth, payload)) return createTruncatedPayload("(nested too deeply to be kept)");
  const json = JSON.stringify(payload);
  // The database stores neither NUL nor half of a surrogate pair. JSON writes both with a backslash.
  const clean = /\\u0000|\\ud[89a-f]/i.test(json) ? (cleanValue(payload) as Payload) : payload;
  const text = clean === payload ? json : JSON.stringify(clean);
  if (Buffer.byteLength(text) <= maxPayloadBytes) return clean;
  const onlyText = typeof clean.text === "string" && Object.keys(clean).every((key) => key in textFields);
  return onlyText
    ? createTruncatedPayload(
        clean.text as string,
        (clean.bytes as number | undefined) ?? Buffer.byteLength(clean.text as string),
      )
    : createTruncatedPayload(text);
}

const textFields = { text: 1, cut: 1, bytes: 1 };

/** Creates a payload with the beginning of a long text. `bytes` is the length of the whole text. */
export function createTruncatedPayload(text: string, bytes = Buffer.byteLength(text)): Payload {
  let beginning = text.slice(0, maxPayloadBytes);
  for (;;) {
    const payload = { text: cleanText(beginning), cut: true, bytes };
    const size = Buffer.byteLength(JSON.stringify(payload));
    if (size <= maxPayloadBytes) return payload;
    beginning = beginning.slice(0, Math.floor((beginning.length * maxPayloadBytes * 0.98) / size));
  }
}

export const cleanText = (text: string): string => text.replaceAll("\0", "\ufffd").toWellFormed();

/** Truncates a text with an ellipsis. Never ends with half a character. */
export const truncateText = (text: string, maxLength: number): string =>
  text.length <= maxLength ? text : `${cleanText(text.slice(0, maxLength - 1)).replace(/\ufffd$/, "")}…`;

function cleanValue(value: unknown): unknown {
  if (typeof value === "string") return cleanText(value);
  if (Array.isArray(value)) return value.map(cleanValue);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [cleanText(key), cleanValue(item)]));
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (value === null || typeof value !== "object") return false;
  if (levels === 0) return true;
  return Object.values(value).some((item) => isDeeperThan(levels - 1, item));
}
