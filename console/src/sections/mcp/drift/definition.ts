import { sortNames, writeCompactJson } from "../../../lib/compact-json.ts";
import type { Drift } from "../types.ts";

export type Definition = NonNullable<Drift["after"]>;
type Schema = Record<string, unknown>;

const isObject = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A schema as lines: a line for each parameter, in the order of `like`, then the rest. Names of parameters have quotes. */
export function writeSchema(schema: unknown, like: unknown = schema): string {
  if (!isObject(schema)) return schema === undefined ? "" : writeCompactJson(schema);
  const { properties, ...rest } = sortNames(schema) as Schema;
  const order = listNames(like);
  const place = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length);
  const parameters = isObject(properties)
    ? Object.entries(properties).sort(([one], [other]) => place(one) - place(other))
    : [];
  return [
    ...parameters.map(([name, property]) => `${JSON.stringify(name)}: ${writeCompactJson(property)}`),
    ...Object.entries(rest)
      .filter(([name, value]) => !(name === "type" && value === "object") && name !== "$schema")
      .map(([name, value]) => `${name}: ${writeCompactJson(value)}`),
    ...(properties !== undefined && !isObject(properties)
      ? [`properties: ${writeCompactJson(properties)}`]
      : []),
  ].join("\n");
}

const listNames = (schema: unknown): string[] =>
  isObject(schema) && isObject(schema.properties) ? Object.keys(schema.properties) : [];

export const writeDefinition = (definition: Definition | null): string =>
  definition === null ? "" : writeCompactJson(sortNames(definition));

type Hints = Record<string, unknown> | undefined;

/** What the hints of a server say about a tool. */
export function readEffect(annotations: Hints): "reads" | "destroys" | "writes" | "unknown" {
  if (annotations?.readOnlyHint === true) return "reads";
  if (annotations?.destructiveHint === true) return "destroys";
  return annotations?.readOnlyHint === false || annotations?.destructiveHint === false ? "writes" : "unknown";
}

const decisive = ["readOnlyHint", "destructiveHint"] as const;

/** The hints that changed, with their present value. Those that are gone only when nothing else says it. */
export function listFlips(before: Hints, after: Hints): { hint: string; value: unknown }[] {
  const flips = decisive
    .filter((hint) => before?.[hint] !== after?.[hint])
    .map((hint) => ({ hint, value: after?.[hint] }));
  const given = flips.filter(({ value }) => value !== undefined);
  return given.length > 0 ? given : flips;
}

const drop = (annotations: Hints): Schema =>
  Object.fromEntries(
    Object.entries(annotations ?? {}).filter(([name]) => !decisive.some((hint) => hint === name)),
  );

interface Part {
  field: "title" | "description" | "inputSchema" | "outputSchema" | "annotations";
  before: string;
  after: string;
}

/** The fields that differ, as texts that can be compared line by line. */
export function listParts(before: Definition | null, after: Definition | null): Part[] {
  const parts: Part[] = [
    { field: "title", before: before?.title ?? "", after: after?.title ?? "" },
    { field: "description", before: before?.description ?? "", after: after?.description ?? "" },
    {
      field: "inputSchema",
      before: writeSchema(before?.inputSchema),
      after: writeSchema(after?.inputSchema, before?.inputSchema ?? after?.inputSchema),
    },
    {
      field: "outputSchema",
      before: writeSchema(before?.outputSchema),
      after: writeSchema(after?.outputSchema, before?.outputSchema ?? after?.outputSchema),
    },
    {
      field: "annotations",
      before: writeSchema(drop(before?.annotations)),
      after: writeSchema(drop(after?.annotations)),
    },
  ];
  return parts.filter((part) => part.before !== part.after);
}
