import { describe, expect, test } from "vitest";
import { printable, printableLine } from "./printable.ts";

describe("text on a terminal", () => {
  const hostile = "\u001b]0;owned\u0007\u001b[2J\u009b31m\u202egnp.exe\u2066\u007f\b";

  test("has no character that a terminal interprets", () => {
    for (const shown of [printable(hostile), printableLine(hostile)])
      expect(shown).toBe("\\u001b]0;owned\\u0007\\u001b[2J\\u009b31m\\u202egnp.exe\\u2066\\u007f\\u0008");
    expect(printable("\u001b[8mhidden\u001b[0m")).toBe("\\u001b[8mhidden\\u001b[0m");
  });

  test("keeps line ends, tabs, letters of all scripts and our own colours", () => {
    const ours = "a\tb\nДа 你好 👩‍👧 \u001b[31mred\u001b[39m";
    expect(printable(ours)).toBe(ours);
    expect(printable("one\r\ntwo")).toBe("one\ntwo");
  });

  test("on one line has no line end, so that a name cannot imitate another message", () => {
    expect(printableLine("Nightly\nrun_1 succeeded")).toBe("Nightly\\u000arun_1 succeeded");
  });

  test("still parses to the same JSON value", () => {
    const json = JSON.stringify({ name: hostile });
    expect(JSON.parse(printable(json))).toEqual({ name: hostile });
    expect(printable(json)).not.toMatch(/[\p{Cc}\u202e]/u);
  });
});
