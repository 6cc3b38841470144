import { expect, test } from "vitest";
import { measurePassword } from "./password-strength.ts";

test.each([
  ["", 0],
  ["seven77", 0],
  ["aaaaaaaaaaaaaaaaaaaa", 1],
  ["1234567890", 1],
  ["password", 1],
  ["Passw0rd!", 2],
  ["correct horse battery", 4],
] as const)("the strength of %j is %d", (password, expected) =>
  expect(measurePassword(password)).toBe(expected),
);

test("more characters never make a password weaker", () => {
  const password = "Tr4in-signal-box";
  const all = [...password].map((_, i) => measurePassword(password.slice(0, i + 1)));
  expect(all).toEqual([...all].sort());
});
