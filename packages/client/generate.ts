/** Writes `src/api.ts`, the types of the HTTP API, from `openapi.json`. With `--check` it only compares. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  not?: Schema;
  items?: Schema;
  prefixItems?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
}

type Content = Record<string, { schema?: Schema }>;

interface Operation {
  operationId?: string;
  summary?: string;
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema?: Schema }[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { content?: Content }>;
}

interface Description {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

const jsonType = "application/json";
const streamType = "text/event-stream";
const { values: flags } = parseArgs({ options: { check: { type: "boolean", default: false } } });
const source = join(import.meta.dirname, "../../openapi.json");
const target = join(import.meta.dirname, "src/api.ts");

function generate({ paths, components }: Description): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.operationId !== undefined)
      .map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
  );
  const answersJson = operations.filter(({ operation }) => readReply(operation) !== undefined);
  const answersStream = operations.filter(({ operation }) =>
    successContents(operation).some((content) => content && streamType in content),
  );
  const idempotent = operations.filter(({ operation }) =>
    operation.parameters?.some(({ name }) => name.toLowerCase() === "idempotency-key"),
  );
  return [
    "// Generated from openapi.json by packages/client/generate.ts. Do not edit; run `npm run openapi`.\n",
    ...Object.entries(components.schemas).map(
      ([name, schema]) => `${comment(schema.description, "")}export type ${name} = ${write(schema, "")};\n`,
    ),
    "/** Every operation that replies with JSON or without a body. */",
    "export interface Operations {",
    ...answersJson.map(({ name, operation }) => writeOperation(name, operation, readReply(operation)!)),
    "}\n",
    "/** Every operation that replies with a stream of events. */",
    "export interface Streams {",
    ...answersStream.map(({ name, operation }) => writeOperation(name, operation)),
    "}\n",
    "/** The operations that accept an `Idempotency-Key`. */",
    "export const idempotentOperations: ReadonlySet<string> = new Set([",
    ...idempotent.map(({ name }) => `  ${JSON.stringify(name)},`),
    "]);\n",
  ].join("\n");
}

function writeOperation(name: string, operation: Operation, reply?: string): string {
  const lines = [
    `${comment(operation.summary, "  ")}  ${JSON.stringify(name)}: {`,
    `    input: ${writeInput(operation)};`,
    ...(reply === undefined ? [] : [`    reply: ${reply};`]),
    "  };",
  ];
  return lines.join("\n");
}

function writeInput({ parameters = [], requestBody }: Operation): string {
  const groups = (["path", "query"] as const).flatMap((place) => {
    const found = parameters.filter((parameter) => parameter.in === place);
    if (found.length === 0) return [];
    const fields = found.map(
      ({ name, required, description, schema = {} }) =>
        `${comment(description, "        ")}        ${key(name)}${required ? "" : "?"}: ${write(schema, "        ")};\n`,
    );
    const isOptional = found.every(({ required }) => !required);
    return [`      ${place}${isOptional ? "?" : ""}: {\n${fields.join("")}      };\n`];
  });
  const body = requestBody?.content[jsonType]?.schema;
  if (body) groups.push(`      body${requestBody.required ? "" : "?"}: ${write(body, "      ")};\n`);
  return groups.length === 0 ? "object" : `{\n${groups.join("")}    }`;
}

const successContents = ({ responses }: Operation) =>
  Object.entries(responses)
    .filter(([status]) => status.startsWith("2"))
    .map(([, { content }]) => content);

/** The type of a successful reply. Undefined when the operation replies with something other than JSON. */
function readReply(operation: Operation): string | undefined {
  const types = successContents(operation).map((content) => {
    if (!content) return "undefined";
    const schema = content[jsonType]?.schema;
    return schema && write(schema, "    ");
  });
  return types.length === 0 || types.includes(undefined) ? undefined : [...new Set(types)].join(" | ");
}

function write(schema: Schema, indent: string): string {
  if (schema.$ref) return schema.$ref.replace("#/components/schemas/", "");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) {
    const union = [...new Set(choices.map((choice) => write(choice, indent)))].join(" | ");
    return schema.properties ? `${writeObject(schema, indent)} & (${union})` : union;
  }
  if (schema.allOf) return schema.allOf.map((part) => writeMember(part, indent)).join(" & ");
  if (schema.not && Object.keys(schema.not).length === 0) return "never";
  const types = [schema.type ?? []].flat();
  if (types.length === 0) return schema.properties ? writeObject(schema, indent) : "unknown";
  return types.map((type) => writeType(type, schema, indent)).join(" | ");
}

function writeType(type: string, schema: Schema, indent: string): string {
  if (type === "integer") return "number";
  if (type === "array") {
    if (schema.prefixItems) return `[${schema.prefixItems.map((item) => write(item, indent)).join(", ")}]`;
    return `${writeMember(schema.items ?? {}, indent)}[]`;
  }
  return type === "object" ? writeObject(schema, indent) : type;
}

function writeObject(schema: Schema, indent: string): string {
  const { properties = {}, required = [], additionalProperties } = schema;
  const inner = `${indent}  `;
  const fields = Object.entries(properties).map(([name, field]) => {
    const mark = required.includes(name) ? "" : "?";
    return `${comment(field.description, inner)}${inner}${key(name)}${mark}: ${write(field, inner)};\n`;
  });
  const rest = typeof additionalProperties === "object" ? write(additionalProperties, inner) : "unknown";
  if (fields.length === 0) {
    return additionalProperties === false ? "Record<string, never>" : `Record<string, ${rest}>`;
  }
  return `{\n${fields.join("")}${indent}}`;
}

/** Writes a type as a part of another one, in parentheses where it has several parts. */
function writeMember(schema: Schema, indent: string): string {
  const { anyOf, oneOf, allOf, enum: values, type } = schema;
  const parts = schema.$ref ? undefined : (anyOf ?? oneOf ?? allOf ?? values ?? type);
  const text = write(schema, indent);
  return Array.isArray(parts) && parts.length > 1 ? `(${text})` : text;
}

const key = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

function comment(description: string | undefined, indent: string): string {
  if (!description) return "";
  const lines = description.replaceAll("*/", "* /").split("\n");
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} *${line && ` ${line}`}\n`).join("")}${indent} */\n`;
}

const text = generate(JSON.parse(readFileSync(source, "utf8")) as Description);

if (!flags.check) {
  writeFileSync(target, text);
} else if (readFileSync(target, "utf8") !== text) {
  console.error("packages/client/src/api.ts does not match openapi.json. Run `npm run openapi`.");
  process.exitCode = 1;
}
