/** Reads an amount that a person typed, such as `12.50`, in millionths. Undefined when it is none. */
export function parseMoney(text: string): number | undefined {
  const typed = text.trim();
  // `1,000` is a thousand for some readers and one for others.
  if (/^[1-9]\d{0,2},\d{3}$/.test(typed)) return undefined;
  const clean = typed.replace(",", ".");
  if (!/^\d+(\.\d{1,6})?$/.test(clean)) return undefined;
  const micros = Math.round(Number(clean) * 1_000_000);
  return Number.isSafeInteger(micros) ? micros : undefined;
}

/** Writes millionths so that a person can edit them: 12500000 becomes `12.5`. */
export const writeMoney = (micros: number | null | undefined): string =>
  micros === null || micros === undefined ? "" : String(micros / 1_000_000);
