/**
 * The readers of discovery against more than a million inputs: `node test/long/discovery-fuzz.ts [inputs] [seed]`.
 * Ends with the one line `N passed, N failed`; each property counts as one.
 */
import fc from "fast-check";
import { PROPERTIES } from "../fixtures/discovery-properties.ts";

const inputs = Number(process.argv[2] ?? 1_100_000);
const seed = Number(process.argv[3] ?? Date.now() % 2 ** 31);
const each = Math.ceil(inputs / PROPERTIES.length);
console.log(`${PROPERTIES.length} properties, ${each} inputs each, seed ${seed}`);

let failed = 0;
let total = 0;
for (const { name, property } of PROPERTIES) {
  const started = performance.now();
  const details = await fc.check(property, { numRuns: each, seed, endOnFailure: true });
  total += details.numRuns;
  const seconds = (performance.now() - started) / 1000;
  console.log(`${details.failed ? "✗" : "✓"} ${name} (${details.numRuns} inputs, ${seconds.toFixed(1)} s)`);
  if (details.failed) {
    failed += 1;
    console.log(fc.defaultReportMessage(details as never));
  }
}
console.log(`${total} inputs, at most ${Math.round(process.resourceUsage().maxRSS / 1024)} MiB`);
console.log(`\n${PROPERTIES.length - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
