import { expect, test } from "vitest";
import { listItems } from "./items.ts";
import { listPoints } from "./metrics.ts";

const timeUnixNano = String(BigInt(Date.now()) * 1_000_000n);

async function readPoint(name: string, kind: "sum" | "histogram", data: object, point: object) {
  const metric = { name, [kind]: { ...data, dataPoints: [{ timeUnixNano, ...point }] } };
  const [item] = await listItems(
    "metrics",
    { resourceMetrics: [{ scopeMetrics: [{ metrics: [metric] }] }] },
    "mem_1",
  );
  return listPoints(item!, false)[0]!.translate();
}

test.each([1, 2])(
  "no point takes usage off the sums, with temporality %i",
  async (aggregationTemporality) => {
    const refusal = "The value of a counter is negative.";
    for (const name of ["claude_code.token.usage", "claude_code.cost.usage"]) {
      const data = { aggregationTemporality, isMonotonic: false };
      await expect(readPoint(name, "sum", data, { asInt: "-5" })).rejects.toThrow(refusal);
      await expect(readPoint(name, "histogram", data, { sum: -0.5 })).rejects.toThrow(refusal);
    }
    const monotonic = { aggregationTemporality, isMonotonic: true };
    await expect(readPoint("requests", "sum", monotonic, { asInt: "-5" })).rejects.toThrow(refusal);
  },
);

test("a smaller value of a usage counter is a new start, also when it is not called monotonic", async () => {
  const data = { aggregationTemporality: 2, isMonotonic: false };
  expect((await readPoint("claude_code.cost.usage", "sum", data, { asInt: "5" })).point?.isMonotonic).toBe(
    true,
  );
  expect((await readPoint("queue.length", "sum", data, { asInt: "-5" })).point?.isMonotonic).toBe(false);
});
