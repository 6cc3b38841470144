import { cpus, totalmem } from "node:os";
import { type Figure, isPromiseHeld } from "./measure.ts";

export interface Run {
  rounds: number;
  seconds: number;
  results: Readonly<Record<string, readonly Figure[]>>;
  /** The benchmarks that did not finish, and why. */
  failures: Readonly<Record<string, string>>;
}

const cores = () => `${cpus().length} cores (${process.arch}), ${Math.round(totalmem() / 2 ** 30)} GB`;

export function formatJson({ rounds, seconds, results, failures }: Run): string {
  const machine = { cpus: cpus().length, model: cpus()[0]?.model, node: process.version };
  const benchmarks = Object.entries(results).map(([name, figures]) => ({
    name,
    figures: figures.map((figure) => ({ ...figure, held: isPromiseHeld(figure) })),
  }));
  return JSON.stringify(
    { at: new Date().toISOString(), machine, rounds, seconds, benchmarks, failures },
    null,
    2,
  );
}

export function formatText({ results }: Run): string {
  return Object.entries(results)
    .map(([name, figures]) => ["", name, ...figures.map(formatLine)].join("\n"))
    .join("\n");
}

/** The file bench/RESULTS.md: what falls short first, then everything that was measured. */
export function formatMarkdown({ rounds, seconds, results, failures }: Run): string {
  const unfinished = Object.entries(failures).map(([name, why]) => `- \`${name}\` did not finish: ${why}`);
  const unheld = Object.entries(results).flatMap(([name, figures]) =>
    figures
      .filter((figure) => isPromiseHeld(figure) === false)
      .map(
        (figure) =>
          `- \`${name}\`, ${figure.name.trim()}: ${formatValue(figure)}, promised ${formatPromise(figure)}.`,
      ),
  );
  const short = [...unfinished, ...unheld];
  return `# Results of the benchmarks

Written by \`npm run bench -- --write\` on ${new Date().toISOString().slice(0, 10)}: ${cores()}, Node ${process.version}, ${rounds} rounds of ${seconds} s. The
load generator, the database and both sides share the cores. [benchmarks.md](../docs/benchmarks.md) explains each figure.

## What falls short

${short.length === 0 ? "Nothing: every promise was held in this run." : short.join("\n")}
${Object.entries(results).map(formatTable).join("")}`;
}

function formatTable([name, figures]: [string, readonly Figure[]]): string {
  const rows = figures.map((figure) => {
    const verdict =
      isPromiseHeld(figure) === undefined ? "" : isPromiseHeld(figure) ? "held" : "**not held**";
    const cells = [
      figure.name.trim(),
      formatValue(figure),
      formatRange(figure),
      formatPromise(figure),
      verdict,
    ];
    return `| ${cells.join(" | ")} |`;
  });
  return `
## \`${name}\`

| figure | value | half of the rounds | promise | |
|---|---|---|---|---|
${rows.join("\n")}
`;
}

function formatLine(figure: Figure): string {
  const { name, value, unit, between } = figure;
  const spread = between ? `  (${formatRange(figure)})` : "";
  const verdict = isPromiseHeld(figure) ? "held" : "NOT HELD";
  const promised = figure.promise ? `   promised ${formatPromise(figure)}: ${verdict}` : "";
  return `  ${name.padEnd(56)} ${formatNumber(value).padStart(9)} ${unit}${spread}${promised}`;
}

/** Ratios below 1 have three digits, so that 0.647 does not look like the 0.65 that is promised. */
const formatNumber = (number: number) =>
  number.toLocaleString("en", { maximumFractionDigits: number < 1 ? 3 : number < 100 ? 2 : 0 });
const formatValue = ({ value, unit }: Figure) => `${formatNumber(value)} ${unit}`;
const formatRange = ({ between }: Figure) => between?.map(formatNumber).join(" – ") ?? "";
const formatPromise = ({ promise }: Figure) =>
  promise ? ("atLeast" in promise ? `≥ ${promise.atLeast}` : `≤ ${promise.atMost}`) : "";
