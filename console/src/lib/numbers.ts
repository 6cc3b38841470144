/** Texts of number fields and the numbers of the API. */

/** An empty text is not a number; the server then says what it expects. */
export const readWhole = (text: string): number => (text.trim() === "" ? Number.NaN : Number(text));

/** An empty text means no limit. */
export const readOptionalWhole = (text: string): number | null => (text.trim() === "" ? null : Number(text));

/** Dollars as millionths. An empty text means no limit. */
export const readOptionalMicros = (text: string): number | null =>
  text.trim() === "" ? null : Math.round(Number(text) * 1_000_000);

export const writeOptional = (value: number | null): string => (value === null ? "" : String(value));
export const writeMicros = (micros: number | null): string =>
  micros === null ? "" : String(micros / 1_000_000);
