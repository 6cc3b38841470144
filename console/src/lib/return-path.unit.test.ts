import { describe, expect, test } from "vitest";
import { readReturnPath } from "./return-path.ts";

const origin = "https://signalbox.example";

describe("the way back after a sign-in", () => {
  test.each([
    ["/o/acme/runs?status=failed#last", "/o/acme/runs?status=failed#last"],
    ["/invitation?token=abc", "/invitation?token=abc"],
    ["/", "/"],
  ])("%s is kept", (given, expected) => expect(readReturnPath(given, origin)).toBe(expected));

  test.each([
    undefined,
    "",
    "https://elsewhere.example/",
    "//elsewhere.example",
    "/\\elsewhere.example",
    "/.//elsewhere.example",
    "/a/..//elsewhere.example",
    "\t//elsewhere.example",
    "javascript:alert(1)",
    "o/acme",
    "/sign-in?returnTo=/sign-in",
    "/setup",
  ])("%j leads to the first page", (given) => expect(readReturnPath(given, origin)).toBe("/"));
});
