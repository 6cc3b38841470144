import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const folder = join(import.meta.dirname, "../../console/src");
const components = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
  file.endsWith(".tsx"),
);

/** Words between two tags, and words in attributes that people read. */
const textBetweenTags = />\s*([A-Z][a-z]+(?: [^<>{}=;()]*)?)\s*<\//g;
const textInAttribute =
  /\s(?:aria-label|title|label|placeholder|alt|hint|legend)="((?!https?:)[A-Za-z][a-z]+[^"]*)"/g;

test("components contain no text of their own: texts are in console/src/texts, ready for translation", () => {
  expect(components.length).toBeGreaterThan(100);
  const found = components.flatMap((file) => {
    const source = readFileSync(join(folder, file), "utf8");
    return [textBetweenTags, textInAttribute].flatMap((pattern) =>
      [...source.matchAll(pattern)].map((match) => `${file}: ${match[1]}`),
    );
  });
  expect(found).toEqual([]);
});

test("components create no markup from text", () => {
  const found = components.filter((file) =>
    /dangerouslySetInnerHTML|\.innerHTML|insertAdjacentHTML|document\.write/.test(
      readFileSync(join(folder, file), "utf8"),
    ),
  );
  expect(found).toEqual([]);
});
