import { posix } from "node:path";
import { Lexer, Marked, type Token, type Tokens } from "marked";
import type { Page } from "./contents.ts";

export interface Heading {
  id: string;
  depth: number;
  text: string;
}

/** A part of a page under one heading, as plain text for the search. */
export interface Passage {
  heading: Heading;
  text: string;
}

export interface RenderedPage {
  title: string;
  html: string;
  headings: readonly Heading[];
  passages: readonly Passage[];
}

const escapeHtml = (text: string) =>
  text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]!);

/** The id of a heading, made as GitHub makes it, so that links work in both places. */
const toId = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");

/** Turns a document into a page. `known` has all pages by file; links to them become links of the site. */
export function renderMarkdown(text: string, file: string, known: ReadonlyMap<string, Page>): RenderedPage {
  const passages = splitPassages(text);
  const headings = passages.map(({ heading }) => heading);
  let reached = -1;
  let tables = 0;
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth }) {
        reached++;
        const heading = headings[reached]!;
        const label = this.parser.parseInline(tokens);
        if (depth === 1) return `<h1>${label}</h1>`;
        return `<h${depth} id="${heading.id}"><a class="anchor" href="#${heading.id}">${label}</a></h${depth}>`;
      },
      link({ href, tokens }) {
        const label = this.parser.parseInline(tokens);
        const target = resolveLink(href, file, known);
        return target === undefined ? label : `<a href="${escapeHtml(target)}">${label}</a>`;
      },
      image({ href, text: alt }) {
        const path = posix.join(posix.dirname(file), href).replace(/^docs\//, "/docs/");
        return `<img src="${escapeHtml(path)}" alt="${escapeHtml(alt)}" loading="lazy">`;
      },
      table({ header, rows }) {
        const cell = ({ tokens }: Tokens.TableCell, tag: string) => {
          const text = this.parser.parseInline(tokens);
          // The corner above the first column is often empty, and then it is the name of nothing.
          const name = text === "" ? "td" : tag;
          return `<${name}>${text}</${name}>`;
        };
        const row = (cells: Tokens.TableCell[], tag: string) =>
          `<tr>${cells.map((one) => cell(one, tag)).join("")}</tr>`;
        const hasNames = header.some(({ text: name }) => name.trim() !== "");
        tables++;
        const head = hasNames ? `<thead>${row(header, "th")}</thead>` : "";
        // A wide table scrolls by itself, also with the keyboard.
        const under = headings[reached]?.text ?? "";
        return `<div class="table" role="region" tabindex="0" aria-label="Table ${tables}: ${escapeHtml(under)}"><table>${head}<tbody>${rows
          .map((cells) => row(cells, "td"))
          .join("")}</tbody></table></div>`;
      },
      code({ text: code, lang }) {
        return `<div class="code"><pre tabindex="0"${lang ? ` data-language="${escapeHtml(lang)}"` : ""}><code>${escapeHtml(code)}\n</code></pre></div>`;
      },
      // The documents contain no HTML. Should one begin to, it is shown and not executed.
      html: ({ text: raw }) => escapeHtml(raw),
    },
  });
  const html = marked.parse(text, { async: false });
  return { title: headings[0]?.text ?? file, html, headings, passages };
}

/** Returns undefined for a file that is not part of the site. Its name is still shown. */
function resolveLink(href: string, file: string, known: ReadonlyMap<string, Page>): string | undefined {
  if (/^[a-z]+:/i.test(href) || href.startsWith("#") || href.startsWith("/")) return href;
  const [path = "", anchor] = href.split("#");
  const target = posix.normalize(posix.join(posix.dirname(file), path));
  const page = known.get(target);
  if (page) return `/docs/${page.slug}${anchor === undefined ? "" : `#${anchor}`}`;
  if (target === "openapi.json") return "/openapi.json";
  if (target === "README.md") return "/docs";
  return undefined;
}

/** The text of tokens without markup. */
function plainText(tokens: readonly Token[] = []): string {
  return tokens
    .map((token): string => {
      if (token.type === "table") {
        const { header, rows } = token as Tokens.Table;
        return [header, ...rows]
          .map((cells) => cells.map((cell) => plainText(cell.tokens)).join(" "))
          .join(" ");
      }
      if (token.type === "list")
        return (token as Tokens.List).items.map((item) => plainText(item.tokens)).join(" ");
      if ("tokens" in token && token.tokens) return plainText(token.tokens);
      return "text" in token ? String(token.text) : " ";
    })
    .join("")
    .replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => entities[name]!);
}

const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

function splitPassages(text: string): Passage[] {
  const uses = new Map<string, number>();
  const passages: { heading: Heading; parts: string[] }[] = [];
  for (const token of new Lexer({ gfm: true }).lex(text)) {
    if (token.type === "heading") {
      const name = plainText(token.tokens);
      const id = toId(name);
      const before = uses.get(id) ?? 0;
      uses.set(id, before + 1);
      const heading = {
        id: before > 0 ? `${id}-${before}` : id,
        depth: (token as Tokens.Heading).depth,
        text: name,
      };
      passages.push({ heading, parts: [] });
    } else if (token.type !== "space") passages.at(-1)?.parts.push(plainText([token]));
  }
  return passages.map(({ heading, parts }) => ({
    heading,
    text: parts.join(" ").replace(/\s+/g, " ").trim(),
  }));
}
