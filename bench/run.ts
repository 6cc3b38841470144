import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { authentication } from "./authentication.ts";
import { consolePages } from "./console.ts";
import { discovery } from "./discovery.ts";
import { growth } from "./growth.ts";
import { http } from "./http.ts";
import { mcpCalls } from "./mcp-calls.ts";
import { type Bench, type Figure, isPromiseHeld } from "./measure.ts";
import { oauth } from "./oauth.ts";
import { processes } from "./processes.ts";
import { reports, reportsOnFull } from "./reports.ts";
import { start } from "./start.ts";
import { streams } from "./streams.ts";
import { telemetry } from "./telemetry.ts";
import { webhooks } from "./webhooks.ts";
import { workers } from "./workers.ts";

const benches: Record<string, Bench> = {
  authentication,
  console: consolePages,
  discovery,
  growth,
  http,
  "mcp-calls": mcpCalls,
  oauth,
  processes,
  start,
  streams,
  reports,
  "reports-on-full": reportsOnFull,
  telemetry,
  webhooks,
  workers,
};

const usage = `npm run bench -- [name…] [--rounds 7] [--seconds 1] [--sizes 10000,1000000] [--json]

  ${Object.keys(benches).join(", ")}; all of them when none is named.

The benchmark "growth" fills tables with as many rows as --sizes says; a million take some minutes.

Figures are medians over rounds in which every side has a short turn. A promise that is not held is
reported and is not an error: judge it on a quiet machine.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "7" },
    seconds: { type: "string", default: "1" },
    sizes: { type: "string" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);
const sizes = values.sizes?.split(",").map(Number);
const areSizesValid = sizes?.every((size) => Number.isInteger(size) && size >= 1_000) ?? true;
const unknown = positionals.find((name) => !benches[name]);
if (
  values.help ||
  unknown ||
  !areSizesValid ||
  !(rounds >= 1 && rounds <= 50 && seconds >= 1 && seconds <= 30)
) {
  console.error(unknown ? `There is no benchmark "${unknown}".\n\n${usage}` : usage);
  process.exit(values.help ? 0 : 2);
}

const logProgress = (text: string) => console.error(`… ${text}`);
const names = positionals.length ? positionals : Object.keys(benches);
const results: Record<string, Figure[]> = {};
for (const name of names)
  results[name] = await benches[name]!({ rounds, seconds, logProgress, ...(sizes ? { sizes } : {}) });

if (values.json) {
  const machine = { cpus: cpus().length, model: cpus()[0]?.model, node: process.version };
  const benchmarks = Object.entries(results).map(([name, figures]) => ({
    name,
    figures: figures.map((figure) => ({ ...figure, held: isPromiseHeld(figure) })),
  }));
  console.log(
    JSON.stringify({ at: new Date().toISOString(), machine, rounds, seconds, benchmarks }, null, 2),
  );
} else {
  for (const [name, figures] of Object.entries(results)) {
    console.log(`\n${name}`);
    for (const figure of figures) console.log(line(figure));
  }
}

function line(figure: Figure): string {
  const { name, value, unit, between, promise } = figure;
  const write = (number: number) =>
    number.toLocaleString("en", { maximumFractionDigits: number < 100 ? 2 : 0 });
  const spread = between ? `  (${between.map(write).join(" – ")})` : "";
  const promised = promise && ("atLeast" in promise ? `≥ ${promise.atLeast}` : `≤ ${promise.atMost}`);
  const verdict = promised ? `   promised ${promised}: ${isPromiseHeld(figure) ? "held" : "NOT HELD"}` : "";
  return `  ${name.padEnd(56)} ${write(value).padStart(9)} ${unit}${spread}${verdict}`;
}
