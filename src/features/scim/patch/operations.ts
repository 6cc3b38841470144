import { invalidSyntax, invalidValue, noTarget } from "../errors.ts";
import { countNames, isObject } from "../resources/index.ts";

export interface Operation {
  op: "add" | "replace" | "remove";
  path: string | undefined;
  value: unknown;
}

const patchUrn = "urn:ietf:params:scim:api:messages:2.0:patchop";
const maxOperations = 1_000;
/** Every path is parsed. A thousand that name one member each have 50,000 characters, and 94,000 with the schema. */
const maxPathsLength = 100_000;
/** Every name is looked up in the schemas, also when it is not known. */
const maxNames = 5_000;

/** The value of a key in any case. */
function readKey(body: Record<string, unknown>, name: string): unknown {
  for (const key in body) if (key.toLowerCase() === name) return body[key];
  return undefined;
}

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
  const read = operations.map(readOperation);
  checkSize(read);
  return read;
}

/** Counts before anything is looked up or parsed. Lists, such as those of members, have limits of their own. */
function checkSize(operations: readonly Operation[]): void {
  let pathsLength = 0;
  let names = 0;
  for (const { path, value } of operations) {
    pathsLength += path?.length ?? 0;
    if (pathsLength > maxPathsLength)
      throw invalidValue(
        `The paths of a PATCH have at most ${maxPathsLength} characters together. Send the rest in another request.`,
      );
    names += countNames(value, maxNames - names);
    if (names > maxNames)
      throw invalidValue(`A PATCH names at most ${maxNames} attributes. Send the rest in another request.`);
  }
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
