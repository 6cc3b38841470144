/** The highest line of an axis that begins at 0, and the lines in between: at most four. Only 0 when nothing is above it. */
export function chooseTicks(max: number): number[] {
  if (max <= 0) return [0];
  const rough = max / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough)!;
  const count = Math.ceil(max / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, i) => i * step);
}

/** The points that have a label: as many as fit, at equal distances. */
export function chooseLabels(count: number, width: number): number[] {
  const step = Math.max(1, Math.ceil(count / Math.max(2, Math.floor(width / 90))));
  return Array.from({ length: Math.ceil(count / step) }, (_, i) => i * step);
}
