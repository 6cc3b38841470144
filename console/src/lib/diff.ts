export interface DiffLine {
  kind: "same" | "add" | "del" | "gap";
  text: string;
}

/** Above this product of line counts, the comparison of the middle part would take too long. */
const maxCells = 4_000_000;

/** Compares two texts by their lines. Keeps `context` unchanged lines around each change. */
export function diffLines(before: string, after: string, context = 3): DiffLine[] {
  return dropFarLines(compare(before.split("\n"), after.split("\n")), context);
}

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
