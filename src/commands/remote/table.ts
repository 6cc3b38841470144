import { cleanText } from "@signalbox/command-line";

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Blocks whose letters take two columns of a terminal, as in Unicode's East Asian Width. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u;
const invisible = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;

const letterWidth = (letter: string) => (invisible.test(letter) ? 0 : wide.test(letter) ? 2 : 1);

/** How many columns of a terminal a text takes. */
export function measureWidth(text: string): number {
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += letterWidth(segment);
  return width;
}

/** Cuts the text to `width` columns and ends it with … when it was longer. */
export function truncate(text: string, width: number): string {
  if (measureWidth(text) <= width) return text;
  let kept = "";
  let used = 0;
  for (const { segment } of graphemes.segment(text)) {
    if (used + letterWidth(segment) > width - 1) break;
    used += letterWidth(segment);
    kept += segment;
  }
  return `${kept}…`;
}

export interface Column<Row> {
  title: string;
  /** May be any text; the table makes it safe to print. */
  value(row: Row): string;
  /** Never cut: a cut id cannot be copied. */
  whole?: true;
  align?: "right";
  paint?(text: string, row: Row): string;
}

const gap = "  ";
const minColumnWidth = 6;

/** Renders a table in at most `width` columns, unless that makes columns too narrow to read. */
export function renderTable<Row>(columns: Column<Row>[], rows: Row[], width: number): string[] {
  const cells = rows.map((row) => columns.map(({ value }) => cleanText(value(row))));
  const widths = columns.map(({ title }, i) =>
    Math.max(measureWidth(title), ...cells.map((line) => measureWidth(line[i]!))),
  );
  let excess = widths.reduce((sum, one) => sum + one, gap.length * (columns.length - 1)) - width;
  while (excess > 0) {
    const widest = columns
      .map((column, i) => ({ i, width: column.whole ? 0 : widths[i]! }))
      .reduce((a, b) => (b.width > a.width ? b : a));
    if (widest.width <= minColumnWidth) break;
    widths[widest.i]!--;
    excess--;
  }
  const fitted = (text: string, i: number) => {
    const cut = truncate(text, widths[i]!);
    const padding = " ".repeat(widths[i]! - measureWidth(cut));
    return { cut, padding };
  };
  const head = columns.map(({ title, align }, i) => pad(fitted(title, i), align)).join(gap);
  const body = cells.map((line, row) =>
    columns
      .map(({ align, paint }, i) => {
        const { cut, padding } = fitted(line[i]!, i);
        return pad({ cut: paint ? paint(cut, rows[row]!) : cut, padding }, align);
      })
      .join(gap)
      .trimEnd(),
  );
  return [head.trimEnd(), ...body];
}

const pad = ({ cut, padding }: { cut: string; padding: string }, align: "right" | undefined) =>
  align === "right" ? padding + cut : cut + padding;
