import { expect, test } from "vitest";
import {
  type FileResult,
  findFilesToRepeat,
  findTrappedFile,
  listFailures,
  mergeRuns,
  renderFailures,
  renderSeconds,
  summarizeError,
} from "../results.ts";

const file = (
  states: Record<string, "passed" | "failed" | "skipped">,
  errors: string[] = [],
): FileResult => ({
  project: "unit",
  file: "test/unit/a.test.ts",
  seconds: 1,
  tests: Object.entries(states).map(([name, state]) => ({
    name,
    state,
    ...(state === "failed" ? { error: `${name} failed` } : {}),
  })),
  errors,
});

test("a test that passes on the second run has passed, and its first error is listed as flaky", () => {
  const { result, flaky } = mergeRuns(file({ a: "failed", b: "passed" }), file({ a: "passed", b: "passed" }));
  expect(listFailures(result)).toEqual([]);
  expect(flaky).toEqual([{ where: "unit test/unit/a.test.ts", test: "a", error: "a failed" }]);
});

test("a test that fails twice is a failure and not flaky", () => {
  const { result, flaky } = mergeRuns(file({ a: "failed" }), file({ a: "failed" }));
  expect(listFailures(result).map(({ test }) => test)).toEqual(["a"]);
  expect(flaky).toEqual([]);
});

test("a test that fails only on the second run is flaky", () => {
  const { result, flaky } = mergeRuns(file({ a: "failed", b: "passed" }), file({ a: "passed", b: "failed" }));
  expect(listFailures(result)).toEqual([]);
  expect(flaky.map(({ test }) => test)).toEqual(["a", "b"]);
});

test("tests that a failed hook prevented count by their second run", () => {
  const first = file({ a: "skipped", b: "skipped" }, ["the hook failed"]);
  const good = mergeRuns(first, file({ a: "passed", b: "failed" }));
  expect(good.flaky.map(({ error }) => error)).toEqual(["the hook failed"]);
  expect(listFailures(good.result).map(({ test }) => test)).toEqual(["b"]);
  const bad = mergeRuns(first, file({ a: "skipped", b: "skipped" }, ["the hook failed again"]));
  expect(bad.flaky).toEqual([]);
  expect(listFailures(bad.result).map(({ error }) => error)).toEqual(["the hook failed again"]);
});

test("ten failed files are repeated, eleven are not", () => {
  const failed = file({ a: "failed" });
  const passed = file({ a: "passed" });
  expect(findFilesToRepeat([passed, ...Array(10).fill(failed)])).toHaveLength(10);
  expect(findFilesToRepeat([passed, ...Array(11).fill(failed)])).toEqual([]);
});

test("a file whose process V8 ended with a trap is found, so that it is repeated, and no other end is excused", () => {
  const endedWith = (how: string) => ({
    cause: new Error(
      `Worker exited unexpectedly with ${how} during started state while running test file /a/test/b.test.ts`,
    ),
  });
  expect(findTrappedFile(endedWith("signal SIGTRAP"))).toBe("/a/test/b.test.ts");
  for (const how of ["exit code 1", "signal SIGABRT", "signal SIGSEGV", "signal SIGKILL"])
    expect(findTrappedFile(endedWith(how))).toBeUndefined();
  expect(findTrappedFile({ cause: new Error("fetch failed") })).toBeUndefined();
  expect(findTrappedFile({})).toBeUndefined();
});

test("a failure is rendered with its project, file, name and first error lines", () => {
  const message = `\u001b[31mexpected 1 to be 2\u001b[0m\n${"more\n".repeat(50)}`;
  const stack =
    "Error: expected\n    at x (/a/node_modules/b.js:1:1)\n    at y (/a/src/c.ts:2:3)\n    at z (/a/d.ts:1:1)";
  const error = summarizeError({ message, stack });
  expect(error.split("\n")).toHaveLength(9);
  const text = renderFailures([{ where: "unit a.test.ts", test: "one > two", error }]);
  expect(text).toMatch(/^ {2}unit a\.test\.ts > one > two\n {6}expected 1 to be 2\n/);
  expect(text).toMatch(/at y \(\/a\/src\/c\.ts:2:3\)$/);
});

test("a long list of failures is cut", () => {
  const failures = Array.from({ length: 5 }, () => ({ where: "check: types", error: "wrong" }));
  expect(renderFailures(failures, 3)).toMatch(/… and 2 more$/);
});

test("the seconds of a project are the sum of its files", () => {
  expect(renderSeconds([file({}), file({}), { ...file({}), project: "process", seconds: 7.2 }])).toMatch(
    /unit: 2 s in 2 files .*\n.*process: 7 s in 1 files \(longest: test\/unit\/a\.test\.ts 7\)/,
  );
});
