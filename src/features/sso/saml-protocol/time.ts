import { SamlError } from "./errors.ts";

const pattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

/** Reads a time of SAML in milliseconds. SAML times are UTC; a time without a zone is refused. */
export function readTime(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const time = pattern.test(text.trim()) ? Date.parse(text.trim()) : Number.NaN;
  if (Number.isNaN(time)) throw new SamlError("saml_time_invalid");
  return time;
}

export function requireTime(text: string | undefined): number {
  const time = readTime(text);
  if (time === undefined) throw new SamlError("saml_time_invalid");
  return time;
}
