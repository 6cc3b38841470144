import { z } from "zod";
import { type Detail, invalidRequest } from "../errors.ts";
import { isNestedDeeper } from "../json-depth.ts";
import { describeIssue } from "./issues.ts";
import type { HttpHeaders } from "./request.ts";
import type { RouteSpec } from "./route.ts";

const isJson = (contentType: string) => /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(contentType);

export function parseJson(bytes: Buffer, headers: HttpHeaders): unknown {
  const contentType = headers["content-type"] ?? "";
  if (headers["content-encoding"] !== undefined) {
    throw invalidRequest([{ message: "Send the body without a content-encoding." }]);
  }
  if (bytes.length === 0) throw invalidRequest([{ message: "A JSON body is required." }]);
  if (!isJson(contentType)) {
    throw invalidRequest([
      {
        message: `The content type must be application/json, not ${contentType ? `"${contentType.slice(0, 100)}"` : "absent"}.`,
      },
    ]);
  }
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw notJson();
  }
  // Recursive functions read the value later, and each needs a level of the stack.
  if (isNestedDeeper(text, maxDepth))
    throw invalidRequest([{ message: `The body is nested more than ${maxDepth} deep.` }]);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw notJson();
  }
  if (hasInfinite(value)) refuseInfinite(value, []);
  // PostgreSQL can store neither of them. This is an error of the caller, not of the server.
  if (/\\u0000|\\ud[89a-f]/i.test(text)) refuseUnstorable(value, []);
  return value;
}

const notJson = () => invalidRequest([{ message: "The body is not valid JSON in UTF-8." }]);

/** More than any real request needs, and less than recursive functions can process. */
const maxDepth = 100;

/** Looks at every value once. JSON.parse turns a number that is too large into Infinity. */
function hasInfinite(value: unknown): boolean {
  if (typeof value === "number") return !Number.isFinite(value);
  if (value === null || typeof value !== "object") return false;
  if (Array.isArray(value)) return value.some(hasInfinite);
  // The value comes from JSON.parse, so it inherits no enumerable keys.
  for (const key in value) if (hasInfinite((value as Record<string, unknown>)[key])) return true;
  return false;
}

/** JSON has no Infinity, so it would be stored and returned as null. */
function refuseInfinite(value: unknown, path: (string | number)[]): void {
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY)
    throw invalidRequest([
      { message: "The number is too large. Send a smaller number, or send it as text.", path },
    ]);
  if (Array.isArray(value)) for (const [i, item] of value.entries()) refuseInfinite(item, [...path, i]);
  else if (value && typeof value === "object")
    for (const [key, item] of Object.entries(value)) refuseInfinite(item, [...path, key]);
}

function refuseUnstorable(value: unknown, path: (string | number)[]): void {
  if (typeof value === "string") {
    if (value.includes("\0") || !value.isWellFormed()) {
      throw invalidRequest([{ message: "Text must be valid Unicode without NUL.", path }]);
    }
  } else if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) refuseUnstorable(item, [...path, i]);
  } else if (value && typeof value === "object") {
    for (const [key, item] of Object.entries(value)) {
      refuseUnstorable(key, path);
      refuseUnstorable(item, [...path, key]);
    }
  }
}

const noQuery = z.strictObject({});
const maxQueryLength = 16 * 1024;
const maxParameters = 200;

export function parseQuery(search: string, schema: z.ZodType = noQuery): unknown {
  if (search.length > maxQueryLength) {
    throw invalidRequest([{ message: `The query has more than ${maxQueryLength} characters.` }]);
  }
  // Empty parameters count too, because they take as long to parse.
  if (search.split("&", maxParameters + 1).length > maxParameters) {
    throw invalidRequest([{ message: `The query has more than ${maxParameters} parameters.` }]);
  }
  // Without a prototype, so that `__proto__` is a name like any other and refused like any other.
  const given: Record<string, string> = Object.create(null);
  const wrong = new Map<string, Detail>();
  for (const [name, value] of new URLSearchParams(search)) {
    const problem = Object.hasOwn(given, name)
      ? "Given more than once."
      : findProblemOfParameter(schema, name, value);
    if (problem) wrong.set(name, { message: problem, path: [name.slice(0, shownNameLength)] });
    given[name] = value;
  }
  if (wrong.size > 0) throw invalidRequest([...wrong.values()].slice(0, maxDetails));
  return check(schema, given);
}

function findProblemOfParameter(schema: z.ZodType, name: string, value: string): string | undefined {
  if (value.includes("\0")) return "Text must not contain NUL.";
  const parameter =
    schema instanceof z.ZodObject && Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined;
  return isNumber(parameter) && !decimal.test(value) ? "Must be a number in decimal digits." : undefined;
}

/** `Number` also reads an empty parameter, as 0, and `0x10` and `1e3`. A mistake would then ask for something else. */
const decimal = /^-?\d+(?:\.\d+)?$/;

const isNumber = (schema: unknown): boolean =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodDefault
    ? isNumber(schema.unwrap())
    : schema instanceof z.ZodNumber;

const maxDetails = 50;
const shownNameLength = 100;

/**
 * Checks decoded path parameters. PostgreSQL cannot store U+0000, so it becomes U+FFFD, and the route answers as for
 * any other unknown id.
 */
export function parseParams(given: Readonly<Record<string, string>>, schema: z.ZodType): unknown {
  const storable: Record<string, string> = {};
  for (const name in given) storable[name] = given[name]!.replaceAll("\0", "\ufffd");
  return check(schema, storable);
}

/** Returns the body of a route as its schema describes it. */
export const checkBody = (schema: z.ZodType, value: unknown, { recognizeBody }: RouteSpec): unknown =>
  recognizeBody?.(value) ?? check(schema, value);

/** The schema's output, or a 400 that lists what is wrong. */
export function check<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value, { error: describeIssue });
  if (parsed.success) return parsed.data;
  throw invalidRequest(parsed.error.issues.flatMap(toDetails).slice(0, maxDetails));
}

function toDetails(issue: z.core.$ZodIssue): Detail[] {
  const path = issue.path as (string | number)[];
  if (issue.code === "unrecognized_keys") {
    return issue.keys.slice(0, maxDetails).map((key) => ({
      message: issue.message,
      path: [...path, key.slice(0, shownNameLength)],
    }));
  }
  return [{ message: issue.message, path }];
}
