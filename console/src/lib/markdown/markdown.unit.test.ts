import { describe, expect, test } from "vitest";
import { parseMarkdown } from "./blocks.ts";
import { type Inline, parseInline } from "./inline.ts";

const text = (value: string): Inline => ({ type: "text", text: value });

describe("Markdown", () => {
  test("becomes headings, paragraphs, lists, quotes, code, tables and rules", () => {
    const blocks = parseMarkdown(
      [
        "# Title #",
        "Two lines",
        "of one paragraph.",
        "",
        "- first",
        "- [x] done",
        "  - inner",
        "",
        "3. three",
        "4. four",
        "",
        "> quoted",
        "",
        "```ts",
        "# no heading",
        "```",
        "",
        "| a | b |",
        "|---|---|",
        "| 1 | 2 |",
        "",
        "---",
      ].join("\n"),
    );
    expect(blocks).toEqual([
      { type: "heading", level: 1, content: [text("Title")] },
      { type: "paragraph", content: [text("Two lines\nof one paragraph.")] },
      {
        type: "list",
        isOrdered: false,
        start: 1,
        items: [
          { isDone: undefined, blocks: [{ type: "paragraph", content: [text("first")] }] },
          {
            isDone: true,
            blocks: [
              { type: "paragraph", content: [text("done")] },
              {
                type: "list",
                isOrdered: false,
                start: 1,
                items: [{ isDone: undefined, blocks: [{ type: "paragraph", content: [text("inner")] }] }],
              },
            ],
          },
        ],
      },
      {
        type: "list",
        isOrdered: true,
        start: 3,
        items: [
          { isDone: undefined, blocks: [{ type: "paragraph", content: [text("three")] }] },
          { isDone: undefined, blocks: [{ type: "paragraph", content: [text("four")] }] },
        ],
      },
      { type: "quote", blocks: [{ type: "paragraph", content: [text("quoted")] }] },
      { type: "code", language: "ts", text: "# no heading" },
      { type: "table", head: [[text("a")], [text("b")]], rows: [[[text("1")], [text("2")]]] },
      { type: "rule" },
    ]);
  });

  test("keeps HTML as text and refuses addresses that run code", () => {
    expect(parseInline("<img src=x onerror=alert(1)>")).toEqual([text("<img src=x onerror=alert(1)>")]);
    expect(parseInline("[click](javascript:alert(1))")).not.toContainEqual(
      expect.objectContaining({ type: "link" }),
    );
    expect(parseInline("[a](data:text/html;x)")).toEqual([text("a")]);
    expect(parseInline("[docs](https://example.com/a)")).toEqual([
      { type: "link", href: "https://example.com/a", content: [text("docs")] },
    ]);
    // An image is a link: the page asks no other server for anything.
    expect(parseInline("![logo](https://example.com/logo.png)")).toMatchObject([{ type: "link" }]);
  });

  test("marks words, and leaves names with underscores and lone markers alone", () => {
    expect(parseInline("**bold** and *soft* and `x_y`")).toEqual([
      { type: "strong", content: [text("bold")] },
      text(" and "),
      { type: "em", content: [text("soft")] },
      text(" and "),
      { type: "code", text: "x_y" },
    ]);
    expect(parseInline("snake_case_name and 2 * 3 * 4")).toEqual([text("snake_case_name and 2 * 3 * 4")]);
    expect(parseInline("\\*not soft\\*")).toEqual([text("*not soft*")]);
    expect(parseInline("see https://example.com/a.")).toEqual([
      text("see "),
      { type: "link", href: "https://example.com/a", content: [text("https://example.com/a")] },
      text("."),
    ]);
  });

  test("reads hostile text to its end", () => {
    for (const hostile of [
      "*".repeat(20_000),
      "[".repeat(20_000),
      `${"> ".repeat(500)}x`,
      "`".repeat(9_999),
    ]) {
      const blocks = parseMarkdown(hostile);
      expect(blocks.length).toBeGreaterThan(0);
    }
    expect(parseMarkdown(`${"- ".repeat(100)}deep`)).toHaveLength(1);
  });
});
