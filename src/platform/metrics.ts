/** Prometheus text, and no more of it than we need. Labels are few and never name an organization. */
export interface Metrics {
  count(name: string, labels?: Labels, by?: number): void;
  /** Seconds, into a histogram. */
  time(name: string, labels: Labels, seconds: number): void;
  /** Returns a timer for one series that is used often, so that the series is looked up once. */
  timer(name: string, labels: Labels): (seconds: number) => void;
  /** Read when asked for. `across` says how the values of several processes become one set. */
  gauge(name: string, read: () => number | readonly Sample[], across: Across): void;
  /** What a metric means, for whoever finds it on a dashboard. */
  describe(name: string, help: string): void;
  /** The values at this moment, to be sent to another process. */
  read(): Snapshot;
  render(): string;
}

/** Processes are added up, or the highest value counts, or each has its own, with the label `process`. */
export type Across = "sum" | "max" | "each";

/** The metrics of one process, with labels as text. It survives a message between processes. */
export interface Snapshot {
  helps: Record<string, string>;
  counters: Record<string, Record<string, number>>;
  histograms: Record<string, Record<string, Histogram>>;
  gauges: Record<string, { across: Across; values: Record<string, number> }>;
}

type Labels = Record<string, string | number>;

interface Sample {
  labels: Labels;
  value: number;
}

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface Histogram {
  counts: number[];
  sum: number;
  total: number;
}

/**
 * Labels come from fixed lists: operations, job names, statuses. Should one ever come from a request, this
 * keeps it from filling our memory and Prometheus's.
 */
const maxSeries = 5_000;

export function createMetrics(): Metrics {
  const counters = new Map<string, Map<string, { value: number }>>();
  const histograms = new Map<string, Map<string, Histogram>>();
  const gauges = new Map<string, { read: () => number | readonly Sample[]; across: Across }>();
  const helps = new Map<string, string>([
    ["http_request_duration_seconds", "Requests by operation and status, and how long they took."],
    ["job_duration_seconds", "Runs of jobs by outcome, and how long they took."],
    ["process_resident_memory_bytes", "Memory of this process that is in RAM."],
    ["process_uptime_seconds", "How long this process has been running."],
    ["trace_spans_exported_total", "Spans that the collector took."],
    ["trace_spans_dropped_total", "Spans that never reached the collector."],
  ]);
  const timer = (name: string, labels: Labels) => {
    const histogram = findSeries(histograms, name, labels, emptyHistogram);
    return (seconds: number) => {
      if (!histogram) return;
      let at = 0;
      while (at < buckets.length && seconds > buckets[at]!) at++;
      if (at < buckets.length) histogram.counts[at]!++;
      histogram.sum += seconds;
      histogram.total++;
    };
  };
  return {
    count(name, labels = {}, by = 1) {
      const counter = findSeries(counters, name, labels, () => ({ value: 0 }));
      if (counter) counter.value += by;
    },
    time: (name, labels, seconds) => timer(name, labels)(seconds),
    timer,
    gauge: (name, read, across) => void gauges.set(name, { read, across }),
    describe: (name, help) => void helps.set(name, help),
    read,
    render: () => renderMetrics([{ snapshot: read() }]),
  };

  function read(): Snapshot {
    return {
      helps: Object.fromEntries(helps),
      counters: toRecord(counters, ({ value }) => value),
      histograms: toRecord(histograms, (histogram) => histogram),
      gauges: Object.fromEntries(
        [...gauges].map(([name, { read, across }]) => {
          const now = read();
          const samples = typeof now === "number" ? [{ labels: {}, value: now }] : now;
          const values = Object.fromEntries(samples.map(({ labels, value }) => [write(labels), value]));
          return [name, { across, values }];
        }),
      ),
    };
  }
}

const toRecord = <T, Value>(all: Map<string, Map<string, T>>, value: (one: T) => Value) =>
  Object.fromEntries(
    [...all].map(([name, series]) => [
      name,
      Object.fromEntries([...series].map(([labels, one]) => [labels, value(one)])),
    ]),
  );

/** What a process counted. `process` names it where there are several. */
export interface ProcessSnapshot {
  process?: number;
  snapshot: Snapshot;
}

