/** The server takes 256 KiB of payload as JSON; a little stays free. */
export const maxPayloadBytes = 250 * 1024;
/** The server takes 100 levels, and the request around a payload has some. */
const maxDepth = 90;

export type Payload = Record<string, unknown>;

export const isObject = (value: unknown): value is Payload =>
  value !== null && typeof value === "object" && !Array.isArray(value);

/** The payload as it can be sent: storable text, not too deep, not too long. What had to be cut says so. */
export function fitPayload(payload: Payload): Payload {
  if (isDeeperThan(maxDepth, payload)) return cutText("(nested too deeply to be kept)");
  const json = JSON.stringify(payload);
  // The database keeps neither NUL nor half of a surrogate pair; JSON writes both with a backslash.
  const clean = /\\u0000|\\ud[89a-f]/i.test(json) ? (cleanValue(payload) as Payload) : payload;
  const text = clean === payload ? json : JSON.stringify(clean);
  if (Buffer.byteLength(text) <= maxPayloadBytes) return clean;
  const onlyText = typeof clean.text === "string" && Object.keys(clean).every((key) => key in textFields);
  return onlyText
    ? cutText(
        clean.text as string,
        (clean.bytes as number | undefined) ?? Buffer.byteLength(clean.text as string),
      )
    : cutText(text);
}

const textFields = { text: 1, cut: 1, bytes: 1 };

/** The beginning of a text that is too long, with the mark that says so. */
export function cutText(text: string, bytes = Buffer.byteLength(text)): Payload {
  let kept = text.slice(0, maxPayloadBytes);
  for (;;) {
    const payload = { text: cleanText(kept), cut: true, bytes };
    const size = Buffer.byteLength(JSON.stringify(payload));
    if (size <= maxPayloadBytes) return payload;
    kept = kept.slice(0, Math.floor((kept.length * maxPayloadBytes * 0.98) / size));
  }
}

export const cleanText = (text: string): string => text.replaceAll("\0", "\ufffd").toWellFormed();

/** The beginning of a text, never with half a letter at its end. */
export const beginningOf = (text: string, max: number): string =>
  text.length <= max ? text : `${cleanText(text.slice(0, max - 1)).replace(/\ufffd$/, "")}…`;

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
