import type { z } from "zod";

type Issue = z.core.$ZodRawIssue;

/** Describes in one sentence what is wrong with a field. A message from the contract takes precedence. */
export function describeIssue(issue: Issue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === undefined) return required;
      return `Must be ${describeTypeName(issue.expected)}, not ${describeInput(issue.input)}.`;
    case "invalid_value":
      if (issue.input === undefined) return required;
      return issue.values.length === 1
        ? `Must be ${String(issue.values[0])}.`
        : `Must be one of ${issue.values.map(String).join(", ")}.`;
    case "too_small":
      return tooSmall(issue);
    case "too_big":
      return tooBig(issue);
    case "invalid_format":
      return formats[issue.format];
    case "invalid_union":
      return describeUnion(issue);
    case "invalid_key":
      return `The name is not allowed. ${issue.issues[0]?.message ?? ""}`.trimEnd();
    // Not the default text, which has every name.
    case "unrecognized_keys":
      return "This field is not known here.";
    default:
      return undefined;
  }
}

const required = "This field is required.";

const names: Record<string, string> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
  null: "null",
};

const describeTypeName = (expected: string) => names[expected] ?? expected;

function describeInput(input: unknown): string {
  if (input === null) return "null";
  if (Array.isArray(input)) return "a list";
  if (typeof input === "number" && Number.isNaN(input)) return "something else";
  if (typeof input === "boolean") return String(input);
  return typeof input === "number" ? String(input) : describeTypeName(typeof input);
}

const formats: Record<string, string> = {
  email: "Must be an e-mail address, such as ada@example.com.",
  url: "Must be a URL, such as https://example.com.",
};

type Bound<Code> = Extract<Issue, { code: Code }>;

function tooSmall({ origin, minimum, inclusive }: Bound<"too_small">): string | undefined {
  if (origin === "string")
    return minimum === 1 ? "Must not be empty." : `Must have at least ${minimum} characters.`;
  if (origin === "array") return `Must have at least ${items(minimum)}.`;
  return isNumeric(origin) ? `Must be ${inclusive ? "at least" : "more than"} ${minimum}.` : undefined;
}

function tooBig({ origin, maximum, inclusive }: Bound<"too_big">): string | undefined {
  if (origin === "string") return `Must have at most ${maximum} characters.`;
  if (origin === "array") return `Must have at most ${items(maximum)}.`;
  return isNumeric(origin) ? `Must be ${inclusive ? "at most" : "less than"} ${maximum}.` : undefined;
}

const isNumeric = (origin: string) => origin === "number" || origin === "int" || origin === "bigint";
const items = (count: number | bigint) => `${count} item${Number(count) === 1 ? "" : "s"}`;

function describeUnion(issue: Bound<"invalid_union">): string | undefined {
  if (issue.input === undefined) return required;
  const { discriminator, options } = issue as { discriminator?: string; options?: unknown[] };
  if (discriminator !== undefined && options) return `Must be one of ${options.map(String).join(", ")}.`;
  const expected = issue.errors.flat().flatMap(readExpectedType);
  return expected.length === 0
    ? undefined
    : `Must be ${joinChoices([...new Set(expected)])}, not ${describeInput(issue.input)}.`;
}

/** The type that a choice of a union needs, when the value itself has another one. */
const readExpectedType = (issue: z.core.$ZodIssue): string[] =>
  issue.code === "invalid_type" && issue.path.length === 0 ? [describeTypeName(issue.expected)] : [];

/** Joins "a, b, or c". */
const joinChoices = (choices: readonly string[]): string =>
  choices.length < 3 ? choices.join(" or ") : `${choices.slice(0, -1).join(", ")}, or ${choices.at(-1)}`;
