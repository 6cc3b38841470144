/** Shows when a benchmark no longer runs, because a table, a route or a peer has changed. It asserts no figure. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { isPostgresAvailable } from "../postgres.ts";

/** The one with a peer that writes our rows, and the one that uses most routes. All of them would take minutes. */
const names = ["oauth", "reports"];

test("the shortest round of each benchmark gives figures", async () => {
  const short = ["--rounds", "1", "--seconds", "0.05"];
  const engine = ["--engine", (await isPostgresAvailable()) ? "postgres" : "pglite"];
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["bench/run.ts", ...names, ...short, ...engine, "--json"],
    { maxBuffer: 16 * 1024 * 1024 },
  );
  const { benchmarks } = JSON.parse(stdout) as {
    benchmarks: { name: string; figures: { unit: string; value: number | null }[] }[];
  };
  expect(benchmarks.map(({ name }) => name)).toEqual(names);
  for (const { name, figures } of benchmarks) {
    expect(figures, name).not.toEqual([]);
    for (const figure of figures) if (figure.unit.endsWith("/s")) expect(figure.value).toBeGreaterThan(0);
  }
});
