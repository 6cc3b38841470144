/** What a test of a key can find out. docs/llm-providers.md explains each. */
export const verdicts = [
  "valid",
  "refused",
  "model_not_allowed",
  "quota_exhausted",
  "wrong_address",
  "blocked_by_egress",
  "unavailable",
] as const;
export type Verdict = (typeof verdicts)[number];
