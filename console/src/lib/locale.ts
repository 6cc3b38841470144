/**
 * Returns the first language that dates and numbers can be written in. On a Linux without a language, Chromium reports
 * `en-US@posix`, which is not a language tag.
 */
export function findLocale(languages: readonly string[]): string {
  const tags = languages.map((language) => language.replace(/[@.].*$/, ""));
  return tags.find(isLanguageTag) ?? "en";
}

function isLanguageTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length > 0;
  } catch {
    return false;
  }
}

/** The language of the person's browser. */
export const locale = findLocale(typeof navigator === "undefined" ? [] : [...navigator.languages]);
