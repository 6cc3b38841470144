import { computeDigest } from "../digest.ts";
import { isUsageMetric, mapFields, readMetricUsage } from "../mapping/index.ts";
import type { CumulativePoint } from "../points/index.ts";
import type { Attributes, TelemetryRecord } from "../record.ts";
import { checkCount, cutRepeated, type Item } from "./items.ts";
import { Rejection } from "./rejection.ts";
import type { Translation } from "./translate.ts";
import { toAttributes, toInteger, toList, toMilliseconds, toNumber, toObject, toText } from "./values.ts";
import type { Message } from "./wire.ts";

const delta = 1;
const cumulative = 2;

export interface MetricPoint {
  /** The event, for a point that adds its whole value. */
  record?: TelemetryRecord;
  point?: CumulativePoint;
}

/** Lists the translations of the data points of a metric. */
export function listPoints(
  { resource, origin, item }: Item,
  keepsContents: boolean,
): Translation<MetricPoint>[] {
  const name = toText(item.name);
  const { kind, data } = findData(item);
  const unit = toText(item.unit);
  // Computed once, because a long name could have many points.
  const metricDigest = computeDigest({ name, unit, kind: kind ?? null, origin });
  const temporality = toNumber(data.aggregationTemporality);
  const translate = (point: Message): MetricPoint => {
    if (!name) throw new Rejection("A metric has no name.");
    if (kind === undefined || kind === "summary")
      throw new Rejection("Metrics of the type summary, or without data, are not supported.");
    const { nanos, at } = readTime(point);
    const startedNanos = readStart(point);
    const value = readValue(point);
    const attributes = toAttributes(point.attributes);
    // Usage only grows, whatever the sender says: otherwise a point could take tokens and cost off the sums.
    const isMonotonic = kind !== "sum" || data.isMonotonic === true || isUsageMetric(name);
    // The values of a gauge cannot be added.
    const isGauge = kind === "gauge";
    if (!isGauge && value < 0 && isMonotonic && (kind === "sum" || isUsageMetric(name)))
      throw new Rejection("The value of a counter is negative.");
    if (!isGauge && temporality !== delta && temporality !== cumulative)
      throw new Rejection("A metric has no aggregation temporality. Send delta or cumulative points.");
    const stored = isGauge ? { ...attributes, "metric.value": value } : attributes;
    const mapped = mapFields(
      { signal: "metric", name, attributes: { ...resource, ...withUnit(stored, unit) } },
      keepsContents,
    );
    const series = computeDigest([metricDigest, attributes]);
    const toRecord = (added: number | null, suffix = ""): TelemetryRecord => {
      const digest = computeDigest([series, String(startedNanos), String(nanos), suffix]);
      return {
        ...mapped,
        ...(added === null ? {} : readMetricUsage(name, attributes, added)),
        ...{ signal: "metric", eventId: digest, digest, at, value: added },
      };
    };
    if (isGauge) return { record: toRecord(null) };
    if (temporality === delta) return { record: toRecord(value) };
    return { point: { series, startedNanos, nanos, value, isMonotonic, toRecord } };
  };
  const points = toList(data.dataPoints);
  checkCount(points.length, "data points");
  return points.map(toObject).map((point) => ({
    reads: [point.attributes],
    translate: () => translate(point),
  }));
}

type Kind = "gauge" | "sum" | "histogram" | "exponentialHistogram" | "summary";
const kinds: readonly Kind[] = ["sum", "gauge", "histogram", "exponentialHistogram", "summary"];

function findData(item: Message): { kind: Kind | undefined; data: Message } {
  const kind = kinds.find((one) => typeof item[one] === "object" && item[one] !== null);
  return { kind, data: kind ? toObject(item[kind]) : {} };
}

/** A point without a value says that the sender has none. */
const noRecordedValue = 1;

function readValue(point: Message): number {
  const value = toNumber(point.asInt) ?? toNumber(point.asDouble) ?? toNumber(point.sum);
  if (((toNumber(point.flags) ?? 0) & noRecordedValue) !== 0 || value === undefined)
    throw new Rejection("A data point has no value.");
  if (Math.abs(value) > maxValue) throw new Rejection("The value of a data point is too large.");
  return value;
}

const maxValue = 1e15;

function readTime(point: Message): { nanos: bigint; at: number } {
  const nanos = toInteger(point.timeUnixNano);
  const at = toMilliseconds(nanos);
  if (nanos === undefined || at === undefined) throw new Rejection("A data point has no valid time.");
  return { nanos, at };
}

const maxNanos = 2n ** 63n - 1n;

/** When the counting began; 0 when the sender does not say. */
function readStart(point: Message): bigint {
  const nanos = toInteger(point.startTimeUnixNano) ?? 0n;
  if (nanos < 0n || nanos > maxNanos) throw new Rejection("A data point has no valid start time.");
  return nanos;
}

const withUnit = (attributes: Attributes, unit: string): Attributes =>
  unit ? { ...attributes, "metric.unit": cutRepeated(unit) } : attributes;
