import { expect, test } from "vitest";
import { findLocale } from "./locale.ts";

test.each([
  [["de-AT", "en"], "de-AT"],
  [["en-US@posix"], "en-US"],
  [["C.UTF-8", "fr"], "fr"],
  [["*", "not a language"], "en"],
  [[], "en"],
])("the language of %j is %s", (languages, locale) => {
  expect(findLocale(languages)).toBe(locale);
  expect(() => new Intl.DateTimeFormat(findLocale(languages))).not.toThrow();
});
