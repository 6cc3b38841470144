import { z } from "zod";
import type { Scalar } from "../record.ts";

const maxAttributes = 64;
const maxNameLength = 128;
const maxTextLength = 16_384;

/** Only these are described, because a request can have 32,000 attributes. */
const maxProblems = 5;

const isScalar = (value: unknown): value is Scalar =>
  value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean";

/** At most `max` characters. A character has one or two units. */
const isShort = (text: string, max: number): boolean =>
  text.length <= max || (text.length <= 2 * max && [...text].length <= max);

/** What zod reports for a union of these types, so that the message is the same as for other fields. */
const wrongType = (["number", "string", "boolean", "null"] as const).map((expected) => [
  { code: "invalid_type" as const, expected, path: [], message: "" },
]);

/** Counts the attributes before it looks at them. The name `__proto__` is left out, as zod does for records. */
function checkAttributes(given: unknown, issues: z.RefinementCtx): Record<string, Scalar> {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    issues.addIssue({ code: "invalid_type", expected: "record", input: given });
    return z.NEVER;
  }
  const names = Object.keys(given);
  if (names.length > maxAttributes) {
    issues.addIssue({ code: "custom", message: `At most ${maxAttributes} attributes.`, input: given });
    return z.NEVER;
  }
  const attributes = given as Record<string, unknown>;
  let problems = 0;
  for (const name of names) {
    const input = attributes[name];
    const path = [name.slice(0, maxNameLength)];
    if (name === "" || !isShort(name, maxNameLength))
      issues.addIssue({
        code: "custom",
        message: `The name of an attribute has 1 to ${maxNameLength} characters.`,
        input,
        path,
      });
    else if (!isScalar(input)) issues.addIssue({ code: "invalid_union", errors: wrongType, input, path });
    else if (typeof input === "string" && !isShort(input, maxTextLength))
      issues.addIssue({
        code: "too_big",
        origin: "string",
        maximum: maxTextLength,
        inclusive: true,
        input,
        path,
      });
    else continue;
    problems += 1;
    if (problems === maxProblems) return z.NEVER;
  }
  if (!Object.hasOwn(attributes, "__proto__")) return attributes as Record<string, Scalar>;
  return Object.fromEntries(
    Object.entries(attributes as Record<string, Scalar>).filter(([name]) => name !== "__proto__"),
  );
}

/**
 * The attributes of an event. Not a record of a union: that takes several times as long for each attribute, and looks at
 * all of them before it counts them.
 */
export const eventAttributes = z
  .unknown()
  .transform(checkAttributes)
  .meta({
    type: "object",
    propertyNames: { type: "string", minLength: 1, maxLength: maxNameLength },
    additionalProperties: {
      anyOf: [
        { type: "number" },
        { type: "string", maxLength: maxTextLength },
        { type: "boolean" },
        { type: "null" },
      ],
    },
  });
