import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { readTemplate } from "./front-matter.ts";

const read = (text: string | Buffer, name = "team/Code Review.md") =>
  readTemplate(`templates/${name}`, name, Buffer.from(text));
const problem = (text: string | Buffer) => {
  const content = read(text);
  if (!content || !("message" in content)) throw new Error(`It was read: ${JSON.stringify(content)}`);
  return content;
};

const lfsPointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${"4d".repeat(32)}\nsize 12345\n`;

describe("a template file", () => {
  test("has front matter and a body; unknown fields are metadata, and the slug comes from the path", () => {
    const text =
      "---\nname: Review\ndescription: Looks.\ntags: [a, b, a]\nmodel: large\nsteps:\n  - one\n---\n\n# Go\n\ntext\n";
    expect(read(text)).toEqual({
      name: "Review",
      slug: "team/code-review",
      description: "Looks.",
      tags: ["a", "b"],
      metadata: { model: "large", steps: ["one"] },
      body: "# Go\n\ntext\n",
    });
  });

  test.each([
    ["Windows line ends", "---\r\nname: A\r\n---\r\nbody\r\n"],
    ["a byte order mark", "\ufeff---\nname: A\n---\nbody"],
    ["spaces after the dashes", "---  \nname: A\n---\t\nbody"],
    ["three dots at its end", "---\nname: A\n...\nbody"],
    ["dashes in its body", "---\nname: A\n---\nbody\n---\nmore"],
    ["a slug of its own", "---\nname: A\nslug: team/code-review\n---\nbody"],
  ])("may have %s", (_, text) => {
    expect(read(text)).toMatchObject({ name: "A", slug: "team/code-review" });
  });

  test("that describes a folder is not a template", () => {
    expect(read("# About", "README.md")).toBeUndefined();
    expect(read(lfsPointer, "README.md")).toBeUndefined();
    expect(read("# About", "x/readme.md")).toBeUndefined();
    expect(read("---\nname: A\n---\nb", "README.md")).toMatchObject({ slug: "readme" });
  });

  test.each([
    ["no front matter", "# Hello", 1, /no front matter/],
    ["its content in Git LFS", lfsPointer, 1, /Git LFS/],
    ["front matter that is not closed", "---\nname: A\nbody", 1, /not closed/],
    ["no name", "---\ntags: []\n---\nb", 1, /no name/],
    ["a name that is not text", "---\nx: 1\nname: 5\n---\nb", 3, /name/],
    ["a name of two lines", '---\nname: "a\\nb"\n---\nb', 2, /one line/],
    ["a wrong slug", "---\nname: A\nslug: Not This\n---\nb", 3, /small letters/],
    ["tags that are not a list", "---\nname: A\ntags: x\n---\nb", 3, /tags/],
    [
      "too many tags",
      `---\nname: A\ntags: [${Array.from({ length: 21 }, (_, i) => i).map((i) => `t${i}`)}]\n---\nb`,
      3,
      /tags/,
    ],
    ["bad YAML", "---\nname: A\nx: [1\n---\nb", 4, /not YAML/],
    ["a field twice", "---\nname: A\nname: B\n---\nb", 3, /not YAML/],
    ["a list instead of fields", "---\n- name\n---\nb", 2, /fields/],
    ["a nested field twice", "---\nname: A\nx:\n  y: 1\n  y: 2\n---\nb", 5, /not YAML/],
    ["a map as the name of a field", "---\nname: A\n? {x: 1}\n: 2\n---\nb", 3, /plain text/],
    ["a list as the name of a field", "---\nname: A\nx:\n  ? - y\n  : 2\n---\nb", 4, /plain text/],
    ["bytes", "---\nname: A\nx: !!binary aGk=\n---\nb", 3, /tag/],
    ["a set, whose values would be lost", "---\nname: A\nx: !!set {a, b}\n---\nb", 3, /tag/],
    ["brackets 101 deep", `---\nname: A\nx: ${"[".repeat(101)}${"]".repeat(101)}\n---\nb`, 1, /deep/],
    ["lists 101 deep", `---\nname: A\nx:\n${"- ".repeat(101)}a\n---\nb`, 1, /deep/],
    ["an unknown tag", "---\nname: A\nx: !evil 1\n---\nb", 3, /tag/],
    ["an empty body", "---\nname: A\n---\n\n", 3, /nothing below/],
    ["a NUL in its body", "---\nname: A\n---\nx\0y", 4, /NUL/],
    ["a NUL in its fields", '---\nname: A\nx: "\\0"\n---\nb', 2, /NUL/],
    ["half a character in its fields", '---\nname: A\nx: "\\ud800"\n---\nb', 2, /Unicode/],
    ["16 KiB of fields", `---\nname: A\nx: ${"y".repeat(17_000)}\n---\nb`, 1, /16 KiB/],
  ] as [string, string, number, RegExp][])("with %s is reported with its line", (_, text, line, message) => {
    const found = problem(text);
    expect(found.message).toMatch(message);
    expect(found.line).toBe(line);
    expect(found.path).toBe("templates/team/Code Review.md");
  });

  test("that is not UTF-8 is reported with the line of the first invalid byte", () => {
    expect(problem(Buffer.from("---\nname: A\n---\nna\xefve", "latin1"))).toMatchObject({ line: 4 });
  });

  test.each([
    [
      "aliases that expand exponentially",
      `---\nname: A\na: &a [x,x]\n${Array.from({ length: 20 }, (_, i) => `b${i}: &b${i} [${i ? `*b${i - 1},*b${i - 1}` : "*a,*a"}]`).join("\n")}\n---\nb`,
    ],
    ["one alias", "---\nname: A\nx: &x 1\ny: *x\n---\nb"],
    ["a merge", "---\nname: A\nx: &x {a: 1}\n<<: *x\n---\nb"],
    ["thousands of open brackets", `---\nname: A\nx: ${"[".repeat(15_000)}\n---\nb`],
    ["thousands of nested maps", `---\nname: A\nx: ${"{a: ".repeat(3_000)}\n---\nb`],
    [
      "thousands of levels of indentation",
      `---\nname: A\n${Array.from({ length: 170 }, (_, i) => `${" ".repeat(i)}x:`).join("\n")}\n---\nb`,
    ],
  ])("with %s is refused quickly", (_, text) => {
    const started = performance.now();
    const content = read(text);
    expect(performance.now() - started).toBeLessThan(1_000);
    if (content && !("message" in content)) expect(JSON.stringify(content).length).toBeLessThan(40_000);
  });

  test("with thousands of fields is parsed quickly", () => {
    const names = Array.from({ length: 2_500 }, (_, i) => `k${i.toString(36)}`);
    const texts = [`${names.join(":\n")}:`, `x: {${names.join(",")}}`];
    read(`---\nname: A\n${texts[0]!.slice(0, 300)}\n---\nb`);
    const before = process.cpuUsage();
    for (const text of texts)
      expect(problem(`---\nname: A\n${text}\n---\nb`).message).toMatch(/16 KiB as JSON/);
    // Each compared with each is more than a second.
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(0.6);
  });

  test("with a field that would be lost is reported with the line of the field", () => {
    expect(problem("---\nname: A\n__proto__: 1\n---\nb")).toMatchObject({
      line: 3,
      message: "No field can be named __proto__. Choose another name.",
    });
  });

  test("with any fields that YAML can write is read back equally or reported as a problem", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 5 }), (others) => {
        const fields = { ...others, name: "A", slug: "a", description: "", tags: [] };
        const content = read(`---\n${stringify(fields, { aliasDuplicateObjects: false })}---\nbody`);
        if (!content || "message" in content) return;
        const { name: _n, slug: _s, description: _d, tags: _t, ...rest } = fields;
        // As it is stored: JSON knows no -0.
        expect(JSON.parse(JSON.stringify(content.metadata))).toEqual(JSON.parse(JSON.stringify(rest)));
      }),
    );
  });

  test("with any bytes becomes a template or a problem", () => {
    const pieces = fc.constantFrom(
      "---\n",
      "name: A\n",
      "slug: ",
      "tags: [",
      "&a ",
      "*a",
      "\r\n",
      "\0",
      "é",
      ": ",
      "- ",
      '"',
      "!",
      "|",
      ">",
      "%",
      "body",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(pieces, { maxLength: 30 }).map((all) => `---\n${all.join("")}`),
          fc.string({ unit: "binary" }),
        ),
        (text) => {
          const content = read(text);
          if (content && "message" in content) expect(content.line).toBeGreaterThan(0);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
