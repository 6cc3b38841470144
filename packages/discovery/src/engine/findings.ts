import type { RequirementCode, WarningCode } from "./codes.ts";
import type { Requirement, Warning } from "./result.ts";

/** Collects warnings and requirements in the order in which they are found. Duplicates are dropped. */
export class Findings {
  readonly warnings: Warning[] = [];
  readonly requirements: Requirement[] = [];

  warn(code: WarningCode, message: string) {
    if (!this.warnings.some((known) => known.code === code && known.message === message))
      this.warnings.push({ code, message });
  }

  require(code: RequirementCode, label: string, reason: string) {
    if (!this.requirements.some((known) => known.code === code))
      this.requirements.push({ code, label, reason, required: true });
  }

  addAll(other: Findings) {
    for (const { code, message } of other.warnings) this.warn(code, message);
    for (const { code, label, reason } of other.requirements) this.require(code, label, reason);
  }
}

/** Turns part of a sentence into a whole one: "answered 404" becomes "Answered 404.". */
export function formatSentence(text: string | undefined): string {
  if (text === undefined || text === "") return "";
  const capital = text[0]?.toUpperCase() + text.slice(1);
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}
