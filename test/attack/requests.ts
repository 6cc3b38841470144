import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Random } from "./random.ts";
import { createValid, hostileValues, mutate, type Schema } from "./values.ts";

interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  schema: Schema;
  example?: unknown;
}

interface Operation {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

export interface AttackedOperation extends Operation {
  method: string;
  path: string;
}

export type Kind = "valid" | "mutated" | "hostile";

export interface AttackRequest {
  kind: Kind;
  operation: AttackedOperation;
  path: string;
  headers: Record<string, string>;
  body?: string;
  contentType?: string;
  /** The ids that the fields of the body refer to. */
  references?: readonly string[];
}

const description = JSON.parse(readFileSync(join(import.meta.dirname, "../../openapi.json"), "utf8")) as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas?: Record<string, Schema> };
};
const schemas = description.components.schemas ?? {};

/** Operations that end the attack itself, and why. They have tests of their own. */
const leftOut: Record<string, string> = {
  deleteV1Organization: "removes the attacker's organization",
  postV1OrganizationLeave: "leaves it",
  deleteV1Me: "removes the attacker",
  postApiAuthSignOut: "ends the attacker's session",
  deleteV1MeSessionsById: "ends one of the attacker's sessions",
  postV1MeSessionsEndOthers: "ends the others",
};

export const operations: readonly AttackedOperation[] = Object.entries(description.paths).flatMap(
  ([path, methods]) =>
    Object.entries(methods)
      .filter(([method, { operationId }]) => method !== "parameters" && !(operationId in leftOut))
      .map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
);

/** Ids that requests name, by what they are: `org`, `run`, and so on. */
export type Ids = ReadonlyMap<string, readonly string[]>;

export interface Sources {
  /** Ids of the attacker's own things. */
  own: Ids;
  /** Ids of the victim's things. */
  foreign: Ids;
}

const allIds = (ids: Ids) => [...ids.values()].flat();

/** Creates one request to one operation. */
export function createRequest(random: Random, operation: AttackedOperation, sources: Sources): AttackRequest {
  const kind = random.pick<Kind>(["valid", "mutated", "mutated", "hostile"]);
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  let { path } = operation;
  for (const parameter of operation.parameters ?? []) {
    const value = createParameter(random, parameter, kind, sources);
    if (parameter.in === "path") path = path.replace(`{${parameter.name}}`, encodeURIComponent(value));
    else if (parameter.required || random.chance(parameter.in === "header" ? 0.1 : 0.4)) {
      if (parameter.in === "query") query.append(parameter.name, value);
      // A header takes no line breaks and no characters above U+00FF; clients refuse to send them.
      else headers[parameter.name] = value.replace(/[^\x20-\x7e]/g, "").trim();
    }
  }
  if (kind === "hostile" && random.chance(0.2))
    query.append(random.pick(["limit", "cursor", "sort", "q"]), text(random.pick(hostileValues)));
  return {
    kind,
    operation,
    path: query.size > 0 ? `${path}?${query}` : path,
    headers,
    ...createBody(random, operation, kind, sources),
  };
}

function createParameter(
  random: Random,
  parameter: Parameter,
  kind: Kind,
  { own, foreign }: Sources,
): string {
  const isId = /id$/i.test(parameter.name) || parameter.in === "path";
  if (isId) {
    const prefix = /^([a-z]{2,4})_/.exec(String(parameter.example ?? ""))?.[1];
    const fitting = (ids: Ids) => (prefix === undefined ? allIds(ids) : (ids.get(prefix) ?? []));
    const choices = random.chance(kind === "valid" ? 0.8 : 0.5) ? fitting(own) : fitting(foreign);
    if (choices.length && (kind !== "hostile" || random.chance(0.5))) return random.pick(choices);
  }
  if (kind === "hostile") return wellFormed(text(random.pick(hostileValues))) || "%";
  return wellFormed(text(createValid(random, parameter.schema, schemas))) || "x";
}

function createBody(random: Random, { requestBody }: Operation, kind: Kind, { own, foreign }: Sources) {
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  if (type === undefined || content === undefined) {
    return kind === "hostile" && random.chance(0.1) ? { body: "{", contentType: "application/json" } : {};
  }
  const references: string[] = [];
  const ids = random.chance(0.7) ? own : foreign;
  let value = withIds(random, createValid(random, content.schema, schemas), ids, references);
  if (kind === "mutated") value = mutate(random, value);
  if (kind === "hostile")
    value = random.chance(0.5) ? random.pick(hostileValues) : mutate(random, mutate(random, value));
  let body = JSON.stringify(value) ?? "null";
  if (kind === "hostile" && random.chance(0.15)) {
    body = random.pick([
      body.slice(0, -1),
      `${body}${body}`,
      `[${"[".repeat(2_000)}`,
      '{"a":1,"a":2}',
      "\ufeff{}",
      `{"__proto__":${body}}`,
    ]);
  }
  const contentType =
    kind === "hostile" && random.chance(0.1)
      ? random.pick([
          "text/plain",
          "application/xml",
          "multipart/form-data",
          "application/json; charset=utf-16",
        ])
      : type;
  return { body, contentType, references: references.filter((id) => body.includes(id)) };
}

/**
 * Fields that refer to a thing by its id, and the prefix of these ids. Other fields that end in "Id" are texts that the
 * caller chooses, such as `runnerId`.
 */
const referencePrefixes: Record<string, string> = {
  automation: "aut",
  breakGlassMember: "mem",
  connection: "ocn",
  discovery: "mcd",
  key: "llk",
  llmProvider: "llp",
  mcpConnection: "mcn",
  member: "mem",
  organization: "org",
  provider: "llp",
  run: "run",
  team: "team",
  template: "tpl",
  upgrade: "wup",
  worker: "wrk",
};

/** Fills the fields that refer to other records with real ids, and adds these ids to `references`. */
function withIds(random: Random, value: unknown, ids: Ids, references: string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => withIds(random, item, ids, references));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const [, kind] = /^(.+)Ids?$/.exec(name) ?? [];
      const known = kind === undefined ? undefined : ids.get(referencePrefixes[kind] ?? "");
      if (!known?.length) return [name, withIds(random, inner, ids, references)];
      const id = random.pick(known);
      references.push(id);
      return [name, Array.isArray(inner) ? [id] : id];
    }),
  );
}

const text = (value: unknown) => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
const wellFormed = (value: string) => value.toWellFormed();
