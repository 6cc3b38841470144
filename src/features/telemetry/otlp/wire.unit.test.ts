import { type HrTime, SpanKind, SpanStatusCode } from "@opentelemetry/api";
import { JsonTraceSerializer, ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer";
import { resourceFromAttributes } from "@opentelemetry/resources";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Refusal } from "../../../platform/errors.ts";
import { parseBody } from "./body.ts";
import { listItems } from "./items.ts";
import { toLogRecord } from "./logs.ts";
import { otlpSignals } from "./messages.ts";
import { listPoints } from "./metrics.ts";
import { encodeProtobufReply } from "./protocol.ts";
import { Rejection } from "./rejection.ts";
import { toSpanRecord } from "./spans.ts";
import { decodeMessage, WireError } from "./wire.ts";

const { request } = otlpSignals.traces;

const hexId = (bytes: number) =>
  fc
    .uint8Array({ minLength: bytes, maxLength: bytes })
    .filter((id) => id.some((byte) => byte > 0))
    .map((id) => Buffer.from(id).toString("hex"));

const attributeValue = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.boolean(),
  fc.maxSafeInteger(),
  // The JSON encoder writes larger whole numbers as integers that do not fit 64 bits.
  fc.double({ noNaN: true, min: -1e15, max: 1e15 }),
  fc.array(fc.string(), { maxLength: 4 }),
);

/** A time as the SDK has it: seconds and nanoseconds. */
const time = fc.tuple(fc.integer({ min: 1, max: 4e9 }), fc.integer({ min: 0, max: 999_999_999 }));

const attributes = fc.dictionary(fc.string({ minLength: 1, maxLength: 20 }), attributeValue, { maxKeys: 8 });

const span = fc
  .record({
    name: fc.string({ unit: "grapheme" }),
    traceId: hexId(16),
    spanId: hexId(8),
    parent: fc.option(hexId(8), { nil: undefined }),
    start: time,
    end: time,
    attributes,
    resource: attributes,
    failed: fc.boolean(),
  })
  .map(
    ({ name, traceId, spanId, parent, start, end, attributes, resource, failed }) =>
      ({
        name,
        kind: SpanKind.CLIENT,
        spanContext: () => ({ traceId, spanId, traceFlags: 1 }),
        ...(parent ? { parentSpanContext: { traceId, spanId: parent, traceFlags: 1 } } : {}),
        startTime: start as HrTime,
        endTime: end as HrTime,
        status: { code: failed ? SpanStatusCode.ERROR : SpanStatusCode.UNSET, message: "why" },
        attributes,
        links: [{ context: { traceId, spanId, traceFlags: 1 }, attributes: {} }],
        events: [{ name: "event", time: start as HrTime, attributes: { a: 1 }, droppedAttributesCount: 0 }],
        duration: [0, 0] as HrTime,
        ended: true,
        resource: resourceFromAttributes(resource),
        instrumentationScope: { name: "scope", version: "1" },
        droppedAttributesCount: 0,
        droppedEventsCount: 0,
        droppedLinksCount: 0,
      }) as ReadableSpan,
  );

test("protobuf and JSON of the official encoder become the same records", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(span, { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      async (spans, keepsContents) => {
        const fromProtobuf = await listItems(
          "traces",
          decodeMessage(request, ProtobufTraceSerializer.serializeRequest(spans)!),
          "mem_1",
        );
        const json = JSON.parse(Buffer.from(JsonTraceSerializer.serializeRequest(spans)!).toString());
        const records = fromProtobuf.map((item) => toSpanRecord(item, keepsContents));
        expect(records).toEqual(
          (await listItems("traces", json, "mem_1")).map((item) => toSpanRecord(item, keepsContents)),
        );
        const ids = records.map(({ eventId }) => eventId).sort();
        expect(ids).toEqual(
          spans.map((one) => `${one.spanContext().traceId}:${one.spanContext().spanId}`).sort(),
        );
      },
    ),
    { numRuns: 200 },
  );
});

test("bytes that are not a message are refused, and never end the process", async () => {
  const decode = async (bytes: Uint8Array) => {
    try {
      await listItems("traces", decodeMessage(request, bytes), "mem_1");
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
    }
  };
  await fc.assert(fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), decode), { numRuns: 2_000 });
  // Genuine messages with a few wrong bytes go deeper.
  await fc.assert(
    fc.asyncProperty(
      span,
      fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 5 }),
      fc.nat(),
      async (one, changes, end) => {
        const bytes = Uint8Array.from(ProtobufTraceSerializer.serializeRequest([one])!);
        for (const [at, byte] of changes) bytes[at % bytes.length] = byte;
        await decode(bytes.subarray(0, end % (bytes.length + 1)));
      },
    ),
    { numRuns: 500 },
  );
});

