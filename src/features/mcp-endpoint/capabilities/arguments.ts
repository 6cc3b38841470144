import { type Detail, invalidRequest } from "../../../platform/errors.ts";

const maxDetails = 20;
const maxDepth = 8;

/**
 * Checks the parts of a JSON Schema that models get wrong: types, required and unknown properties, and enumerations.
 * The schema comes from an outside server, so nothing of it is compiled and no pattern of it is run. The server itself
 * checks the rest.
 */
export function checkArguments(schema: unknown, args: unknown): void {
  const details: Detail[] = [];
  if (args === null || typeof args !== "object" || Array.isArray(args))
    details.push({ message: "The arguments must be an object.", path: ["arguments"] });
  else checkValue(schema, args, ["arguments"], 0, details);
  if (details.length > 0) throw invalidRequest(details);
}

type Path = (string | number)[];

function checkValue(schema: unknown, value: unknown, path: Path, depth: number, details: Detail[]): void {
  if (depth > maxDepth || details.length >= maxDetails || !isObject(schema)) return;
  // These say more than one thing about a value, or refer to it elsewhere: the server decides.
  if ("$ref" in schema || "anyOf" in schema || "oneOf" in schema || "not" in schema) return;
  const types = [schema.type].flat().filter((type) => typeof type === "string");
  if (types.length > 0 && !types.some((type) => hasType(type, value))) {
    details.push({ message: `Must be ${types.join(" or ")}, not ${nameType(value)}.`, path });
    return;
  }
  if (Array.isArray(schema.enum) && !schema.enum.some((choice) => isSame(choice, value)))
    details.push({ message: `Must be one of ${JSON.stringify(schema.enum).slice(0, 300)}.`, path });
  if (Array.isArray(value)) {
    for (const [i, item] of value.slice(0, 100).entries())
      checkValue(schema.items, item, [...path, i], depth + 1, details);
  } else if (isObject(value)) checkProperties(schema, value, path, depth, details);
}

function checkProperties(
  schema: Record<string, unknown>,
  value: Record<string, unknown>,
  path: Path,
  depth: number,
  details: Detail[],
): void {
  const properties = isObject(schema.properties) ? schema.properties : {};
  for (const name of Array.isArray(schema.required) ? schema.required : [])
    if (typeof name === "string" && !Object.hasOwn(value, name) && details.length < maxDetails)
      details.push({ message: "This argument is required.", path: [...path, name] });
  for (const [name, item] of Object.entries(value)) {
    if (details.length >= maxDetails) return;
    if (Object.hasOwn(properties, name))
      checkValue(properties[name], item, [...path, name], depth + 1, details);
    else if (
      schema.additionalProperties === false &&
      !("patternProperties" in schema) &&
      !("allOf" in schema)
    )
      details.push({
        message: `There is no such argument. Known: ${Object.keys(properties).slice(0, 30).join(", ") || "none"}.`,
        path: [...path, name.slice(0, 100)],
      });
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === "object" && !Array.isArray(value);

/** Arrays and objects in an enumeration are left to the server. */
const isSame = (choice: unknown, value: unknown) =>
  choice === value || (typeof choice === "object" && choice !== null);

function nameType(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function hasType(type: string, value: unknown): boolean {
  if (type === "integer") return typeof value === "number" && Number.isInteger(value);
  if (type === "object") return isObject(value);
  if (type === "array" || type === "null") return nameType(value) === type;
  return !["string", "number", "boolean"].includes(type) || typeof value === type;
}
