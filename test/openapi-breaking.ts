/**
 * `node test/openapi-breaking.ts old.json new.json`: finds changes of the API description that can break a client that
 * works today. `test/openapi-allowed-breaks.json` lists the accepted ones, each with its reason.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compareSchemas, type Direction, type Schema } from "./openapi-schemas.ts";

type Content = Record<string, { schema?: Schema }>;

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema?: Schema;
}

interface Operation {
  parameters?: Parameter[];
  security?: Record<string, string[]>[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { headers?: Record<string, unknown>; content?: Content }>;
}

export interface Description {
  paths: Record<string, Record<string, Operation>>;
  components?: { schemas?: Record<string, Schema> };
}

interface AllowedBreak {
  /** The break as it is printed. */
  break: string;
  reason: string;
}

/** Every breaking change from `old` to `next`, as one sentence each. */
export function findBreaks(old: Description, next: Description): string[] {
  const found = Object.entries(old.paths).flatMap(([path, methods]) => {
    const nextMethods = next.paths[path];
    if (!nextMethods) return [`${path}: the path was removed`];
    return Object.entries(methods).flatMap(([method, operation]) => {
      const where = `${method.toUpperCase()} ${path}`;
      const nextOperation = nextMethods[method];
      if (!nextOperation) return [`${where}: the method was removed`];
      return compareOperations(operation, nextOperation, where);
    });
  });
  return [...new Set(found)];

  function compareOperations(before: Operation, after: Operation, where: string): string[] {
    return [
      ...compareParameters(before.parameters ?? [], after.parameters ?? [], where),
      ...compareRequestBodies(before.requestBody, after.requestBody, where),
      ...compareResponses(before.responses, after.responses, where),
      ...compareSecurity(before.security ?? [], after.security ?? [], where),
    ];
  }

  function compareParameters(before: Parameter[], after: Parameter[], where: string): string[] {
    const find = (list: Parameter[], one: Parameter) =>
      list.find((other) => other.name === one.name && other.in === one.in);
    const changed = before.flatMap((parameter) => {
      const nextParameter = find(after, parameter);
      const at = `${where}, ${parameter.in} parameter \`${parameter.name}\``;
      if (!nextParameter) return [`${at}: the parameter was removed`];
      return [
        ...(nextParameter.required && !parameter.required ? [`${at}: became required`] : []),
        ...compare(parameter.schema, nextParameter.schema, "request", at),
      ];
    });
    const added = after
      .filter((parameter) => parameter.required && !find(before, parameter))
      .map(
        ({ name, in: place }) => `${where}, ${place} parameter \`${name}\`: a required parameter was added`,
      );
    return [...changed, ...added];
  }

  function compareRequestBodies(
    before: Operation["requestBody"],
    after: Operation["requestBody"],
    where: string,
  ): string[] {
    if (!before) return after?.required ? [`${where}, request: a required body was added`] : [];
    if (!after) return [`${where}, request: the body was removed`];
    return [
      ...(after.required && !before.required ? [`${where}, request: the body became required`] : []),
      ...compareContent(before.content, after.content, "request", `${where}, request`),
    ];
  }

  function compareResponses(
    before: Operation["responses"],
    after: Operation["responses"],
    where: string,
  ): string[] {
    const changed = Object.entries(before).flatMap(([status, response]) => {
      const at = `${where}, response ${status}`;
      const nextResponse = after[status];
      if (!nextResponse) return [`${at}: the status was removed`];
      const headers = Object.keys(response.headers ?? {}).filter(
        (header) => !(header in (nextResponse.headers ?? {})),
      );
      return [
        ...headers.map((header) => `${at}: the header \`${header}\` was removed`),
        ...compareContent(response.content ?? {}, nextResponse.content ?? {}, "response", at),
      ];
    });
    // A client treats an unknown error like any error of its class, but has no use for another kind of success.
    const added = Object.keys(after)
      .filter((status) => Number(status) < 400 && !(status in before))
      .map((status) => `${where}, response ${status}: a status that is not an error was added`);
    return [...changed, ...added];
  }

  function compareSecurity(
    before: NonNullable<Operation["security"]>,
    after: NonNullable<Operation["security"]>,
    where: string,
  ): string[] {
    if (before.length === 0) return after.length > 0 ? [`${where}: a credential became required`] : [];
    const accepted = new Set(after.map((one) => JSON.stringify(Object.keys(one).sort())));
    return before
      .map((one) => Object.keys(one).sort())
      .filter((names) => after.length > 0 && !accepted.has(JSON.stringify(names)))
      .map((names) => `${where}: the credential \`${names.join(" and ")}\` is no longer accepted`);
  }

  function compareContent(before: Content, after: Content, direction: Direction, where: string): string[] {
    return Object.entries(before).flatMap(([type, { schema }]) =>
      after[type]
        ? compare(schema, after[type].schema, direction, where)
        : [`${where}: the content type ${type} was removed`],
    );
  }

  function compare(
    before: Schema | undefined,
    after: Schema | undefined,
    direction: Direction,
    where: string,
  ): string[] {
    return compareSchemas(before ?? {}, after ?? {}, direction, {
      old: old.components?.schemas ?? {},
      next: next.components?.schemas ?? {},
    }).map(({ path, change }) => `${where}${path ? `, \`${path}\`` : ""}: ${change}`);
  }
}

/** Prints the breaking changes and returns the exit code. */
export function reportBreaks(
  breaks: readonly string[],
  allowed: readonly AllowedBreak[],
  print: (line: string) => void,
): number {
  const reasons = new Map(allowed.map(({ break: text, reason }) => [text, reason.trim()]));
  const refused = breaks.filter((text) => !reasons.get(text));
  for (const text of breaks) {
    const reason = reasons.get(text);
    print(reason ? `allowed: ${text} (${reason})` : `BREAKING: ${text}`);
  }
  if (refused.length > 0) {
    print(
      "Keep the old behavior beside the new one, or add each break with its reason to test/openapi-allowed-breaks.json.",
    );
  }
  return refused.length > 0 ? 1 : 0;
}

if (import.meta.main) {
  const [oldFile, nextFile] = process.argv.slice(2);
  if (!oldFile || !nextFile) {
    console.error("usage: node test/openapi-breaking.ts old.json new.json");
    process.exit(2);
  }
  const read = (file: string) => JSON.parse(readFileSync(file, "utf8"));
  const allowed: AllowedBreak[] = read(join(import.meta.dirname, "openapi-allowed-breaks.json"));
  const breaks = findBreaks(read(oldFile), read(nextFile));
  process.exitCode = reportBreaks(breaks, allowed, console.log);
  if (breaks.length === 0) console.log("No breaking change.");
}
