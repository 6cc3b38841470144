/** The API reference describes everything, and the contracts accept its examples. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { api, routes } from "../../src/app.ts";
import { operationId, type RouteSpec } from "../../src/platform/http/index.ts";

type Json = Record<string, unknown>;
interface Body {
  schema: Json;
  example?: unknown;
}
interface Operation {
  operationId: string;
  description?: string;
  parameters?: { name: string; in: string; description?: string; example?: unknown }[];
  requestBody?: { content: Record<string, Body> };
  responses: Record<
    string,
    { headers?: Record<string, { description?: string }>; content?: Record<string, Body> }
  >;
}
const { paths, components } = api() as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json> };
};
const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
const specByOperation = new Map<string, RouteSpec>(routes.map(({ spec }) => [operationId(spec), spec]));

/** Fields without a description, as `Owner.field`. */
function undescribed(schema: unknown, owner: string): string[] {
  if (!schema || typeof schema !== "object") return [];
  if (Array.isArray(schema)) return schema.flatMap((part) => undescribed(part, owner));
  return Object.entries(schema).flatMap(([key, value]) => {
    if (key === "example" || key === "examples" || key === "const" || key === "enum") return [];
    // An `anyOf` of required names has no own fields.
    if (key === "anyOf" && "properties" in schema) return [];
    if (key !== "properties") return undescribed(value, owner);
    return Object.entries(value as Record<string, Json>).flatMap(([name, field]) => [
      ...(typeof field.description === "string" && field.description.length > 3 ? [] : [`${owner}.${name}`]),
      ...undescribed(field, `${owner}.${name}`),
    ]);
  });
}

describe("the reference", () => {
  test("describes every operation in a sentence, in addition to its access", () => {
    const bare = operations.filter(({ description = "" }) => !/^[^*].*\*\*Access:\*\* /s.test(description));
    expect(bare.map(({ operationId }) => operationId)).toEqual([]);
  });

  test("describes every field of every body", () => {
    const missing = [
      ...Object.entries(components.schemas).flatMap(([name, schema]) => undescribed(schema, name)),
      ...operations.flatMap(({ operationId, requestBody, responses }) =>
        undescribed([requestBody, responses], operationId),
      ),
    ];
    expect([...new Set(missing)]).toEqual([]);
  });

  test("describes every parameter and shows an example that is accepted", () => {
    const wrong: string[] = [];
    for (const { operationId, parameters = [] } of operations) {
      const spec = specByOperation.get(operationId)!;
      for (const { name, in: where, description, example } of parameters) {
        if (!description || example === undefined) {
          wrong.push(`${operationId}.${name}`);
          continue;
        }
        const schema = (where === "path" ? spec.params : where === "query" ? spec.query : undefined)?.shape[
          name
        ];
        const parsed = (schema as z.ZodType | undefined)?.safeParse(String(example));
        if (parsed && !parsed.success) wrong.push(`${operationId}.${name}: ${z.prettifyError(parsed.error)}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  test("describes the headers that clients act on", () => {
    for (const { operationId, responses } of operations) {
      for (const [status, { headers = {} }] of Object.entries(responses)) {
        const names = Object.keys(headers);
        expect({ operationId, status, names }).toMatchObject({
          names: expect.arrayContaining(["x-request-id"]),
        });
        if (status === "401") expect(names).toContain("WWW-Authenticate");
        if (status === "429" || status === "503") expect(names).toContain("Retry-After");
      }
    }
    expect(Object.keys(paths["/openapi.json"]!.get!.responses["200"]!.headers!)).toContain("ETag");
    const headers = paths["/v1/webhooks/connectors/codehost"]!.post!.parameters!.filter(
      (one) => one.in === "header",
    );
    expect(headers.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        "x-hub-signature-256",
        "x-github-event",
        "x-github-delivery",
        "webhook-signature",
      ]),
    );
  });

  test("shows an example of every request and reply that its contract accepts", () => {
    const wrong: string[] = [];
    const check = (where: string, schema: z.ZodType | null | undefined, body: Body | undefined) => {
      if (!body) return;
      if (body.example === undefined) wrong.push(`${where} has no example`);
      else if (schema) {
        const parsed = schema.safeParse(body.example);
        if (!parsed.success) wrong.push(`${where}: ${z.prettifyError(parsed.error)}`);
      }
    };
    for (const { operationId, requestBody, responses } of operations) {
      const spec = specByOperation.get(operationId)!;
      check(`${operationId} request`, spec.body, requestBody?.content["application/json"]);
      for (const [status, { content = {} }] of Object.entries(responses)) {
        const extra = spec.errors?.[Number(status)];
        const schema = spec.replies[Number(status)] ?? (typeof extra === "object" ? extra.schema : undefined);
        for (const body of Object.values(content)) check(`${operationId} ${status}`, schema, body);
      }
    }
    expect(wrong).toEqual([]);
  });

  test("requires the same fields of both reports, under either name", () => {
    const { AutomationRunCompletion, AutomationRunEventReport } = components.schemas;
    expect(AutomationRunCompletion).toMatchObject({
      required: ["attempt"],
      anyOf: [{ required: ["status"] }, { required: ["outcome"] }],
    });
    expect(AutomationRunEventReport).toMatchObject({
      required: ["attempt", "sequence", "payload", "createdAt"],
      anyOf: [{ required: ["type"] }, { required: ["kind"] }],
    });
  });
});
