import { expect, test } from "vitest";
import { createPace, createThreadTurns } from "../../../platform/thread-turns.ts";
import { Rejection } from "./rejection.ts";
import { createSpanTranslation } from "./spans.ts";
import { translateAll } from "./translate.ts";
import { countValues } from "./values.ts";

const attributes = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ key: `name.${i}`, value: { stringValue: "text" } }));

test("a request that arrives while many spans are translated is answered before they are done", async () => {
  const order: string[] = [];
  const spans = Array.from({ length: 500 }, (_, i) => ({ reads: [attributes(50)], translate: () => i }));
  const translating = translateAll(spans, createPace(createThreadTurns(), "a"));
  setImmediate(() => order.push("another request"));
  const { results } = await translating;
  order.push("translated");
  expect(order).toEqual(["another request", "translated"]);
  expect(results).toEqual(spans.map((_, i) => i));
});

test("an item with more values than any sender has is rejected, and the others are translated", async () => {
  const { results, report } = await translateAll(
    [
      { reads: [attributes(10_001)], translate: () => "too many" },
      // Lists inside of values count too, also empty ones.
      {
        reads: [undefined, { arrayValue: { values: Array.from({ length: 20_000 }, () => ({})) } }],
        translate: () => "nested",
      },
      { reads: [attributes(512)], translate: () => "fine" },
      {
        reads: [],
        translate: () => {
          throw new Rejection("It has no name.");
        },
      },
    ],
    createPace(createThreadTurns(), "a"),
  );
  expect(results).toEqual(["fine"]);
  expect(report).toEqual({
    rejected: 3,
    message: "An item has more than 20000 values in its attributes and body.",
  });
});

const numbers = (key: string, count: number) => ({
  key,
  value: { arrayValue: { values: Array.from({ length: count }, () => ({ doubleValue: 0.5 })) } },
});

test("a span with the vectors of many embeddings keeps its tokens, and its lists are left out", async () => {
  const item = {
    ...{ traceId: "5b8efff798038103d269b633813fc60c", spanId: "eee19b7ec3c1b174", name: "CreateEmbeddings" },
    startTimeUnixNano: String(BigInt(Date.now()) * 1_000_000n),
    attributes: [
      { key: "openinference.span.kind", value: { stringValue: "EMBEDDING" } },
      ...Array.from({ length: 100 }, (_, i) => numbers(`embedding.embeddings.${i}.embedding.vector`, 1_536)),
      numbers("short.list", 2),
      { key: "embedding.model_name", value: { stringValue: "text-embedding-3-small" } },
      { key: "llm.token_count.prompt", value: { intValue: "12000" } },
    ],
  };
  const translation = createSpanTranslation({ resource: {}, origin: "", scope: "", item }, true);
  const { results, report } = await translateAll([translation], createPace(createThreadTurns(), "a"));
  expect(report).toEqual({ rejected: 0, message: undefined });
  expect(results).toMatchObject([
    {
      type: "embedding",
      model: "text-embedding-3-small",
      inputTokens: 12_000,
      eventId: `${item.traceId}:${item.spanId}`,
    },
  ]);
  expect(Object.keys(results[0]!.attributes!)).toEqual(["openinference.span.kind"]);
});

test("values are counted up to the limit, and no further", () => {
  const next = () => {
    throw new Error("counted too far");
  };
  const endless = (...first: unknown[]) => Object.defineProperty([...first, 0], first.length, { get: next });
  expect(countValues([1, ["text", {}], { a: null }], 100)).toBe(4);
  expect(countValues(endless(1, [2, 3]), 2)).toBe(3);
  expect(countValues([endless(1, 2, 3), endless()], 2)).toBe(3);
  expect(() => countValues(endless(1, 2), 2)).toThrow("counted too far");
});
