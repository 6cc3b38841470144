/** Decodes base64 with correct padding; white space is ignored. Returns undefined for everything else. */
export function readBase64(text: string): Buffer | undefined {
  const compact = text.replace(/[ \t\r\n]+/g, "");
  const bytes = Buffer.from(compact, "base64");
  // Node ignores what it cannot decode, so the bytes are encoded again and compared.
  return compact && bytes.toString("base64") === compact ? bytes : undefined;
}
