export interface DiffLine {
  kind: "same" | "add" | "del" | "gap";
  text: string;
}

/** Above this product of line counts, the comparison of the middle part would take too long. */
const maxCells = 4_000_000;

/** Compares two texts by their lines. Keeps `context` unchanged lines around each change. */
export function diffLines(before: string, after: string, context = 3): DiffLine[] {
  return dropFarLines(compare(splitLines(before), splitLines(after)), context);
}

/** An empty text has no line, so that a text that appears is only added. */
const splitLines = (text: string): string[] => (text === "" ? [] : text.split("\n"));

function compare(before: readonly string[], after: readonly string[]): DiffLine[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end++;
  const same = (text: string): DiffLine => ({ kind: "same", text });
  return [
    ...before.slice(0, start).map(same),
    ...compareMiddle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map(same),
  ];
}

/** Finds the longest common lines with a table. */
function compareMiddle(before: readonly string[], after: readonly string[]): DiffLine[] {
  const removed = before.map((text): DiffLine => ({ kind: "del", text }));
  const added = after.map((text): DiffLine => ({ kind: "add", text }));
  if (before.length * after.length > maxCells) return [...removed, ...added];
  const width = after.length + 1;
  const common = new Uint32Array((before.length + 1) * width);
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      common[i * width + j] =
        before[i] === after[j]
          ? common[(i + 1) * width + j + 1]! + 1
          : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!);
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length && j < after.length) {
    if (before[i] === after[j]) {
      lines.push({ kind: "same", text: before[i]! });
      i++;
      j++;
    } else if (common[(i + 1) * width + j]! >= common[i * width + j + 1]!) lines.push(removed[i++]!);
    else lines.push(added[j++]!);
  }
  return [...lines, ...removed.slice(i), ...added.slice(j)];
}

function dropFarLines(lines: readonly DiffLine[], context: number): DiffLine[] {
  const isNear = new Uint8Array(lines.length);
  for (const [i, { kind }] of lines.entries())
    if (kind !== "same") isNear.fill(1, Math.max(0, i - context), i + context + 1);
  const kept: DiffLine[] = [];
  for (const [i, line] of lines.entries()) {
    if (isNear[i]) kept.push(line);
    else if (kept.at(-1)?.kind !== "gap") kept.push({ kind: "gap", text: "" });
  }
  return kept;
}

export interface DiffPart {
  text: string;
  isChanged: boolean;
}

export interface MarkedLine {
  kind: DiffLine["kind"];
  parts: readonly DiffPart[];
}

/** Like `diffLines`, with the words that changed inside a line marked. */
export function diffMarked(before: string, after: string, context = 3): MarkedLine[] {
  const lines = diffLines(before, after, context);
  const marked: MarkedLine[] = [];
  for (let i = 0; i < lines.length; ) {
    const { kind, text } = lines[i]!;
    if (kind !== "del" && kind !== "add") {
      marked.push({ kind, parts: [{ text, isChanged: false }] });
      i++;
      continue;
    }
    const removed = takeKind(lines, i, "del");
    const added = takeKind(lines, i + removed.length, "add");
    i += removed.length + added.length;
    marked.push(...markGroup(removed, added));
  }
  return marked;
}

/** Compares each removed line with the added line that is most like it. */
function markGroup(removed: readonly DiffLine[], added: readonly DiffLine[]): MarkedLine[] {
  const before = removed.map(({ text }) => whole(text));
  const after = added.map(({ text }) => whole(text));
  let from = 0;
  for (const [at, { text }] of removed.entries()) {
    const options = added
      .slice(from, from + nearLines)
      .map((other, i) => ({ to: from + i, ...markPair(text, other.text) }));
    const best = options.toSorted((one, other) => other.common - one.common)[0];
    if (!best || best.common * 4 < text.length) continue;
    before[at] = best.before;
    after[best.to] = best.after;
    from = best.to + 1;
  }
  return [
    ...before.map((parts) => ({ kind: "del" as const, parts })),
    ...after.map((parts) => ({ kind: "add" as const, parts })),
  ];
}

/** How far a line is looked for among those that were added. */
const nearLines = 20;

const whole = (text: string): DiffPart[] => [{ text, isChanged: true }];

function takeKind(lines: readonly DiffLine[], from: number, kind: DiffLine["kind"]): readonly DiffLine[] {
  let end = from;
  while (lines[end]?.kind === kind) end++;
  return lines.slice(from, end);
}

const splitWords = (text: string): string[] => text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];

/** Marks the words that only one of two lines has. `common` is the length of the words that both have. */
function markPair(before: string, after: string): { common: number; before: DiffPart[]; after: DiffPart[] } {
  const words = compare(splitWords(before), splitWords(after));
  const common = words
    .filter(({ kind, text }) => kind === "same" && /[\p{L}\p{N}]/u.test(text))
    .reduce((sum, { text }) => sum + text.length, 0);
  const take = (side: "del" | "add") =>
    joinParts(words.filter(({ kind }) => kind === "same" || kind === side));
  return { common, before: take("del"), after: take("add") };
}

/** Neighbours of one kind are one part. A space between two marked words is marked with them. */
function joinParts(words: readonly DiffLine[]): DiffPart[] {
  const parts: DiffPart[] = [];
  for (const [i, { kind, text }] of words.entries()) {
    const isBetween =
      text.trim() === "" && words[i - 1]?.kind !== "same" && (words[i + 1]?.kind ?? "same") !== "same";
    const isChanged = kind !== "same" || (i > 0 && isBetween);
    const last = parts.at(-1);
    if (last?.isChanged === isChanged) last.text += text;
    else parts.push({ text, isChanged });
  }
  return parts;
}
