/** One line of the doctor's report. */
export interface Finding {
  check: string;
  level: "ok" | "warning" | "problem";
  message: string;
  /** What to do about it. */
  advice?: string;
  /** Repairs it without risk to data, and returns what was done. */
  fix?: () => Promise<string> | string;
}

/** Adds the repair that `doctor --fix` does. */
export const fixable = (finding: Finding, fix: NonNullable<Finding["fix"]>): Finding => ({ ...finding, fix });

export const ok = (check: string, message: string): Finding => ({ check, level: "ok", message });
export const warning = (check: string, message: string, advice: string): Finding => ({
  check,
  level: "warning",
  message,
  advice,
});
export const problem = (check: string, message: string, advice?: string): Finding => ({
  check,
  level: "problem",
  message,
  ...(advice ? { advice } : {}),
});

export const describeReason = (error: unknown): string => {
  const { message, code, cause } = error as Error & { code?: string };
  if (cause instanceof Error) return describeReason(cause);
  return message || code || String(error);
};
