import { defineConfig } from "vitest/config";

// Rooms and the HTTP suites run on both engines; what knows no database runs once.
const onBoth = ["src/features/**/*.test.ts", "test/http/**/*.test.ts"];
const unitInRooms = "src/features/**/*.unit.test.ts";

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
            "src/platform/**/*.test.ts",
            unitInRooms,
            "test/unit/**/*.test.ts",
            "test/security/**/*.test.ts",
          ],
        },
      },
      {
        extends: true,
        test: {
          name: "pglite",
          include: onBoth,
          exclude: [unitInRooms],
          globalSetup: "test/setup.ts",
          maxWorkers: 2,
        },
      },
      {
        extends: true,
        test: {
          name: "postgres",
          include: onBoth,
          exclude: [unitInRooms],
          globalSetup: "test/setup.ts",
          maxWorkers: 2,
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