/** Renders the metrics of several processes as one set. */
export function renderMetrics(parts: readonly ProcessSnapshot[]): string {
  const { helps, counters, histograms, gauges } = mergeSnapshots(parts);
  const lines: string[] = [];
  const head = (name: string, type: string) => {
    const help = helps[name];
    if (help) lines.push(`# HELP ${name} ${help.replace(/[\\\n]/g, (c) => (c === "\n" ? "\\n" : "\\\\"))}`);
    lines.push(`# TYPE ${name} ${type}`);
  };
  for (const [name, series] of Object.entries(counters)) {
    head(name, "counter");
    for (const [labels, value] of Object.entries(series)) lines.push(`${name}${braces(labels)} ${value}`);
  }
  for (const [name, series] of Object.entries(histograms)) {
    head(name, "histogram");
    for (const [labels, { counts, sum, total }] of Object.entries(series)) {
      let cumulated = 0;
      for (const [i, bound] of buckets.entries()) {
        cumulated += counts[i]!;
        lines.push(`${name}_bucket${braces(labels, `le="${bound}"`)} ${cumulated}`);
      }
      lines.push(`${name}_bucket${braces(labels, 'le="+Inf"')} ${total}`);
      lines.push(`${name}_sum${braces(labels)} ${sum}`, `${name}_count${braces(labels)} ${total}`);
    }
  }
  for (const [name, { values }] of Object.entries(gauges)) {
    head(name, "gauge");
    for (const [labels, value] of Object.entries(values)) lines.push(`${name}${braces(labels)} ${value}`);
  }
  return `${lines.join("\n")}\n`;
}

/** Merges the metrics of several processes. Gauges that are `each` get the label of their process. */
export function mergeSnapshots(parts: readonly ProcessSnapshot[]): Snapshot {
  const merged: Snapshot = { helps: {}, counters: {}, histograms: {}, gauges: {} };
  for (const { process, snapshot } of parts) {
    Object.assign(merged.helps, snapshot.helps);
    for (const [name, series] of Object.entries(snapshot.counters)) {
      merged.counters[name] ??= {};
      const into = merged.counters[name];
      for (const [labels, value] of Object.entries(series)) into[labels] = (into[labels] ?? 0) + value;
    }
    for (const [name, series] of Object.entries(snapshot.histograms)) {
      merged.histograms[name] ??= {};
      const into = merged.histograms[name];
      for (const [labels, one] of Object.entries(series))
        into[labels] = addHistograms(into[labels] ?? emptyHistogram(), one);
    }
    for (const [name, { across, values }] of Object.entries(snapshot.gauges)) {
      merged.gauges[name] ??= { across, values: {} };
      const into = merged.gauges[name].values;
      for (const [given, value] of Object.entries(values)) {
        const labels =
          across === "each" && process !== undefined ? `${given}${given && ","}process="${process}"` : given;
        const before = into[labels];
        if (before === undefined) into[labels] = value;
        else into[labels] = across === "sum" ? before + value : Math.max(before, value);
      }
    }
  }
  return merged;
}

/** What remains of a process that has ended: what it counted. */
export const withoutGauges = (snapshot: Snapshot): Snapshot => ({ ...snapshot, gauges: {} });

const emptyHistogram = (): Histogram => ({ counts: buckets.map(() => 0), sum: 0, total: 0 });

const addHistograms = (a: Histogram, b: Histogram): Histogram => ({
  counts: a.counts.map((count, i) => count + b.counts[i]!),
  sum: a.sum + b.sum,
  total: a.total + b.total,
});

function findSeries<T>(
  all: Map<string, Map<string, T>>,
  name: string,
  labels: Labels,
  make: () => T,
): T | undefined {
  let series = all.get(name);
  if (!series) {
    series = new Map();
    all.set(name, series);
  }
  const key = write(labels);
  let one = series.get(key);
  if (one === undefined && series.size < maxSeries) {
    one = make();
    series.set(key, one);
  }
  return one;
}

function write(labels: Labels): string {
  let text = "";
  for (const name in labels) text += `${text && ","}${name}="${escapeLabel(String(labels[name]))}"`;
  return text;
}

const escapeLabel = (value: string) =>
  /[\\"\n]/.test(value) ? value.replace(/[\\"\n]/g, (c) => (c === "\n" ? "\\n" : `\\${c}`)) : value;

const braces = (...labels: string[]) => {
  const inside = labels.filter(Boolean).join(",");
  return inside ? `{${inside}}` : "";
};