test("whatever JSON has where, items are translated or rejected", async () => {
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom("1", "-1", 1e300, "NaN", "", "a".repeat(300)),
  );
  const attributes = fc.array(
    fc.record({
      key: value,
      value: fc.record({ stringValue: value, intValue: value, arrayValue: value }, { requiredKeys: [] }),
    }),
    { maxLength: 3 },
  );
  const point = fc.record(
    {
      ...{ asInt: value, asDouble: value, sum: value, flags: value, attributes },
      ...{ startTimeUnixNano: value, timeUnixNano: fc.oneof(value, fc.constant("1700000000000000000")) },
    },
    { requiredKeys: [] },
  );
  const data = fc.record(
    {
      dataPoints: fc.oneof(value, fc.array(point, { maxLength: 3 })),
      aggregationTemporality: fc.constantFrom(0, 1, 2, "2", null),
    },
    { requiredKeys: [] },
  );
  const item = fc.record(
    {
      ...{
        traceId: value,
        spanId: value,
        name: value,
        status: value,
        attributes: fc.oneof(value, attributes),
      },
      ...{
        startTimeUnixNano: value,
        timeUnixNano: fc.oneof(value, fc.constant("1700000000000000000")),
        body: value,
      },
      ...{ sum: fc.oneof(value, data), gauge: fc.oneof(value, data), histogram: fc.oneof(value, data) },
    },
    { requiredKeys: [] },
  );
  const translate = async (work: () => unknown) => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Rejection || error instanceof Refusal) return undefined;
      throw error;
    }
  };
  await fc.assert(
    fc.asyncProperty(fc.oneof(value, item), value, fc.boolean(), async (one, origin, keepsContents) => {
      for (const signal of ["traces", "logs", "metrics"] as const) {
        const [resources, scopes, items] = otlpSignals[signal].names;
        const request = {
          [resources]: [{ resource: origin, [scopes]: [{ scope: origin, [items]: [one] }] }],
        };
        for (const found of await listItems(signal, request, "mem_1")) {
          await translate(() => toSpanRecord(found, keepsContents));
          await translate(() => toLogRecord(found, keepsContents));
          for (const read of listPoints(found, keepsContents))
            await translate(() => {
              const { record, point } = read.translate();
              return record ?? point?.toRecord(1);
            });
        }
        await translate(() => listItems(signal, { [resources]: one }, "mem_1"));
      }
    }),
    { numRuns: 1_000 },
  );
});

test("deep and wide messages are refused", () => {
  // A value in a list in a value, and so on.
  let value = new Uint8Array(0);
  for (let depth = 0; depth < 100; depth++) {
    const list = Uint8Array.from([0x0a, value.length, ...value]);
    if (list.length > 120) break;
    value = Uint8Array.from([0x2a, list.length, ...list]);
  }
  const wrap = (tag: number, inner: Uint8Array) => Uint8Array.from([tag, inner.length, ...inner]);
  const deep = wrap(0x0a, wrap(0x0a, wrap(0x0a, wrap(0x12, value.slice(0)))));
  expect(() => decodeMessage(request, deep)).toThrow(/nested/);
  const wide = Buffer.alloc(500_000);
  for (let i = 0; i < wide.length; i += 2) wide[i] = 0x0a;
  expect(() => decodeMessage(request, wide)).toThrow(/messages/);
});

test("JSON that is nested deeper than 100 is refused before it is parsed", async () => {
  const parse = (levels: number) =>
    parseBody("traces", Buffer.from(`{"extra":${"[".repeat(levels)}${"]".repeat(levels)}}`), {
      "content-type": "application/json",
    });
  await expect(parse(99)).resolves.toMatchObject({});
  for (const levels of [100, 1_000_000])
    await expect(parse(levels)).rejects.toMatchObject({
      body: { details: [{ message: "The body is nested more than 100 deep." }] },
    });
});

test("replies are read by the official decoder", () => {
  const partial = { partialSuccess: { rejectedSpans: "300", errorMessage: "Zu spät" } };
  expect(ProtobufTraceSerializer.deserializeResponse(encodeProtobufReply(partial))).toMatchObject({
    partialSuccess: { rejectedSpans: 300, errorMessage: "Zu spät" },
  });
  expect(encodeProtobufReply({})).toHaveLength(0);
  expect([...encodeProtobufReply({ code: 3, message: "a" })]).toEqual([8, 3, 18, 1, 97]);
});
