/**
 * Completes an API description with descriptions of shared fields, and with examples that are composed from field
 * examples.
 */
type Json = Record<string, unknown>;

/**
 * Descriptions of the fields of an API, with realistic values. Keys, from the most to the least specific:
 * `Automation.name` (component or operation id, and field), `error.message` (field within a field), `name`, and for
 * parameters `/v1/automations/{id}`. A value is used where its type matches. The name of a component, or an operation
 * id with ` request`, gives the example of a whole body.
 */
export type FieldGuide = Record<string, readonly [description: string, example?: unknown]>;

type Operation = Json & {
  operationId: string;
  parameters?: (Json & { name: string; in: string; schema: Json })[];
  requestBody?: Content;
  responses: Record<string, Content>;
};
interface Content {
  content?: Record<string, { schema: Json; example?: unknown }>;
}

const textExamples: Record<string, string> = {
  "application/samlmetadata+xml": '<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" …/>',
  "text/html": '<!doctype html><html lang="en"><head><title>Signalbox</title></head><body>…</body></html>',
};

/** Adds descriptions where the contracts have none, and an example for every parameter and body. */
export function completeReference(
  paths: Record<string, Json>,
  schemas: Record<string, Json>,
  fields: FieldGuide,
) {
  const { describe, example } = createReference(fields, schemas);
  for (const [owner, schema] of Object.entries(schemas)) describe(schema, { owner, path: [] });
  for (const [path, methods] of Object.entries(paths)) {
    for (const operation of Object.values(methods) as Operation[]) {
      const owner = operation.operationId;
      for (const parameter of operation.parameters ?? []) {
        const { name } = parameter;
        const own = parameter.in === "path" ? `${path.split(`{${name}}`)[0]}{${name}}` : name;
        const [description, value] = fields[`${owner}.${name}`] ?? fields[own] ?? fields[name] ?? [];
        if (description !== undefined) parameter.description ??= description;
        parameter.example ??=
          parameter.in === "header" ? value : (value ?? example(parameter.schema, { owner, path: [name] }));
      }
      for (const body of Object.values(operation.requestBody?.content ?? {}))
        body.example ??= fields[`${owner} request`]?.[1];
      for (const { content = {} } of [operation.requestBody ?? {}, ...Object.values(operation.responses)]) {
        for (const [media, body] of Object.entries(content)) {
          describe(body.schema, { owner, path: [] });
          const whole =
            media === "application/json" ? undefined : (fields[owner]?.[1] ?? textExamples[media]);
          const value = body.example ?? whole ?? example(body.schema, { owner, path: [] });
          if (value !== undefined) body.example = value;
        }
      }
    }
  }
}

interface Place {
  /** The named schema, or the operation, that the field belongs to. */
  owner: string;
  /** Field names from the owner down; an item of a list has the name of its list. */
  path: readonly string[];
}

