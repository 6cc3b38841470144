/**
 * All fault tests, one after the other, with one seed: `npm run test:faults -- [--seed N] [--kills 20]`. The server and
 * PostgreSQL are killed while runners report and code hosts deliver. About fifteen minutes. Ends with `N passed, N failed`.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    kills: { type: "string", default: "20" },
  },
});
const parts = [
  ["automations-faults.ts", "--kills", values.kills],
  ["webhook-faults.ts", "--kills", values.kills, "--seed", values.seed],
];
console.log(`seed ${values.seed}`);
let [passed, failed] = [0, 0];
for (const [file, ...args] of parts) {
  console.log(`\n${file}`);
  const text = await run(join(import.meta.dirname, file!), args);
  const counts = /(\d+) passed, (\d+) failed\s*$/.exec(text);
  passed += Number(counts?.[1] ?? 0);
  // Without its last line, the part itself has failed.
  failed += Number(counts?.[2] ?? 1);
}
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

function run(file: string, args: string[]): Promise<string> {
  const child = spawn(process.execPath, [file, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => {
    text += chunk;
    process.stdout.write(chunk);
  });
  return new Promise((resolve) => child.on("close", () => resolve(text)));
}
