/** Compares the description with the contracts. Redocly checks that it is valid OpenAPI. */
import { expect, test } from "vitest";
import { z } from "zod";
import { api, routes } from "../../src/app.ts";
import { describeApi, open, operationId, route } from "../../src/platform/http/index.ts";

interface Operation {
  operationId: string;
  summary: string;
  tags: string[];
  security: Record<string, string[]>[];
  parameters?: { name: string; in: string; required: boolean; schema: object }[];
  responses: Record<string, { description: string; content?: Record<string, { schema: object }> }>;
  requestBody?: { required: boolean };
}
const description = api() as {
  paths: Record<string, Record<string, Operation>>;
  tags: { name: string }[];
  components: { securitySchemes: Record<string, object>; schemas: Record<string, object> };
};
const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
);

test("operation ids follow one pattern", () => {
  const id = (method: "get" | "post", path: string) => operationId({ method, path });
  expect(id("post", "/v1/automation-runs/{id}/events")).toBe("postV1AutomationRunsByIdEvents");
  expect(id("post", "/v1/mcp-connections/discover")).toBe("postV1McpConnectionsDiscover");
  expect(id("get", "/v1/oauth-providers/{providerId}/connect/start")).toBe(
    "getV1OauthProvidersByProviderIdConnectStart",
  );
  expect(id("get", "/")).toBe("get");
  expect(id("get", "/openapi.json")).toBe("getOpenapiJson");
});

test("every route is described once, and no other route is described", () => {
  expect(operations.map(({ operationId }) => operationId).sort()).toEqual(
    routes
      // Pages and files of the console are no operations.
      .filter(({ spec }) => !spec.path.endsWith("{*}"))
      .map(({ spec }) => operationId(spec))
      .sort(),
  );
});

test("the security schemes have the names that clients use", () => {
  expect(description.components.securitySchemes).toMatchObject({
    bearerAuth: { type: "http", scheme: "bearer" },
    apiKeyAuth: { type: "apiKey", in: "header", name: "x-api-key" },
  });
  for (const { security } of operations) {
    for (const scheme of security.flatMap(Object.keys)) {
      expect(Object.keys(description.components.securitySchemes)).toContain(scheme);
    }
  }
});

test("the schemas of discovery have the names that clients use", () => {
  expect(description.paths["/v1/mcp-connections/discover"]?.post).toMatchObject({
    operationId: "postV1McpConnectionsDiscover",
    requestBody: {
      content: {
        "application/json": {
          schema: { $ref: "#/components/schemas/ExternalMcpRequirementsDiscoveryInput" },
        },
      },
    },
    responses: {
      200: {
        content: {
          "application/json": { schema: { $ref: "#/components/schemas/ExternalMcpRequirementsDiscovery" } },
        },
      },
    },
  });
});

test("equal schemas have one name", () => {
  for (const name of Object.keys(description.components.schemas)) {
    for (const tail of ["Input", "Output"]) {
      const twin = description.components.schemas[`${name}${tail}`];
      if (twin) expect(twin, name).not.toEqual({ $ref: `#/components/schemas/${name}` });
    }
  }
});

test("every path parameter is described, and no other", () => {
  for (const { path, parameters = [], operationId } of operations) {
    const described = parameters.filter((one) => one.in === "path").map(({ name }) => name);
    expect(described, operationId).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
  }
});

test("every reference has a schema, and every schema is referenced", () => {
  const text = JSON.stringify(description);
  const referred = new Set([...text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name!));
  expect([...referred].sort()).toEqual(Object.keys(description.components.schemas).sort());
  expect(text).not.toContain("#/$defs/");
});

/** A request without a body means the usual there, and says so. */
const mayBeLeftOut = new Set([
  "postV1ScimToken",
  "postV1ApiKeysByIdRotate",
  "postV1McpToken",
  "postV1WebhookEndpointsByIdRotateSecret",
  "postV1LlmProvidersByIdTest",
  "postV1McpConnectionsByIdDiscover",
  "postV1McpConnectionsByIdDriftApprove",
  "postV1OauthProvidersByProviderIdToken",
  "postV1OauthProvidersByProviderIdDisconnect",
  "postV1SsoByIdMetadataApprove",
  "postV1SsoByIdMetadataRefresh",
  "postV1WorkersByIdTokens",
  "postV1WorkersByIdConnectionsByConnectionIdToken",
  "postV1WorkerRegistrationTokensByIdRotate",
]);

test("bodies are required, tags are known, and refusals are described", () => {
  const tags = description.tags.map(({ name }) => name);
  for (const { requestBody, tags: own, security, responses, summary, operationId } of operations) {
    if (requestBody) expect(requestBody.required, operationId).toBe(!mayBeLeftOut.has(operationId));
    expect(tags).toEqual(expect.arrayContaining(own));
    expect(summary, operationId).not.toBe("");
    for (const status of ["400", "500", ...(security.length ? ["401", "403"] : [])]) {
      expect(Object.keys(responses), operationId).toContain(status);
    }
    for (const [status, { description }] of Object.entries(responses)) {
      if (Number(status) >= 400) expect(description, `${operationId} ${status}`).not.toBe("OK");
    }
  }
});

test("two different schemas of one name are refused", () => {
  const named = (schema: z.ZodType) => schema.meta({ id: "Thing" });
  const spec = (path: string, reply: z.ZodType) =>
    route({ method: "get", path, tag: "T", summary: "S", access: open, replies: { 200: named(reply) } });
  const info = { version: "dev", description: "", tags: [], tokenSchemes: {}, fields: {} };
  const describe = (...replies: z.ZodType[]) =>
    describeApi(
      replies.map((reply, i) => spec(`/${i}`, reply)),
      info,
    );
  expect(() => describe(z.object({ a: z.string() }), z.object({ a: z.string() }))).not.toThrow();
  expect(() =>
    describe(z.object({ a: z.string() }), z.object({ b: z.int() }), z.object({ c: z.int() })),
  ).toThrow(/Two different schemas/);
});
