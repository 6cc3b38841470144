import { describe, expect, test } from "vitest";
import type { Page } from "./contents.ts";
import { renderMarkdown } from "./markdown.ts";

const known = new Map<string, Page>([
  ["docs/teams.md", { slug: "teams", file: "docs/teams.md", name: "Teams" }],
  ["CHANGELOG.md", { slug: "changelog", file: "CHANGELOG.md", name: "Changelog" }],
]);
const render = (text: string, file = "docs/guides/first.md") => renderMarkdown(text, file, known);

describe("a document as a page", () => {
  test("links to other pages of the site, and shows the names of files that are not part of it", () => {
    const { html } = render(
      "# A\n\n[teams](../teams.md#roles) [log](../../CHANGELOG.md) [code](../../src/app.ts) [site](https://example.com/a)",
    );
    expect(html).toContain('<a href="/docs/teams#roles">teams</a>');
    expect(html).toContain('<a href="/docs/changelog">log</a>');
    expect(html).not.toContain("app.ts");
    expect(html).toContain("code <a");
    expect(html).toContain('<a href="https://example.com/a">site</a>');
  });

  test("shows HTML as text", () => {
    const { html } = render(
      '# A\n\nText <script>alert(1)</script> <img src=x onerror="alert(1)">\n\n<div>block</div>',
    );
    expect(html).not.toMatch(/<(?:script|img|div>block)/);
    expect(html).toContain("&lt;script&gt;");
  });

  test("gives equal headings different ids, as GitHub does", () => {
    const { headings } = render("# A\n\n## In `code`\n\n## Same\n\n## Same\n\n## Wait: what?");
    expect(headings.map(({ id }) => id)).toEqual(["a", "in-code", "same", "same-1", "wait-what"]);
  });

  test("has the words of paragraphs, lists, tables and code for the search", () => {
    const { passages } = render(
      "# A\n\nOne **two**.\n\n- three\n- four\n\n| h |\n|---|\n| five `six` |\n\n```sh\nseven\n```\n\n## B\n\neight & nine",
    );
    expect(passages.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^One two\..*three.*four.*h.*five six.*seven$/),
      "eight & nine",
    ]);
  });

  test("names the region of a table after its heading", () => {
    const { html } = render("# A\n\n## Limits\n\n| a | b |\n|---|---|\n| 1 | 2 |");
    expect(html).toContain('aria-label="Table 1: Limits"');
  });
});
