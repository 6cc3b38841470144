import type { Line } from "./lines.ts";

/** Replaces a credential that a program printed. */
const masked = "[run credential]";
/** A shorter prefix of the secret could be ordinary text. */
const shortestPrefix = 8;

/** Removes a secret from a line of output, so that it reaches neither the journal nor the server. */
export const maskSecret =
  (secret: string | null) =>
  (line: Line): Line => {
    if (!secret || !line.text.includes(secret.slice(0, shortestPrefix))) return line;
    const text = line.text.replaceAll(secret, masked);
    // A truncated line may end inside the secret.
    return line.bytes === undefined ? { text } : { ...line, text: maskPrefixAtEnd(text, secret) };
  };

function maskPrefixAtEnd(text: string, secret: string): string {
  for (let length = Math.min(secret.length - 1, text.length); length >= shortestPrefix; length--)
    if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + masked;
  return text;
}
