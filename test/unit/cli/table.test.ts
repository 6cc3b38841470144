import { describe, expect, test } from "vitest";
import { formatCost, formatDuration, formatSchedule } from "../../../src/commands/remote/format.ts";
import { type Column, measureWidth, renderTable, truncate } from "../../../src/commands/remote/table.ts";

describe("the width of text on a terminal", () => {
  test.for([
    ["abc", 3],
    ["日本語", 6],
    ["한국", 4],
    ["👩‍👩‍👧‍👦", 2],
    ["🇩🇪!", 3],
    ["e\u0301", 1],
    ["", 0],
  ] as [string, number][])("%s takes %d columns", ([text, width]) => {
    expect(measureWidth(text)).toBe(width);
  });

  test.for([
    ["abcdef", 6, "abcdef"],
    ["abcdef", 4, "abc…"],
    ["日本語", 5, "日本…"],
    ["日本語", 4, "日…"],
    ["👩‍👩‍👧‍👦👩‍👩‍👧‍👦", 3, "👩‍👩‍👧‍👦…"],
  ] as [string, number, string][])("%s in %d columns is cut to %s", ([text, width, cut]) => {
    expect(truncate(text, width)).toBe(cut);
  });
});

describe("a table", () => {
  interface Row {
    id: string;
    name: string;
    took: string;
  }
  const columns: Column<Row>[] = [
    { title: "ID", value: ({ id }) => id, whole: true },
    { title: "NAME", value: ({ name }) => name },
    { title: "TOOK", value: ({ took }) => took, align: "right" },
  ];
  const rows = [
    { id: "run_1", name: "A long name of an automation", took: "4 s" },
    { id: "run_22", name: "日本語の自動化という名前", took: "12 min" },
  ];

  test("has every column as wide as its widest cell where there is room", () => {
    expect(renderTable(columns, rows, Number.POSITIVE_INFINITY)).toEqual([
      "ID      NAME                            TOOK",
      "run_1   A long name of an automation     4 s",
      "run_22  日本語の自動化という名前      12 min",
    ]);
  });

  test("fits into the terminal: ids stay whole, the widest of the others is cut", () => {
    const lines = renderTable(columns, rows, 30);
    expect(lines).toEqual([
      "ID      NAME              TOOK",
      "run_1   A long name o…     4 s",
      "run_22  日本語の自動…   12 min",
    ]);
    for (const line of lines) expect(measureWidth(line)).toBeLessThanOrEqual(30);
  });

  test("replaces control characters and direction marks", () => {
    const [, line] = renderTable(
      columns,
      [{ id: "run_1", name: "a\u001b[2J\r\nb\u202ec\u009bd", took: "" }],
      100,
    );
    expect(line).toBe("run_1  a\ufffd[2J\ufffd\ufffdb\ufffdc\ufffdd");
  });

  test("colours the text and not the space around it, so that the columns stay aligned", () => {
    const painted: Column<Row>[] = [
      { title: "NAME", value: ({ name }) => name, paint: (text) => `<${text}>` },
      columns[0]!,
    ];
    expect(renderTable(painted, rows, 24)[1]).toBe("<A long name of …>  run_1");
  });
});

test("costs, durations and schedules are written for people", () => {
  expect([0, 4100, 1_000_000, 12_345_678, 1].map(formatCost)).toEqual([
    "0.00",
    "0.0041",
    "1.00",
    "12.345678",
    "0.000001",
  ]);
  expect([0, 20, 990, 59_400, 61_000, 3_660_000].map(formatDuration)).toEqual([
    "0 s",
    "0.1 s",
    "1.0 s",
    "59 s",
    "1 min 1 s",
    "1 h 1 min",
  ]);
  expect(formatSchedule({ kind: "daily", hour: 9, minute: 5, timezone: "UTC" })).toBe("daily 09:05 UTC");
  expect(formatSchedule({ kind: "manual" })).toBe("by hand");
});