function createReference(guide: FieldGuide, components: Record<string, Json>) {
  const find = ({ owner, path }: Place, fits: (entry: FieldGuide[string]) => boolean) => {
    const [name = "", parent] = path.toReversed();
    const keys = [
      `${owner}.${path.join(".")}`,
      ...(parent === undefined ? [] : [`${parent}.${name}`]),
      `${owner}.${name}`,
      name,
    ];
    for (const key of keys) {
      const entry = Object.hasOwn(guide, key) ? guide[key] : undefined;
      if (entry && fits(entry)) return entry;
    }
    return undefined;
  };

  /** Adds the guide's description to each field that has none of its own. */
  function describe(schema: Json, place: Place): void {
    for (const [name, field] of Object.entries((schema.properties ?? {}) as Record<string, Json>)) {
      const at = { owner: place.owner, path: [...place.path, name] };
      if (field.description === undefined) {
        const description =
          find(at, () => true)?.[0] ?? (findComponent(field)?.description as string | undefined);
        if (description !== undefined) field.description = description;
      }
      describe(field, at);
    }
    for (const part of listParts(schema)) describe(part, place);
  }

  const findComponent = ({ $ref }: Json): Json | undefined =>
    typeof $ref === "string" ? components[$ref.replace("#/components/schemas/", "")] : undefined;

  /**
   * Builds a value for the schema from the examples of its fields. Returns undefined when no realistic value is known.
   */
  function example(schema: Json, place: Place): unknown {
    if (typeof schema.$ref === "string") {
      const own = find(place, ([, value]) => isComposite(value) && fitsType(findComponent(schema)!, value));
      if (own && place.path.length > 0) return own[1];
      const owner = schema.$ref.replace("#/components/schemas/", "");
      return example(components[owner]!, { owner, path: [] });
    }
    const whole = place.path.length === 0 ? guide[place.owner]?.[1] : undefined;
    if (whole !== undefined && fitsType(schema, whole)) return whole;
    if (Array.isArray(schema.examples)) return schema.examples[0];
    if ("const" in schema) return schema.const;
    if (place.path.length > 0) {
      const entry = find(place, ([, value]) => value !== undefined && fitsType(schema, value));
      if (entry) return entry[1];
    }
    if ("default" in schema) return schema.default;
    if (Array.isArray(schema.enum)) return schema.enum[0];
    const options = listOptions(schema);
    // A choice next to `properties` restricts them, and is not a schema of its own.
    if (options.length > 0 && !schema.properties)
      return example(options.find((option) => option.type !== "null") ?? {}, place);
    const types = [schema.type].flat();
    switch (types.find((type) => type !== "null")) {
      case "object":
        return objectExample(schema, place);
      case "array": {
        const item = example((schema.items ?? {}) as Json, place);
        return item === undefined ? undefined : [item];
      }
      case "boolean":
        return true;
      case "integer":
      case "number":
        return /At$/.test(place.path.at(-1) ?? "") ? exampleTime : Math.max(0, Number(schema.minimum ?? 1));
      default:
        return types.includes("null") ? null : undefined;
    }
  }

  function objectExample(schema: Json, { owner, path }: Place): unknown {
    const fields = Object.entries((schema.properties ?? {}) as Record<string, Json>);
    const values = fields.map(([name, field]) => [name, example(field, { owner, path: [...path, name] })]);
    const required = (schema.required ?? []) as string[];
    if (values.some(([name, value]) => value === undefined && required.includes(name as string)))
      return undefined;
    return Object.fromEntries(values.filter(([, value]) => value !== undefined));
  }

  return { describe, example };
}

/** 2026-11-02, 09:30 UTC. */
const exampleTime = 1_793_611_800_000;

const listOptions = (schema: Json) => (schema.anyOf ?? schema.oneOf ?? []) as Json[];

const listParts = (schema: Json): Json[] => [
  ...listOptions(schema),
  ...((schema.allOf ?? []) as Json[]),
  ...(schema.items ? [schema.items as Json] : []),
  ...(isComposite(schema.additionalProperties) ? [schema.additionalProperties as Json] : []),
];

const isComposite = (value: unknown) => typeof value === "object" && value !== null;

/** Returns true when the schema allows the type of the value. A test of the contracts checks the contents. */
function fitsType(schema: Json, value: unknown): boolean {
  const options = listOptions(schema);
  if (options.length > 0) return options.some((option) => fitsType(option, value));
  if (Array.isArray(schema.enum)) return schema.enum.includes(value);
  if (Array.isArray(schema.type)) return schema.type.some((type) => fitsType({ type }, value));
  switch (schema.type) {
    case undefined:
      return true;
    case "array":
      return Array.isArray(value);
    case "object":
      return isComposite(value) && !Array.isArray(value);
    case "integer":
      return Number.isInteger(value);
    case "null":
      return value === null;
    default:
      return typeof value === schema.type;
  }
}
