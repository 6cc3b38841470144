import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { authentication } from "./authentication.ts";
import { consolePages } from "./console.ts";
import { discovery } from "./discovery.ts";
import { growth } from "./growth.ts";
import { http } from "./http.ts";
import { mcpCalls } from "./mcp-calls.ts";
import type { Bench, Figure } from "./measure.ts";
import { oauth } from "./oauth.ts";
import { processes } from "./processes.ts";
import { reports, reportsOnFull } from "./reports.ts";
import { formatJson, formatMarkdown, formatText } from "./results.ts";
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

const usage = `npm run bench -- [name…] [--rounds 7] [--seconds 1] [--sizes 10000,1000000]
                 [--engine postgres|pglite] [--json | --write]

  ${Object.keys(benches).join(", ")}; all of them when none is named.

The benchmark "growth" fills tables with as many rows as --sizes says; a million take some minutes.
--write puts the figures into bench/RESULTS.md, with those that fall short first.

Figures are medians over rounds in which every side has a short turn. A promise that is not held is
reported and is not an error: judge it on a quiet machine.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "7" },
    seconds: { type: "string", default: "1" },
    sizes: { type: "string" },
    engine: { type: "string" },
    json: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);
const sizes = values.sizes?.split(",").map(Number);
const engine = (["postgres", "pglite"] as const).find((one) => one === values.engine);
const areSizesValid = sizes?.every((size) => Number.isInteger(size) && size >= 1_000) ?? true;
const unknown = positionals.find((name) => !benches[name]);
if (
  values.help ||
  unknown ||
  !areSizesValid ||
  engine !== values.engine ||
  !(rounds >= 1 && rounds <= 50 && seconds >= 0.05 && seconds <= 30)
) {
  console.error(unknown ? `There is no benchmark "${unknown}".\n\n${usage}` : usage);
  process.exit(values.help ? 0 : 2);
}

// The libraries that we compare with print notices. They are not part of the result.
console.info = console.error;
const logProgress = (text: string) => console.error(`… ${text}`);
const names = positionals.length ? positionals : Object.keys(benches);
const results: Record<string, Figure[]> = {};
const failures: Record<string, string> = {};
const run = { rounds, seconds, results, failures };
for (const name of names) {
  try {
    results[name] = await benches[name]!({
      rounds,
      seconds,
      logProgress,
      ...(sizes ? { sizes } : {}),
      ...(engine ? { engine } : {}),
    });
  } catch (error) {
    // The figures of the others would be lost.
    failures[name] = (error as Error).message;
    console.error(error);
    process.exitCode = 1;
  }
  // After each one, because all of them take half an hour.
  if (values.write) writeFileSync(join(import.meta.dirname, "RESULTS.md"), formatMarkdown(run));
}

console.log(values.json ? formatJson(run) : formatText(run));
