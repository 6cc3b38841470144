import type { Page, Section } from "./contents.ts";
import type { Heading, RenderedPage } from "./markdown.ts";

export interface SearchResult {
  /** The name of the page in the menu. */
  page: string;
  /** The section of the menu. */
  section: string;
  heading: string;
  url: string;
  excerpt: string;
}

interface Entry {
  page: Page;
  section: string;
  heading: Heading;
  text: string;
  /** What is compared: lower case. */
  name: string;
  title: string;
  body: string;
}

export interface SearchIndex {
  find(query: string, limit?: number): SearchResult[];
}

const maxWords = 8;
const excerptLength = 180;

/** Finds passages that contain every word. The documentation is small, so each search reads all of it. */
export function createSearchIndex(
  sections: readonly Section[],
  rendered: ReadonlyMap<string, RenderedPage>,
): SearchIndex {
  const entries = sections.flatMap((section) =>
    section.pages.flatMap((page) =>
      (rendered.get(page.slug)?.passages ?? []).map(
        ({ heading, text }): Entry => ({
          page,
          section: section.name,
          heading,
          text,
          name: page.name.toLowerCase(),
          title: heading.text.toLowerCase(),
          body: text.toLowerCase(),
        }),
      ),
    ),
  );
  return {
    find(query, limit = 20) {
      const words =
        query
          .toLowerCase()
          .match(/[\p{L}\p{N}_./-]+/gu)
          ?.slice(0, maxWords) ?? [];
      if (words.length === 0) return [];
      return entries
        .map((entry) => ({ entry, score: score(entry, words) }))
        .filter((found) => found.score > 0)
        .sort((one, other) => other.score - one.score)
        .slice(0, limit)
        .map(({ entry }) => toResult(entry, words));
    },
  };
}

/** Zero unless every word occurs. A word in a title counts more than one in the text. */
function score(entry: Entry, words: readonly string[]): number {
  let sum = 0;
  for (const word of words) {
    const inName = entry.name.includes(word);
    const inTitle = entry.title.includes(word);
    const inBody = entry.body.includes(word);
    if (!inName && !inTitle && !inBody) return 0;
    sum += (inTitle ? 12 : 0) + (inName ? 4 : 0) + (inBody ? 1 + Math.min(4, countOf(entry.body, word)) : 0);
    if (entry.title === word || entry.name === word) sum += 12;
  }
  if (words.length > 1 && `${entry.title} ${entry.body}`.includes(words.join(" "))) sum += 10;
  // The beginning of a page is the better answer among equals.
  return entry.heading.depth === 1 ? sum + 3 : sum;
}

const countOf = (text: string, word: string) => text.split(word, 6).length - 1;

function toResult({ page, section, heading, text, body }: Entry, words: readonly string[]): SearchResult {
  const first = Math.min(...words.map((word) => body.indexOf(word)).filter((at) => at >= 0), body.length);
  const from = first === body.length ? 0 : Math.max(0, text.lastIndexOf(" ", Math.max(0, first - 50)) + 1);
  const cut = text.slice(from, from + excerptLength);
  return {
    page: page.name,
    section,
    heading: heading.text,
    url: `/docs/${page.slug}${heading.depth === 1 ? "" : `#${heading.id}`}`,
    excerpt: `${from > 0 ? "…" : ""}${cut}${from + excerptLength < text.length ? "…" : ""}`,
  };
}
