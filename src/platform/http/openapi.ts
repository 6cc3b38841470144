import { z } from "zod";
import type { CredentialKind } from "../context.ts";
import { version } from "../version.ts";
import { describeAccess } from "./access.ts";
import { publicKeyLength } from "./idempotency.ts";
import { completeReference, type FieldGuide } from "./reference.ts";
import { refusals } from "./refusals.ts";
import { type HeaderSpec, operationId, type RouteSpec, takesIdempotencyKey } from "./route.ts";
import { isTailPath } from "./router.ts";

type Json = Record<string, unknown>;

export interface ApiInfo {
  version: string;
  description: string;
  tags: readonly { name: string; description: string }[];
  /** Schemes for the machines' tokens, beside the two that everyone knows. */
  tokenSchemes: Partial<Record<CredentialKind, { name: string; description: string }>>;
  /** Descriptions and examples of fields that the contracts do not describe. */
  fields: FieldGuide;
}

/** The whole API as OpenAPI 3.1, from the contracts and nothing else. */
export function describeApi(specs: readonly RouteSpec[], info: ApiInfo): Json {
  const components = new Components();
  const schemeNames: Partial<Record<CredentialKind, string>> = { session: "bearerAuth", key: "apiKeyAuth" };
  const securitySchemes: Json = {
    bearerAuth: { type: "http", scheme: "bearer", description: "Session token, from signing in." },
    apiKeyAuth: {
      type: "apiKey",
      in: "header",
      name: "x-api-key",
      description: "Organization API key, `sbx_…`.",
    },
  };
  for (const [kind, { name, description }] of Object.entries(info.tokenSchemes)) {
    schemeNames[kind as CredentialKind] = name;
    securitySchemes[name] = { type: "http", scheme: "bearer", description };
  }
  const paths: Record<string, Json> = {};
  for (const spec of specs) {
    // Mounted handlers and files have no contract that could be described.
    if (isTailPath(spec.path)) continue;
    paths[spec.path] ??= {};
    paths[spec.path]![spec.method] = {
      operationId: operationId(spec),
      tags: [spec.tag],
      summary: spec.summary,
      description: [spec.description, `**Access:** ${describeAccess(spec.access)}`]
        .filter((text) => text !== undefined)
        .join("\n\n"),
      security:
        spec.access.kind === "public"
          ? []
          : (spec.access.credentials ?? ["session", "key"]).flatMap((kind) =>
              // Some kinds are issued by no room.
              schemeNames[kind] === undefined ? [] : [{ [schemeNames[kind]]: [] }],
            ),
      "x-access": spec.access,
      ...(spec.scopes ? { "x-scopes": spec.scopes } : {}),
      ...describeParameters(spec, components),
      ...(spec.body
        ? {
            requestBody: {
              required: !spec.bodyOptional,
              content: inMediaTypes(spec.protocol?.mediaTypes, components.ref(spec.body, "input")),
            },
          }
        : {}),
      ...(spec.bytes
        ? {
            requestBody: {
              required: true,
              content: Object.fromEntries(spec.bytes.map((media) => [media, { schema: { type: "object" } }])),
            },
          }
        : {}),
      responses: describeResponses(spec, components),
    };
  }
  const schemas = components.schemas();
  completeReference(paths, schemas, info.fields);
  return {
    openapi: "3.1.0",
    info: {
      title: "Signalbox",
      version: info.version,
      // `version` above names the API. This is the version of the release.
      "x-signalbox-version": version,
      description: info.description,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    tags: info.tags.filter(({ name }) => specs.some(({ tag }) => tag === name)),
    paths,
    components: { securitySchemes, schemas },
  };
}

function describeParameters(spec: RouteSpec, components: Components): Json {
  const parameters: Json[] = [];
  for (const [where, schema] of [
    ["path", spec.params],
    ["query", spec.query],
  ] as const) {
    const described = schema
      ? (components.inline(schema, "input") as { properties?: Json; required?: string[] })
      : {};
    for (const [name, property] of Object.entries(described.properties ?? {})) {
      const { description, ...rest } = property as { description?: string };
      const required = where === "path" || (described.required?.includes(name) ?? false);
      parameters.push({ name, in: where, required, ...(description ? { description } : {}), schema: rest });
    }
  }
  if (
    spec.access.kind === "member" &&
    spec.access.credentials?.every((kind) => kind !== "session") !== true
  ) {
    parameters.push({
      name: "x-organization-id",
      in: "header",
      required: false,
      description: "The organization for this request, instead of the session's active one.",
      example: "org_01jz8q2d9xf4vvh0tbq8k3m5na",
      schema: { type: "string" },
    });
  }
  if (takesIdempotencyKey(spec)) {
    parameters.push({
      name: "Idempotency-Key",
      in: "header",
      required: false,
      description: "A repeated request with the same key within 24 hours gets the first reply again.",
      example: "5b7f3c1e-8a42-4d0e-9c55-1f0a6f2b7d31",
      schema: {
        type: "string",
        minLength: spec.access.kind === "public" ? publicKeyLength : 1,
        maxLength: 255,
      },
    });
  }
  for (const [name, { description, required = false, example }] of Object.entries(spec.requestHeaders ?? {}))
    parameters.push({ name, in: "header", required, description, example, schema: { type: "string" } });
  return parameters.length ? { parameters } : {};
}

const outcomes: Record<string, string> = {
  201: "Created.",
  202: "Accepted.",
  204: "Done.",
  304: "Not modified.",
};

/** The refusals a route can give follow from its contract; `errors` adds those that only its service knows. */
function describeResponses(spec: RouteSpec, components: Components): Json {
  const statuses = new Set<number>([400, 500, 503]);
  if (spec.access.kind !== "public") for (const status of [401, 403]) statuses.add(status);
  if (spec.params) statuses.add(404);
  if (spec.body || spec.bytes) statuses.add(413);
  const isInOrganization = spec.access.kind === "member" || spec.access.kind === "machine";
  if (takesIdempotencyKey(spec) || (isInOrganization && spec.method !== "get")) statuses.add(409);
  if (spec.limit) statuses.add(429);
  if (spec.protocol && spec.body) statuses.add(415);
  const responses: Record<string, Json> = {};
  for (const [status, schema] of Object.entries(spec.replies)) {
    responses[status] = {
      description: outcomes[status] ?? refusals[Number(status)]?.description ?? "OK",
      headers: describeHeaders(Number(status), {
        ...(takesIdempotencyKey(spec) && schema ? { "idempotency-replayed": replayed } : {}),
        ...spec.replyHeaders,
      }),
      ...(schema
        ? {
            content: {
              ...inMediaTypes(
                spec.raw ? [spec.raw] : spec.protocol?.mediaTypes,
                components.ref(schema, "output"),
              ),
              ...(spec.mayStream ? { "text/event-stream": { schema: { type: "string" } } } : {}),
            },
          }
        : {}),
    };
  }
  if (spec.navigation) {
    responses[spec.navigation.status] = {
      description: spec.navigation.description,
      headers: describeHeaders(spec.navigation.status, { Location: location }),
    };
  }
  for (const status of statuses) {
    if (status in spec.replies) continue;
    const refusal =
      status === 404 ? { ...refusals[404]!, example: createNotFoundExample(spec.path) } : refusals[status]!;
    responses[status] = refusalResponse(status, refusal, spec, components);
  }
  for (const [status, extra] of Object.entries(spec.errors ?? {})) {
    const standard = refusals[Number(status)] ?? refusals[409]!;
    const refusal =
      typeof extra === "string"
        ? { ...standard, description: extra, ...createExampleWithCode(standard, extra) }
        : extra;
    responses[status] = refusalResponse(Number(status), refusal, spec, components);
  }
  return responses;
}

interface RefusalExample {
  description: string;
  schema: z.ZodType;
  example?: Json;
}

const refusalResponse = (
  status: number,
  { description, schema, example }: RefusalExample,
  { protocol }: RouteSpec,
  components: Components,
): Json => ({
  description,
  headers: describeHeaders(status),
  content: protocol?.error
    ? inMediaTypes(protocol.mediaTypes, components.ref(protocol.error.schema, "output"))
    : {
        "application/json": {
          schema: components.ref(schema, "output"),
          ...(example ? { example } : {}),
        },
      },
});

/** One schema in several media types. */
const inMediaTypes = (types: readonly string[] = ["application/json"], schema: Json): Json =>
  Object.fromEntries(types.map((media) => [media, { schema }]));

/** `/v1/automation-runs/{id}/events` → `automation_run_not_found`. */
function createNotFoundExample(path: string): Json {
  const [, things = ""] = /.*?([\w-]+)\/\{\w+\}[^{]*$/.exec(path) ?? [];
  const thing = things.replace(/ies$/, "y").replace(/s$/, "").replaceAll("-", "_");
  return { error: `${thing}_not_found` };
}

/** The example uses the code in backquotes at the beginning of the text. */
function createExampleWithCode({ example }: RefusalExample, text: string): { example?: Json } {
  const [, code, sentence] = /^`([a-z_]+)`(?:: ([^.]+\.))?/.exec(text) ?? [];
  const message = sentence && sentence.charAt(0).toUpperCase() + sentence.slice(1);
  if (!example || code === undefined) return {};
  if (example.error === "forbidden")
    return { example: { ...example, reason: code, ...(message ? { message } : {}) } };
  if (!["not_found", "quota_exceeded"].includes(String(example.error))) return {};
  return {
    example: {
      error: code,
      ...("message" in example ? { message: message ?? "It conflicts with what is already there." } : {}),
    },
  };
}

const replayed: HeaderSpec = {
  description: "`true` when this is a repeated first reply, for the same `Idempotency-Key`.",
  example: "true",
};

const location: HeaderSpec = {
  description: "The address that the browser opens next.",
  example: "https://github.com/login/oauth/authorize?client_id=Iv1.8a61f9b3a7aba766&response_type=code",
};

/** Reply headers that clients use. */
function describeHeaders(status: number, own: Record<string, HeaderSpec> = {}): Json {
  const headers: Record<string, HeaderSpec> = {
    "x-request-id": {
      description: "The id of the request. The service's log entry for the request has the same id.",
      example: "req_01jz8q2d9xf4vvh0tbq8k3m5na",
    },
    ...(status === 401
      ? {
          "WWW-Authenticate": {
            description: "The accepted kinds of credentials, and the problem of the one that was sent.",
            example:
              'Bearer realm="signalbox", error="invalid_token", error_description="The token is unknown, has expired or was revoked."',
          },
        }
      : {}),
    ...([429, 503].includes(status)
      ? { "Retry-After": { description: "Seconds until the next attempt can succeed.", example: "2" } }
      : {}),
    ...(status < 400 ? own : {}),
  };
  return Object.fromEntries(
    Object.entries(headers).map(([name, { description, example }]) => [
      name,
      { description, example, schema: { type: "string" } },
    ]),
  );
}

/** Named schemas, each written once. One that differs between request and reply gets a second name. */
class Components {
  readonly #named = new Map<string, string>();

  /** A reference if the schema has a name, else the schema itself. */
  ref(schema: z.ZodType, io: "input" | "output"): Json {
    const id = schema.meta()?.id;
    const inline = this.inline(schema, io);
    // A schema with a name may already have been written as a reference to its own definition.
    if (!id || "$ref" in inline) return inline;
    return { $ref: `#/components/schemas/${this.#keep(id, inline, io)}` };
  }

  inline(schema: z.ZodType, io: "input" | "output"): Json {
    const {
      $schema: _,
      $defs = {},
      id: __,
      ...own
    } = z.toJSONSchema(schema, { io }) as Json & { $defs?: Record<string, Json> };
    const names = new Map<string, string>();
    for (const [id, definition] of Object.entries($defs)) {
      const { id: _, ...body } = definition;
      names.set(id, this.#keep(id, rename(body, names) as Json, io));
    }
    return rename(own, names) as Json;
  }

  schemas(): Record<string, Json> {
    return Object.fromEntries(
      [...this.#named].sort(([a], [b]) => (a < b ? -1 : 1)).map(([id, text]) => [id, JSON.parse(text)]),
    );
  }

  #keep(id: string, schema: Json, io: "input" | "output"): string {
    const text = JSON.stringify(schema);
    const known = this.#named.get(id);
    const name = known === undefined || known === text ? id : `${id}${io === "input" ? "Input" : "Output"}`;
    const other = this.#named.get(name);
    if (other !== undefined && other !== text) throw new Error(`Two different schemas are named ${name}.`);
    this.#named.set(name, text);
    return name;
  }
}

function rename(node: unknown, names: Map<string, string>): unknown {
  if (Array.isArray(node)) return node.map((item) => rename(item, names));
  if (!node || typeof node !== "object") return node;
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => {
      if (key !== "$ref" || typeof value !== "string") return [key, rename(value, names)];
      const id = value.replace("#/$defs/", "");
      return [key, `#/components/schemas/${names.get(id) ?? id}`];
    }),
  );
}
