import { z } from "zod";
import type { CredentialKind } from "../context.ts";
import { operationId, type RouteSpec, takesIdempotencyKey } from "./route.ts";

type Json = Record<string, unknown>;

export interface ApiInfo {
  version: string;
  description: string;
  tags: { name: string; description: string }[];
  /** Schemes for the machines' tokens, beside the two that everyone knows. */
  tokenSchemes: Partial<Record<CredentialKind, { scheme: string; description: string }>>;
}

/** The whole API as OpenAPI 3.1, from the contracts and nothing else. */
export function describeApi(specs: readonly RouteSpec[], info: ApiInfo): Json {
  const components = new Components();
  const schemeOf: Partial<Record<CredentialKind, string>> = { session: "bearerAuth", key: "apiKeyAuth" };
  const securitySchemes: Json = {
    bearerAuth: { type: "http", scheme: "bearer", description: "Session token, from signing in." },
    apiKeyAuth: {
      type: "apiKey",
      in: "header",
      name: "x-api-key",
      description: "Organization API key, `sbx_…`.",
    },
  };
  for (const [kind, { scheme, description }] of Object.entries(info.tokenSchemes)) {
    schemeOf[kind as CredentialKind] = scheme;
    securitySchemes[scheme] = { type: "http", scheme: "bearer", description };
  }
  const paths: Record<string, Json> = {};
  for (const spec of specs) {
    paths[spec.path] ??= {};
    paths[spec.path]![spec.method] = {
      operationId: operationId(spec),
      tags: [spec.tag],
      summary: spec.summary,
      ...(spec.description ? { description: spec.description } : {}),
      security:
        spec.access.kind === "public"
          ? []
          : (spec.access.credentials ?? ["session", "key"]).map((kind) => ({ [schemeOf[kind] ?? kind]: [] })),
      "x-access": spec.access,
      ...parametersOf(spec, components),
      ...(spec.body
        ? {
            requestBody: {
              required: !spec.bodyOptional,
              content: { "application/json": { schema: components.ref(spec.body, "input") } },
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
      responses: responsesOf(spec, components),
    };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Signalbox",
      version: info.version,
      description: info.description,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    tags: info.tags.filter(({ name }) => specs.some(({ tag }) => tag === name)),
    paths,
    components: { securitySchemes, schemas: components.schemas() },
  };
}

function parametersOf(spec: RouteSpec, components: Components): Json {
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
      description: "Which organization a session acts in, instead of its active one.",
      schema: { type: "string" },
    });
  }
  if (takesIdempotencyKey(spec)) {
    parameters.push({
      name: "Idempotency-Key",
      in: "header",
      required: false,
      description:
        "Sending the same request again under the same key within 24 hours gives the first reply again.",
      schema: { type: "string", minLength: 1, maxLength: 255 },
    });
  }
  return parameters.length ? { parameters } : {};
}

const refusals: Record<number, { description: string; schema: z.ZodType }> = {
  400: {
    description: "The request is not well-formed; `details` says where.",
    schema: z
      .looseObject({
        error: z.literal("invalid_request"),
        details: z.array(
          z.looseObject({ message: z.string(), path: z.array(z.union([z.string(), z.number()])).optional() }),
        ),
        capability: z.string().optional(),
      })
      .meta({ id: "InvalidRequest" }),
  },
  401: {
    description: "No credential, or not a good one.",
    schema: z.strictObject({ error: z.literal("unauthorized") }).meta({ id: "Unauthorized" }),
  },
  403: {
    description: "The caller may not do this, or must sign in again first (`reauth`).",
    schema: z
      .strictObject({
        error: z.enum(["forbidden", "reauth"]),
        reason: z.string().optional(),
        message: z.string().optional(),
      })
      .meta({ id: "Forbidden" }),
  },
  404: {
    description: "There is no such thing in this organization.",
    schema: z.looseObject({ error: z.string() }).meta({ id: "NotFound" }),
  },
  409: {
    description: "It conflicts with what is already there.",
    schema: z.looseObject({ error: z.string(), message: z.string() }).meta({ id: "Conflict" }),
  },
  413: {
    description: "The body is too large.",
    schema: z
      .strictObject({ error: z.literal("payload_too_large"), message: z.string() })
      .meta({ id: "PayloadTooLarge" }),
  },
  429: {
    description: "Too many attempts; `Retry-After` says when to come back.",
    schema: z
      .strictObject({ error: z.literal("rate_limited"), message: z.string() })
      .meta({ id: "RateLimited" }),
  },
  500: {
    description: "A fault of ours; the id finds it in the log.",
    schema: z
      .strictObject({ error: z.literal("internal_error"), requestId: z.string() })
      .meta({ id: "InternalError" }),
  },
  503: {
    description: "Not available for a moment; `Retry-After` says when to come back.",
    schema: z.looseObject({ error: z.string(), message: z.string().optional() }).meta({ id: "Unavailable" }),
  },
};

const outcomes: Record<string, string> = { 201: "Created.", 202: "Accepted.", 204: "Done." };

/** The refusals a route can give follow from its contract; `errors` adds those that only its service knows. */
function responsesOf(spec: RouteSpec, components: Components): Json {
  const statuses = new Set<number>([400, 500, 503]);
  if (spec.access.kind !== "public") for (const status of [401, 403]) statuses.add(status);
  if (spec.params) statuses.add(404);
  if (spec.body || spec.bytes) statuses.add(413);
  if (takesIdempotencyKey(spec)) statuses.add(409);
  if (spec.limit) statuses.add(429);
  const responses: Record<string, Json> = {};
  for (const [status, schema] of Object.entries(spec.replies)) {
    const media = spec.raw ?? "application/json";
    responses[status] = {
      description: outcomes[status] ?? refusals[Number(status)]?.description ?? "OK",
      ...(schema ? { content: { [media]: { schema: components.ref(schema, "output") } } } : {}),
    };
  }
  for (const status of statuses) {
    if (status in spec.replies) continue;
    const refusal = refusals[status]!;
    responses[status] = refusalResponse(refusal.description, refusal.schema, components);
  }
  for (const [status, extra] of Object.entries(spec.errors ?? {})) {
    const standard = refusals[Number(status)];
    const { description, schema } =
      typeof extra === "string"
        ? { description: extra, schema: standard?.schema ?? refusals[409]!.schema }
        : extra;
    responses[status] = refusalResponse(description, schema, components);
  }
  return responses;
}

const refusalResponse = (description: string, schema: z.ZodType, components: Components): Json => ({
  description,
  content: { "application/json": { schema: components.ref(schema, "output") } },
});

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

  schemas(): Json {
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
