import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as (options: { type: "minor" }) => void;

const runs = 200;

/**
 * Returns how many of 200 values are still in memory after each was passed to `run`, when only young objects were
 * collected. The values are outside of the heap, so their bytes can be counted.
 */
export async function countKeptValues(run: (value: Buffer) => Promise<unknown>): Promise<number> {
  const size = 100_000;
  await run(Buffer.allocUnsafeSlow(size));
  const before = process.memoryUsage().arrayBuffers;
  for (let i = 1; i <= runs; i++) {
    await run(Buffer.allocUnsafeSlow(size));
    if (i % 10 === 0) collect({ type: "minor" });
  }
  collect({ type: "minor" });
  return (process.memoryUsage().arrayBuffers - before) / size;
}
