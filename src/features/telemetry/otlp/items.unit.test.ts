import { expect, test } from "vitest";
import { createPace, createThreadTurns } from "../../../platform/thread-turns.ts";
import { listItems } from "./items.ts";
import { toLogRecord } from "./logs.ts";
import { listPoints } from "./metrics.ts";

const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
const long = "x".repeat(1_000_000);
const timeUnixNano = String(BigInt(Date.now()) * 1_000_000n);

/** A small body becomes large when every item copies or hashes all of its resource and scope. */
test("items repeat little of their resource, scope and metric, however long these are", async () => {
  const attributes = [
    text("service.name", long),
    text("signalbox.run_id", long),
    ...Array.from({ length: 100 }, (_, i) => text(`signalbox.${i}`, "y".repeat(200))),
    { key: "service.version", value: { arrayValue: { values: [{ stringValue: long }] } } },
    text("other", long),
  ];
  const scope = { name: long };
  const logs = await listItems(
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
  const [metric] = await listItems(
    "metrics",
    {
      resourceMetrics: [{ resource: { attributes }, scopeMetrics: [{ scope, metrics }] }],
    },
    "mem_1",
  );
  const { record } = listPoints(metric!, true)[0]!.translate();
  expect(JSON.stringify(record).length).toBeLessThan(3_000);
});

test("what is cut still tells items apart", async () => {
  const createRecord = async (other: string, scope: string) =>
    toLogRecord(
      (
        await listItems(
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
        )
      )[0]!,
      false,
    ).eventId;
  const ids = [
    await createRecord(long, long),
    await createRecord(long, long),
    await createRecord(`${long}a`, long),
    await createRecord(long, `${long}a`),
  ];
  expect(ids[0]).toBe(ids[1]);
  expect(new Set(ids).size).toBe(3);
});

test("the body of a log record is its type only when it is a name", async () => {
  const findType = async (stringValue: string) => {
    const logRecords = [{ timeUnixNano, body: { stringValue } }];
    const [item] = await listItems("logs", { resourceLogs: [{ scopeLogs: [{ logRecords }] }] }, "mem_1");
    return toLogRecord(item!, false).type;
  };
  expect(await findType("claude_code.user_prompt")).toBe("claude_code.user_prompt");
  expect(await findType("claude_code.py is the file that I mean")).toBe("log");
});

const fill = <Value>(count: number, value: Value) => Array.from({ length: count }, () => value);

test("resources, scopes and their values are counted, also when they are empty", async () => {
  const list = (resourceSpans: readonly unknown[]) => listItems("traces", { resourceSpans }, "mem_1");
  const refuse = (request: readonly unknown[], what: string) =>
    expect(list(request)).rejects.toThrow(`The request has more than ${what}. Send smaller batches.`);
  await refuse(fill(20_001, {}), "20000 resources and scopes");
  await refuse([{ scopeSpans: fill(20_000, {}) }], "20000 resources and scopes");
  const attributes = fill(10_001, text("service.name", "a"));
  await refuse([{ resource: { attributes } }], "20000 values in attributes of a resource");
});

test("each item of a full batch may have a resource and a scope of its own", async () => {
  const resource = { attributes: fill(20, text("service.name", "a")) };
  const resourceSpans = fill(8_192, { resource, scopeSpans: [{ spans: [{}] }] });
  const order: string[] = [];
  const pace = createPace(createThreadTurns(), "a");
  const listing = listItems("traces", { resourceSpans }, "mem_1", pace);
  setImmediate(() => order.push("another request"));
  expect(await listing).toHaveLength(8_192);
  order.push("listed");
  expect(order).toEqual(["another request", "listed"]);
});

test("the data points of a metric are counted before one of them is read", async () => {
  const metrics = [{ name: "a", gauge: { dataPoints: Array.from({ length: 10_001 }, () => ({})) } }];
  const [metric] = await listItems(
    "metrics",
    { resourceMetrics: [{ scopeMetrics: [{ metrics }] }] },
    "mem_1",
  );
  expect(() => listPoints(metric!, true)).toThrow("more than 10000 data points");
});
