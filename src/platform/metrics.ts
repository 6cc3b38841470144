/** Prometheus text, and no more of it than we need. Labels are few and never name an organization. */
export interface Metrics {
  count(name: string, labels?: Labels, by?: number): void;
  /** Seconds, into a histogram. */
  time(name: string, labels: Labels, seconds: number): void;
  /** Returns a timer for one series that is used often, so that the series is looked up once. */
  timer(name: string, labels: Labels): (seconds: number) => void;
  /** Read when asked for. */
  gauge(name: string, read: () => number | readonly Sample[]): void;
  /** What a metric means, for whoever finds it on a dashboard. */
  describe(name: string, help: string): void;
  render(): string;
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
  const gauges = new Map<string, () => number | readonly Sample[]>();
  const helps = new Map<string, string>([
    ["http_request_duration_seconds", "Requests by operation and status, and how long they took."],
    ["job_duration_seconds", "Runs of jobs by outcome, and how long they took."],
    ["process_resident_memory_bytes", "Memory of this process that is in RAM."],
    ["process_uptime_seconds", "How long this process has been running."],
    ["trace_spans_exported_total", "Spans that the collector took."],
    ["trace_spans_dropped_total", "Spans that never reached the collector."],
  ]);
  const timer = (name: string, labels: Labels) => {
    const histogram = findSeries(histograms, name, labels, () => ({
      counts: buckets.map(() => 0),
      sum: 0,
      total: 0,
    }));
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
    gauge: (name, read) => void gauges.set(name, read),
    describe: (name, help) => void helps.set(name, help),
    render() {
      const lines: string[] = [];
      const head = (name: string, type: string) => {
        const help = helps.get(name);
        if (help)
          lines.push(`# HELP ${name} ${help.replace(/[\\\n]/g, (c) => (c === "\n" ? "\\n" : "\\\\"))}`);
        lines.push(`# TYPE ${name} ${type}`);
      };
      for (const [name, series] of counters) {
        head(name, "counter");
        for (const [labels, { value }] of series) lines.push(`${name}${braces(labels)} ${value}`);
      }
      for (const [name, series] of histograms) {
        head(name, "histogram");
        for (const [labels, { counts, sum, total }] of series) {
          let cumulated = 0;
          for (const [i, bound] of buckets.entries()) {
            cumulated += counts[i]!;
            lines.push(`${name}_bucket${braces(labels, `le="${bound}"`)} ${cumulated}`);
          }
          lines.push(`${name}_bucket${braces(labels, 'le="+Inf"')} ${total}`);
          lines.push(`${name}_sum${braces(labels)} ${sum}`, `${name}_count${braces(labels)} ${total}`);
        }
      }
      for (const [name, read] of gauges) {
        head(name, "gauge");
        const now = read();
        const samples = typeof now === "number" ? [{ labels: {}, value: now }] : now;
        for (const { labels, value } of samples) lines.push(`${name}${braces(write(labels))} ${value}`);
      }
      return `${lines.join("\n")}\n`;
    },
  };
}

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
