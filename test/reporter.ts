import { writeFileSync } from "node:fs";
import type { Reporter, TestModule } from "vitest/node";
import { findTrappedFile, type RunResult, summarizeError, type TestResult } from "./results.ts";

interface Unhandled {
  message: string;
  stack?: string;
  cause?: unknown;
}

/** Writes the results of a run to the file named in TEST_RESULTS. */
export default class ResultsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly Unhandled[]) {
    const traps = Map.groupBy(unhandled, (error) => {
      const trapped = findTrappedFile(error);
      return modules.find(({ moduleId }) => moduleId === trapped);
    });
    const result: RunResult = {
      files: modules.map((module) => {
        const { duration, setupDuration, prepareDuration, environmentSetupDuration, collectDuration } =
          module.diagnostic();
        const suites = [...module.children.allSuites()];
        return {
          project: module.project.name,
          file: module.relativeModuleId,
          seconds:
            (duration + setupDuration + prepareDuration + environmentSetupDuration + collectDuration) / 1000,
          tests: [...module.children.allTests()].map((test): TestResult => {
            const { state, errors } = test.result();
            if (state === "failed")
              return { name: test.fullName, state, error: errors.map(summarizeError).join("\n") };
            return { name: test.fullName, state: state === "passed" ? "passed" : "skipped" };
          }),
          errors: [
            ...module.errors(),
            ...suites.flatMap((suite) => suite.errors()),
            ...(traps.get(module) ?? []).map(({ cause }) => cause as Error),
          ].map(summarizeError),
        };
      }),
      errors: (traps.get(undefined) ?? []).map(summarizeError),
    };
    writeFileSync(process.env.TEST_RESULTS!, JSON.stringify(result));
  }
}
