/** Prometheus text, and no more of it than we need. Labels are few and never name an organization. */
export interface Metrics {
  count(name: string, labels?: Labels, by?: number): void;
  /** Seconds, into a histogram. */
  time(name: string, labels: Labels, seconds: number): void;
  /** Read when asked for. */
  gauge(name: string, read: () => number): void;
  render(): string;
}

type Labels = Record<string, string | number>;

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface Histogram {
  counts: number[];
  sum: number;
  total: number;
}

export function createMetrics(): Metrics {
  const counters = new Map<string, Map<string, number>>();
  const histograms = new Map<string, Map<string, Histogram>>();
  const gauges = new Map<string, () => number>();
  return {
    count(name, labels = {}, by = 1) {
      const series = seriesOf(counters, name);
      const key = write(labels);
      series.set(key, (series.get(key) ?? 0) + by);
    },
    time(name, labels, seconds) {
      const series = seriesOf(histograms, name);
      const key = write(labels);
      const histogram = series.get(key) ?? { counts: buckets.map(() => 0), sum: 0, total: 0 };
      series.set(key, histogram);
      const at = buckets.findIndex((bound) => seconds <= bound);
      if (at >= 0) histogram.counts[at]!++;
      histogram.sum += seconds;
      histogram.total++;
    },
    gauge: (name, read) => void gauges.set(name, read),
    render() {
      const lines: string[] = [];
      for (const [name, series] of counters) {
        lines.push(`# TYPE ${name} counter`);
        for (const [labels, value] of series) lines.push(`${name}${braces(labels)} ${value}`);
      }
      for (const [name, series] of histograms) {
        lines.push(`# TYPE ${name} histogram`);
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
      for (const [name, read] of gauges) lines.push(`# TYPE ${name} gauge`, `${name} ${read()}`);
      return `${lines.join("\n")}\n`;
    },
  };
}

function seriesOf<T>(all: Map<string, Map<string, T>>, name: string): Map<string, T> {
  const series = all.get(name) ?? new Map<string, T>();
  all.set(name, series);
  return series;
}

const write = (labels: Labels) =>
  Object.entries(labels)
    .map(
      ([name, value]) =>
        `${name}="${String(value).replace(/[\\"\n]/g, (c) => (c === "\n" ? "\\n" : `\\${c}`))}"`,
    )
    .join(",");

const braces = (...labels: string[]) => {
  const inside = labels.filter(Boolean).join(",");
  return inside ? `{${inside}}` : "";
};
