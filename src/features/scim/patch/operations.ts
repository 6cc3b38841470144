import { invalidSyntax, invalidValue, noTarget } from "../errors.ts";
import { isObject } from "../resources/index.ts";

export interface Operation {
  op: "add" | "replace" | "remove";
  path: string | undefined;
  value: unknown;
}

const patchUrn = "urn:ietf:params:scim:api:messages:2.0:patchop";
const maxOperations = 1_000;

/** The value of a key in any case. */
const readKey = (body: Record<string, unknown>, name: string): unknown =>
  Object.entries(body).find(([key]) => key.toLowerCase() === name)?.[1];

/** Reads the body of a PATCH. Entra ID writes the operations in PascalCase. */
export function readOperations(body: unknown): Operation[] {
  if (!isObject(body)) throw invalidSyntax("The body must be a JSON object with `Operations`.");
  const schemas = readKey(body, "schemas");
  if (Array.isArray(schemas) && !schemas.some((one) => String(one).toLowerCase() === patchUrn))
    throw invalidSyntax("The body of a PATCH has the schema urn:ietf:params:scim:api:messages:2.0:PatchOp.");
  const operations = readKey(body, "operations");
  if (!Array.isArray(operations) || operations.length === 0)
    throw invalidSyntax("`Operations` must be a list with at least one operation.");
  if (operations.length > maxOperations)
    throw invalidValue(`A PATCH has at most ${maxOperations} operations. Send the rest in another request.`);
  return operations.map(readOperation);
}

function readOperation(raw: unknown): Operation {
  if (!isObject(raw)) throw invalidSyntax("Each operation must be an object.");
  const op = String(readKey(raw, "op")).toLowerCase();
  if (op !== "add" && op !== "replace" && op !== "remove")
    throw invalidSyntax("The `op` of an operation must be add, replace or remove.");
  const path = readKey(raw, "path") ?? undefined;
  if (path !== undefined && typeof path !== "string") throw invalidSyntax("The `path` must be text.");
  const value = readKey(raw, "value");
  if (op === "remove" && !path) throw noTarget("A remove needs a `path`.");
  if (op !== "remove" && value === undefined)
    throw invalidValue(`${op === "add" ? "An add" : "A replace"} needs a \`value\`.`);
  return { op, path: path || undefined, value };
}
