import { defineConfig } from "vitest/config";

/** Tests of rooms that use no database. */
const unitTestsOfRooms = "src/features/**/*.unit.test.ts";

/** Rooms and the HTTP suites run on both engines. */
const onEngines = {
  include: ["src/features/**/*.test.ts", "test/http/**/*.test.ts"],
  exclude: [unitTestsOfRooms],
};

/** Suites of the HTTP layer. Their requests are answered without SQL that differs between the engines. */
const onOneEngine = ["test/http/loopback.test.ts", "test/http/wire.test.ts"];

/**
 * A worker runs many files with the same modules: loading all rooms takes two seconds of CPU time, and the code of the
 * embedded engine becomes fast only after some use.
 */
const engineProject = {
  globalSetup: "test/setup.ts",
  setupFiles: "test/mocks.ts",
  isolate: false,
  maxWorkers: 2,
};

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: [
            "packages/*/src/**/*.test.ts",
            "src/platform/**/*.test.ts",
            unitTestsOfRooms,
            "test/unit/**/*.test.ts",
            "test/security/**/*.test.ts",
          ],
          maxWorkers: 2,
        },
      },
      { extends: true, test: { name: "pglite", ...engineProject, ...onEngines } },
      {
        extends: true,
        test: {
          name: "postgres",
          ...engineProject,
          ...onEngines,
          exclude: [...onEngines.exclude, ...onOneEngine],
        },
      },
      {
        extends: true,
        test: {
          name: "process",
          include: ["test/process/**/*.test.ts"],
          globalSetup: "test/process/setup.ts",
          maxWorkers: 1,
          // A first start takes 4 s on a quiet machine, and many times that on a crowded one.
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          name: "browser",
          include: ["test/browser/**/*.test.ts"],
          globalSetup: "test/setup.ts",
          maxWorkers: 1,
          testTimeout: 60_000,
        },
      },
    ],
  },
});
