/** Results of test files, and what a second run of the failed ones changes about them. */
import { stripVTControlCharacters } from "node:util";

export interface TestResult {
  name: string;
  state: "passed" | "failed" | "skipped";
  /** The first lines of the error of a failed test. */
  error?: string;
}

export interface FileResult {
  project: string;
  /** The path from the root of the repository. */
  file: string;
  seconds: number;
  tests: TestResult[];
  /** Errors of the file outside of its tests: it could not be loaded, a hook failed, or V8 ended its process. */
  errors: string[];
}

export interface RunResult {
  files: FileResult[];
  /** Errors that belong to no file, such as an unhandled rejection. */
  errors: string[];
}

interface Failure {
  /** The project and the file, or the name of a check. */
  where: string;
  /** The name of the test. Absent when the failure is outside of the tests. */
  test?: string;
  error: string;
}

/** A second run of more files than this says nothing about chance, and takes too long. */
const maxFilesOfSecondRun = 10;

const errorLines = 8;

/** The message of an error, and the first line of its stack that is not in a package. */
export function summarizeError({ message, stack = "" }: { message: string; stack?: string }): string {
  const lines = stripVTControlCharacters(message).trim().split("\n").slice(0, errorLines);
  const place = stack.split("\n").find((line) => /^\s+at /.test(line) && !/node_modules|node:/.test(line));
  return [...lines, ...(place ? [place.trim()] : [])].join("\n");
}

/**
 * The path of the file whose process V8 ended with a trap (SIGTRAP), from an error of the test runner. A known defect of
 * V8 ends processes with several threads like this (nodejs/node#64500). Any other end of a process fails the run.
 */
export function findTrappedFile({ cause }: { cause?: unknown }): string | undefined {
  const message = cause instanceof Error ? cause.message : "";
  return /^Worker exited unexpectedly with signal SIGTRAP .*while running test file (.+)$/.exec(message)?.[1];
}

const describeFile = ({ project, file }: FileResult) => `${project} ${file}`;

export function listFailures(result: FileResult): Failure[] {
  const where = describeFile(result);
  return [
    ...result.errors.map((error) => ({ where, error })),
    ...result.tests
      .filter(({ state }) => state === "failed")
      .map(({ name, error = "" }) => ({ where, test: name, error })),
  ];
}

const isFailed = (result: FileResult) => listFailures(result).length > 0;

/** The files to run a second time. */
export function findFilesToRepeat(files: readonly FileResult[]): FileResult[] {
  const failed = files.filter(isFailed);
  return failed.length > maxFilesOfSecondRun ? [] : failed;
}

/** A test that passes in one of two runs has passed. Its failure in the other run is returned as flaky. */
export function mergeRuns(first: FileResult, second: FileResult): { result: FileResult; flaky: Failure[] } {
  const passedIn = (run: FileResult, name: string) =>
    run.tests.some((test) => test.name === name && test.state === "passed");
  const flaky = [
    ...listFailures(first).filter(({ test }) =>
      test === undefined ? second.errors.length === 0 : passedIn(second, test),
    ),
    ...listFailures(second).filter(({ test }) => test !== undefined && passedIn(first, test)),
  ];
  const tests = second.tests.map(
    (test): TestResult =>
      test.state === "failed" && passedIn(first, test.name) ? { name: test.name, state: "passed" } : test,
  );
  return { result: { ...second, seconds: first.seconds + second.seconds, tests }, flaky };
}

/** The failures with their errors, one below the other. A long list is cut. */
export function renderFailures(failures: readonly Failure[], limit = 30): string {
  const shown = failures.slice(0, limit).map(({ where, test, error }) => {
    const title = test === undefined ? where : `${where} > ${test}`;
    return `  ${title}\n${error.replace(/^/gm, "      ")}`;
  });
  if (failures.length > limit) shown.push(`  … and ${failures.length - limit} more`);
  return shown.join("\n");
}

/** The seconds of each project: the sum of its files, which run side by side. */
export function renderSeconds(files: readonly FileResult[]): string {
  const projects = Map.groupBy(files, ({ project }) => project);
  return [...projects]
    .map(([project, own]) => {
      const seconds = own.reduce((sum, file) => sum + file.seconds, 0);
      const longest = own.toSorted((a, b) => b.seconds - a.seconds).slice(0, 3);
      const examples = longest.map(({ file, seconds }) => `${file} ${Math.round(seconds)}`).join(", ");
      return `  ${project}: ${Math.round(seconds)} s in ${own.length} files (longest: ${examples})`;
    })
    .join("\n");
}
