import { describe, expect, test } from "vitest";
import { createMetrics, mergeSnapshots, renderMetrics, withoutGauges } from "./metrics.ts";

/** The text format's own grammar, version 0.0.4: what a scraper would refuse, this refuses. */
function parse(text: string) {
  expect(text.endsWith("\n")).toBe(true);
  const types = new Map<string, string>();
  const samples = new Map<string, number>();
  let family = "";
  for (const line of text.trimEnd().split("\n")) {
    const help = /^# HELP ([a-zA-Z_:][\w:]*) (?:[^\\\n]|\\\\|\\n)*$/.exec(line);
    const type = /^# TYPE ([a-zA-Z_:][\w:]*) (counter|gauge|histogram)$/.exec(line);
    const sample =
      /^([a-zA-Z_:][\w:]*)(\{[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\"n])*"(?:,[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\"n])*")*\})? (\S+)$/.exec(
        line,
      );
    if (type) {
      family = type[1]!;
      expect(types.has(family), `${family} has its type once`).toBe(false);
      types.set(family, type[2]!);
    } else if (sample) {
      const name = sample[1]!;
      const base = types.get(family) === "histogram" ? name.replace(/_(bucket|sum|count)$/, "") : name;
      expect(base, line).toBe(family);
      expect(Number.isFinite(Number(sample[3])), line).toBe(true);
      const key = name + (sample[2] ?? "");
      expect(samples.has(key), `${key} is there once`).toBe(false);
      samples.set(key, Number(sample[3]));
    } else {
      expect(help, line).not.toBeNull();
    }
  }
  return { types, samples };
}

describe("metrics", () => {
  test("are text that Prometheus can read", () => {
    const metrics = createMetrics();
    metrics.count("things_total");
    metrics.count("things_total", { kind: "a" }, 2);
    metrics.time("work_seconds", { job: "x" }, 0.003);
    metrics.time("work_seconds", { job: "x" }, 99);
    metrics.gauge("level", () => 3, "sum");
    const levels = [
      { labels: { of: "a" }, value: 1 },
      { labels: { of: "b" }, value: 0 },
    ];
    metrics.gauge("levels", () => levels, "sum");
    metrics.describe("level", "How high.\nAnd a back\\slash.");
    const text = metrics.render();
    expect(text).toContain("# HELP level How high.\\nAnd a back\\\\slash.\n# TYPE level gauge\nlevel 3\n");
    const { types, samples } = parse(text);
    expect(types.get("work_seconds")).toBe("histogram");
    expect(samples.get("things_total")).toBe(1);
    expect(samples.get('things_total{kind="a"}')).toBe(2);
    expect(samples.get('work_seconds_bucket{job="x",le="0.0025"}')).toBe(0);
    expect(samples.get('work_seconds_bucket{job="x",le="0.005"}')).toBe(1);
    expect(samples.get('work_seconds_bucket{job="x",le="10"}')).toBe(1);
    expect(samples.get('work_seconds_bucket{job="x",le="+Inf"}')).toBe(2);
    expect(samples.get('work_seconds_count{job="x"}')).toBe(2);
    expect(samples.get('levels{of="b"}')).toBe(0);
  });

  test("a label's value cannot break out of its quotes", () => {
    const metrics = createMetrics();
    metrics.count("things_total", { kind: 'a"} 1\nforged_total{x="\\' });
    const { samples } = parse(metrics.render());
    expect([...samples.keys()]).toEqual(['things_total{kind="a\\"} 1\\nforged_total{x=\\"\\\\"}']);
  });

  test("a label that comes from outside cannot fill the memory", () => {
    const metrics = createMetrics();
    for (let i = 0; i < 20_000; i++) metrics.count("things_total", { kind: i });
    expect(parse(metrics.render()).samples.size).toBe(5_000);
  });
});

describe("the metrics of several processes", () => {
  const createProcess = (level: number) => {
    const metrics = createMetrics();
    metrics.count("things_total", { kind: "a" }, level);
    metrics.time("work_seconds", {}, 0.002);
    metrics.gauge("connections", () => level, "sum");
    metrics.gauge("failing", () => [{ labels: { job: "x" }, value: level }], "max");
    metrics.gauge("memory", () => level, "each");
    metrics.gauge("delays", () => [{ labels: { of: "y" }, value: level }], "each");
    return structuredClone(metrics.read());
  };

  test("are added up, or have the highest value, or the label of their process", () => {
    const { samples } = parse(
      renderMetrics([
        { process: 1, snapshot: createProcess(3) },
        { process: 2, snapshot: createProcess(4) },
      ]),
    );
    expect(Object.fromEntries(samples)).toMatchObject({
      'things_total{kind="a"}': 7,
      'work_seconds_bucket{le="0.001"}': 0,
      'work_seconds_bucket{le="0.0025"}': 2,
      work_seconds_sum: 0.004,
      work_seconds_count: 2,
      connections: 7,
      'failing{job="x"}': 4,
      'memory{process="1"}': 3,
      'memory{process="2"}': 4,
      'delays{of="y",process="2"}': 4,
    });
    expect(samples.has("memory")).toBe(false);
  });

  test("keep what an ended process counted, without its gauges", () => {
    const ended = withoutGauges(mergeSnapshots([{ snapshot: createProcess(3) }]));
    const { samples } = parse(
      renderMetrics([{ snapshot: ended }, { process: 2, snapshot: createProcess(1) }]),
    );
    expect(samples.get('things_total{kind="a"}')).toBe(4);
    expect(samples.get("work_seconds_count")).toBe(2);
    expect(samples.get("connections")).toBe(1);
  });
});
