import { expect, test } from "vitest";
import { parseMoney } from "./money.ts";

test("an amount has a point or a comma before its decimals", () => {
  expect(["12", "12.50", "12,5", " 0,075 ", "0.000001"].map(parseMoney)).toEqual([
    12_000_000, 12_500_000, 12_500_000, 75_000, 1,
  ]);
});

test("a text that is no amount, or could be two, is refused", () => {
  expect(["", "-1", "1e3", "12.5.0", "1.0000001", "1,000", "250,000", "1,000.50"].map(parseMoney)).toEqual(
    Array.from({ length: 8 }, () => undefined),
  );
});
