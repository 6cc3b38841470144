import { expect, test } from "vitest";
import { listItems } from "./items.ts";
import { toLogRecord } from "./logs.ts";
import { listPoints } from "./metrics.ts";

const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
const long = "x".repeat(1_000_000);
const timeUnixNano = String(BigInt(Date.now()) * 1_000_000n);

/** A small body becomes large when every item copies or hashes all of its resource and scope. */
test("items repeat little of their resource, scope and metric, however long these are", () => {
  const attributes = [
    text("service.name", long),
    text("signalbox.run_id", long),
    ...Array.from({ length: 100 }, (_, i) => text(`signalbox.${i}`, "y".repeat(200))),
    { key: "service.version", value: { arrayValue: { values: [{ stringValue: long }] } } },
    text("other", long),
  ];
  const scope = { name: long };
  const logs = listItems(
    "logs",
    {
      resourceLogs: [{ resource: { attributes }, scopeLogs: [{ scope, logRecords: [{ timeUnixNano }] }] }],
    },
    "mem_1",
  );
  const { item: _, ...repeated } = logs[0]!;
  expect(JSON.stringify(repeated).length).toBeLessThan(1_500);
  expect(JSON.stringify(toLogRecord(logs[0]!, true)).length).toBeLessThan(3_000);

  const gauge = { dataPoints: [{ timeUnixNano, asInt: "1" }] };
  const metrics = [{ name: long, unit: long, gauge }];
  const [metric] = listItems(
    "metrics",
    {
      resourceMetrics: [{ resource: { attributes }, scopeMetrics: [{ scope, metrics }] }],
    },
    "mem_1",
  );
  const { record } = listPoints(metric!, true)[0]!.translate();
  expect(JSON.stringify(record).length).toBeLessThan(3_000);
});

test("what is cut still tells items apart", () => {
  const createRecord = (other: string, scope: string) =>
    toLogRecord(
      listItems(
        "logs",
        {
          resourceLogs: [
            {
              resource: { attributes: [text("host.name", other)] },
              scopeLogs: [{ scope: { name: scope }, logRecords: [{ timeUnixNano }] }],
            },
          ],
        },
        "mem_1",
      )[0]!,
      false,
    ).eventId;
  const ids = [
    createRecord(long, long),
    createRecord(long, long),
    createRecord(`${long}a`, long),
    createRecord(long, `${long}a`),
  ];
  expect(ids[0]).toBe(ids[1]);
  expect(new Set(ids).size).toBe(3);
});

test("the body of a log record is its type only when it is a name", () => {
  const findType = (stringValue: string) => {
    const logRecords = [{ timeUnixNano, body: { stringValue } }];
    const [item] = listItems("logs", { resourceLogs: [{ scopeLogs: [{ logRecords }] }] }, "mem_1");
    return toLogRecord(item!, false).type;
  };
  expect(findType("claude_code.user_prompt")).toBe("claude_code.user_prompt");
  expect(findType("claude_code.py is the file that I mean")).toBe("log");
});

test("resources, scopes and their values are counted, also when they are empty", () => {
  const list = (resourceSpans: readonly unknown[]) => listItems("traces", { resourceSpans }, "mem_1");
  const fill = <Value>(count: number, value: Value) => Array.from({ length: count }, () => value);
  const resource = { attributes: fill(50, text("service.name", "a")) };
  expect(list(fill(1_000, { resource, scopeSpans: [{ spans: [{}] }] }))).toHaveLength(1_000);
  for (const [request, what] of [
    [fill(10_001, {}), "10000 resources and scopes"],
    [[{ scopeSpans: fill(10_000, {}) }], "10000 resources and scopes"],
    [fill(1_001, { resource }), "100000 values in attributes of resources"],
  ] as const)
    expect(() => list(request)).toThrow(`The request has more than ${what}. Send smaller batches.`);
});

test("the data points of a metric are counted before one of them is read", () => {
  const metrics = [{ name: "a", gauge: { dataPoints: Array.from({ length: 10_001 }, () => ({})) } }];
  const [metric] = listItems("metrics", { resourceMetrics: [{ scopeMetrics: [{ metrics }] }] }, "mem_1");
  expect(() => listPoints(metric!, true)).toThrow("more than 10000 data points");
});
