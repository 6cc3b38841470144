import { expect, test } from "vitest";
import { formatCsv } from "./csv.ts";

test("a table becomes CSV that a spreadsheet does not execute", () => {
  const rows = [
    ["name", "cost"],
    ['say "hi", twice', -1],
    ["=SUM(A1)", null],
    ["two\nlines", 3.5],
  ];
  expect(formatCsv(rows)).toBe('name,cost\r\n"say ""hi"", twice",-1\r\n\'=SUM(A1),\r\n"two\nlines",3.5\r\n');
});
