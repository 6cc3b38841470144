/** Whether a tool is named by a pattern: its exact name, or `prefix*`. */
const matchesPattern = (pattern: string, tool: string): boolean =>
  pattern.endsWith("*") ? tool.startsWith(pattern.slice(0, -1)) : pattern === tool;

const matchesAny = (patterns: readonly string[], tool: string): boolean =>
  patterns.some((pattern) => matchesPattern(pattern, tool));

interface Lists {
  allow: readonly string[] | null;
  deny: readonly string[];
  hide: readonly string[];
}

/** Whether the lists let a tool be executed. Deny wins. */
export const mayExecute = ({ allow, deny }: Lists, tool: string): boolean =>
  !matchesAny(deny, tool) && (allow === null || matchesAny(allow, tool));

export const isHidden = ({ hide }: Lists, tool: string): boolean => matchesAny(hide, tool);

/** Reads a pattern a line. */
export const parsePatterns = (text: string): string[] => [
  ...new Set(
    text
      .split(/[\n,]/)
      .map((pattern) => pattern.trim())
      .filter(Boolean),
  ),
];
