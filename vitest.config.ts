import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Tests of rooms that use no database. */
const unitTestsOfRooms = "src/features/**/*.unit.test.ts";

/** Rooms and the HTTP suites run on both engines. */
const onEngines = {
  include: ["src/features/**/*.test.ts", "test/http/**/*.test.ts"],
  exclude: [unitTestsOfRooms],
};

/** Suites that run on the embedded engine only, because no SQL that differs between the engines decides their results. */
const onOneEngine = [
  // The HTTP layer.
  "test/http/loopback.test.ts",
  "test/http/wire.test.ts",
  // Texts that commands print. The routes behind them have their own tests.
  "test/http/cli-automations.test.ts",
  "test/http/cli-connections.test.ts",
  // Replies of MCP servers and LLM providers, and a cache in memory of what identity providers publish.
  "src/features/mcp-connections/discovery/discovery.test.ts",
  "src/features/llm-providers/keys/key-test.test.ts",
  "src/features/sso/sign-in/provider.test.ts",
  // Parsers of what a git server sends. The embedded engine shares their thread, so a stall is worse there.
  "src/features/code-host/syncs/hostile.test.ts",
];

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

/** Files that take long although they are short. Without results of an earlier run, only the size is known. */
const longFiles = [
  "process/secret.test.ts",
  "process/documents.test.ts",
  "process/demo.test.ts",
  "process/start-and-stop.test.ts",
  "process/neighbors.test.ts",
  "process/rotation.test.ts",
  "http/upgrades.test.ts",
  "http/replicas.test.ts",
  "events/followers.test.ts",
  "http/backup.test.ts",
  "deliveries/deliveries.test.ts",
  "system/instance.test.ts",
  "http/jobs.test.ts",
  "syncs/replicas.test.ts",
  "http/mail.test.ts",
  "http/statements.test.ts",
  "automations/model.test.ts",
];

/** The longest files of a project come first, so that no worker begins with one of them when the others have finished. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isShort = ({ moduleId }: TestSpecification) =>
      Number(!longFiles.some((name) => moduleId.endsWith(`/${name}`)));
    return (await super.sort(files)).sort((a, b) => isShort(a) - isShort(b));
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    testTimeout: 30_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: [
            "packages/*/src/**/*.test.ts",
            "console/src/**/*.unit.test.ts",
            "src/platform/**/*.test.ts",
            unitTestsOfRooms,
            "test/unit/**/*.test.ts",
            "test/security/**/*.test.ts",
          ],
          // Each file has a process of its own, which ends before optimized code of the embedded engine pays off.
          execArgv: ["--no-wasm-tier-up", "--no-wasm-dynamic-tiering"],
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
          // A file waits for processes and pauses for much of its time.
          maxWorkers: 2,
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
          // For the reasons of the engine projects.
          isolate: false,
          maxWorkers: 2,
          testTimeout: 60_000,
          // A page waits for the server and for typing to pause. The default is a second.
          expect: { poll: { timeout: 20_000 } },
        },
      },
    ],
  },
});
