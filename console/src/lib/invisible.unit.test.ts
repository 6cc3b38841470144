import { expect, test } from "vitest";
import { escapeInvisible, showInvisible } from "./invisible.ts";

test("characters that cannot be seen are written out, and the JSON stays the same", () => {
  const value = { path: "safe\u202etxt.exe", tag: "a\u{e0061}b", text: "two\nlines", plain: "Zürich" };
  const shown = escapeInvisible(JSON.stringify(value, null, 2));
  expect(shown).toContain('"safe\\u202etxt.exe"');
  expect(shown).toContain('"a\\udb40\\udc61b"');
  expect(shown).toContain("Zürich");
  expect(JSON.parse(shown)).toEqual(value);
  expect(showInvisible("a\u200bb")).toBe("a⟨U+200B⟩b");
});
