export interface Parameter {
  /** With the names of the objects around it: `filter.since`. */
  name: string;
  type: string;
  isRequired: boolean;
  description: string | undefined;
}

type Schema = Record<string, unknown>;
const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const maxDepth = 4;
const maxParameters = 200;

/** The parameters of a JSON schema as a flat list. What it cannot show is visible in the JSON beside it. */
export function listParameters(schema: unknown): Parameter[] {
  const found: Parameter[] = [];
  collect(schema, "", 0, found);
  return found;
}

function collect(schema: unknown, prefix: string, depth: number, found: Parameter[]): void {
  if (!isSchema(schema) || !isSchema(schema.properties) || depth >= maxDepth) return;
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  for (const [name, property] of Object.entries(schema.properties)) {
    if (found.length >= maxParameters) return;
    found.push({
      name: prefix + name,
      type: nameType(property),
      isRequired: required.includes(name),
      description:
        isSchema(property) && typeof property.description === "string" ? property.description : undefined,
    });
    const inner = isSchema(property) && isSchema(property.items) ? property.items : property;
    collect(inner, `${prefix}${name}${inner === property ? "" : "[]"}.`, depth + 1, found);
  }
}

/** `string`, `"low" | "high"`, `string[]`, `integer | null`. */
function nameType(schema: unknown, depth = 0): string {
  if (!isSchema(schema) || depth > maxDepth) return "any";
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const options = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(options)) return options.map((option) => nameType(option, depth + 1)).join(" | ");
  if (schema.type === "array") return `${nameType(schema.items, depth + 1)}[]`;
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  const names = types.filter((type) => typeof type === "string");
  const name = names.length > 0 ? names.join(" | ") : "any";
  return typeof schema.format === "string" ? `${name} (${schema.format})` : name;
}
