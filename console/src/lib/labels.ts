/** Reads labels that a person typed: `linux, gpu`. */
export const parseLabels = (text: string): string[] => [
  ...new Set(
    text
      .split(",")
      .map((label) => label.trim())
      .filter(Boolean),
  ),
];
