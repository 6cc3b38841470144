import { type Inline, parseInline } from "./inline.ts";

/**
 * Markdown as templates use it: headings, paragraphs, lists, quotes, code, tables. HTML in it is text. The result is
 * data for React elements, so nothing in a template can become markup.
 */
export type Block =
  | { type: "heading"; level: number; content: Inline[] }
  | { type: "paragraph"; content: Inline[] }
  | { type: "code"; language: string; text: string }
  | { type: "quote"; blocks: Block[] }
  | { type: "list"; isOrdered: boolean; start: number; items: ListItem[] }
  | { type: "table"; head: Inline[][]; rows: Inline[][][] }
  | { type: "rule" };

export interface ListItem {
  /** A task. Undefined when it is none. */
  isDone: boolean | undefined;
  blocks: Block[];
}

const maxDepth = 12;
const fence = /^ {0,3}(`{3,}|~{3,})\s*([\w+#.-]*)/;
const heading = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/;
const rule = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/;
const quote = /^ {0,3}> ?/;
const item = /^( {0,3})([-*+]|(\d{1,9})[.)])(?:\s+(.*)|)$/;
const divider = /^\s*\|?(?:\s*:?-+:?\s*\|)+\s*(?::?-+:?)?\s*$/;

export function parseMarkdown(source: string): Block[] {
  return parseBlocks(source.replaceAll("\r\n", "\n").replaceAll("\t", "    ").split("\n"), 0);
}

function parseBlocks(lines: readonly string[], depth: number): Block[] {
  const blocks: Block[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at]!;
    if (line.trim() === "") {
      at++;
      continue;
    }
    const read = readSpecial(lines, at, depth) ?? readParagraph(lines, at, depth);
    blocks.push(read.block);
    at = read.end;
  }
  return blocks;
}

interface Read {
  block: Block;
  end: number;
}

function readSpecial(lines: readonly string[], at: number, depth: number): Read | undefined {
  const line = lines[at]!;
  const fenced = fence.exec(line);
  if (fenced) return readCode(lines, at, fenced[1]!, fenced[2]!);
  const headed = heading.exec(line);
  if (headed)
    return {
      block: { type: "heading", level: headed[1]!.length, content: parseInline(headed[2]!) },
      end: at + 1,
    };
  if (rule.test(line)) return { block: { type: "rule" }, end: at + 1 };
  if (depth < maxDepth && quote.test(line)) return readQuote(lines, at, depth);
  if (depth < maxDepth && item.test(line)) return readList(lines, at, depth);
  if (line.includes("|") && divider.test(lines[at + 1] ?? "")) return readTable(lines, at);
  return undefined;
}

function readCode(lines: readonly string[], at: number, opening: string, language: string): Read {
  const closing = new RegExp(`^ {0,3}${opening[0]}{${opening.length},}\\s*$`);
  let end = at + 1;
  while (end < lines.length && !closing.test(lines[end]!)) end++;
  return { block: { type: "code", language, text: lines.slice(at + 1, end).join("\n") }, end: end + 1 };
}

function readQuote(lines: readonly string[], at: number, depth: number): Read {
  let end = at;
  while (end < lines.length && quote.test(lines[end]!)) end++;
  const inner = lines.slice(at, end).map((line) => line.replace(quote, ""));
  return { block: { type: "quote", blocks: parseBlocks(inner, depth + 1) }, end };
}

function readList(lines: readonly string[], at: number, depth: number): Read {
  const first = item.exec(lines[at]!)!;
  const isOrdered = first[3] !== undefined;
  const items: ListItem[] = [];
  let end = at;
  while (end < lines.length) {
    const found = item.exec(lines[end]!);
    if (!found || (found[3] !== undefined) !== isOrdered || rule.test(lines[end]!)) break;
    const indent = found[1]!.length + found[2]!.length + 1;
    const inner = [found[4] ?? ""];
    end++;
    while (end < lines.length && belongsToItem(lines, end, indent)) {
      inner.push(lines[end]!.slice(Math.min(indent, countSpaces(lines[end]!))));
      end++;
    }
    const task = /^\[([ xX])\]\s+/.exec(inner[0]!);
    if (task) inner[0] = inner[0]!.slice(task[0].length);
    items.push({ isDone: task ? task[1] !== " " : undefined, blocks: parseBlocks(inner, depth + 1) });
    // An empty line between two items.
    if (lines[end]?.trim() === "" && item.test(lines[end + 1] ?? "")) end++;
  }
  return { block: { type: "list", isOrdered, start: Number(first[3] ?? 1), items }, end };
}

const countSpaces = (line: string): number => line.length - line.trimStart().length;

/** Indented lines belong to an item, also after an empty line; so do lines that go on with its paragraph. */
function belongsToItem(lines: readonly string[], at: number, indent: number): boolean {
  const line = lines[at]!;
  if (line.trim() === "") {
    const next = lines[at + 1] ?? "";
    return next.trim() !== "" && countSpaces(next) >= indent;
  }
  if (countSpaces(line) >= Math.min(indent, 2)) return true;
  return !startsBlock(line) && lines[at - 1]!.trim() !== "";
}

const startsBlock = (line: string): boolean =>
  fence.test(line) || heading.test(line) || rule.test(line) || quote.test(line) || item.test(line);

const splitCells = (line: string): string[] =>
  line
    .trim()
    .replace(/^\|/, "")
    .replace(/\|$/, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));

function readTable(lines: readonly string[], at: number): Read {
  const head = splitCells(lines[at]!);
  let end = at + 2;
  while (end < lines.length && lines[end]!.includes("|") && lines[end]!.trim() !== "") end++;
  const rows = lines.slice(at + 2, end).map((line) => {
    const cells = splitCells(line);
    return head.map((_, i) => parseInline(cells[i] ?? ""));
  });
  return { block: { type: "table", head: head.map((cell) => parseInline(cell)), rows }, end };
}

function readParagraph(lines: readonly string[], at: number, depth: number): Read {
  let end = at + 1;
  while (end < lines.length && lines[end]!.trim() !== "" && !readsAsSpecial(lines, end, depth)) end++;
  const text = lines
    .slice(at, end)
    .map((line) => line.trimStart())
    .join("\n");
  return { block: { type: "paragraph", content: parseInline(text.trimEnd()) }, end };
}

const readsAsSpecial = (lines: readonly string[], at: number, depth: number): boolean =>
  depth < maxDepth
    ? startsBlock(lines[at]!)
    : fence.test(lines[at]!) || heading.test(lines[at]!) || rule.test(lines[at]!);
