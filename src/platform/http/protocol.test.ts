/** A group of routes with the media type, errors, scopes and challenges of another protocol, on real sockets. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { useRoutes } from "../../../test/http-kit.ts";
import { conflict, forbidden, invalidRequest } from "../errors.ts";
import { member, on, open, type Protocol, protocol, route, signedIn } from "./index.ts";
import { describeApi } from "./openapi.ts";

const DirectoryError = z.strictObject({
  schemas: z.array(z.literal("urn:ietf:params:scim:api:messages:2.0:Error")),
  status: z.string(),
  scimType: z.string().optional(),
  detail: z.string(),
});

const scim = protocol({
  prefix: "/scim/v2",
  mediaTypes: ["application/scim+json", "application/json"],
  error: {
    schema: DirectoryError,
    render: ({ status, body, message }) => ({
      schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
      status: String(status),
      ...(typeof body.scimType === "string" ? { scimType: body.scimType } : {}),
      ...(status === 400 && body.scimType === undefined ? { scimType: "invalidValue" } : {}),
      detail: message,
    }),
  },
});

const agents = protocol({
  prefix: "/agents",
  resourceMetadata: (publicUrl) => `${publicUrl}/.well-known/oauth-protected-resource/agents`,
});

const User = z.object({ userName: z.string() });
const base = { tag: "Test", summary: "A route of the test.", access: open, protocol: scim } as const;
const users = on(
  route({
    ...base,
    method: "post",
    path: "/scim/v2/Users",
    body: User,
    bodyLimit: 500,
    replies: { 201: User },
  }),
  (_ctx, { body, setHeader }) => {
    if (body.userName === "taken") throw conflict("taken", "The name is taken.", { scimType: "uniqueness" });
    setHeader("location", "/scim/v2/Users/1");
    return body;
  },
);
const routes = [
  users,
  on(route({ ...base, method: "get", path: "/scim/v2/Users/{id}", replies: { 200: User } }), () => ({
    userName: "ada",
  })),
  on(route({ ...base, method: "get", path: "/scim/v2/Groups", replies: { 200: User } }), () => {
    throw forbidden("no", "Not for you.");
  }),
  on(route({ ...base, method: "get", path: "/scim/v2/Fault", replies: { 200: User } }), () => {
    throw new Error("a secret detail");
  }),
  on(route({ ...base, method: "get", path: "/scim/v2/Wrong", replies: { 200: User } }), () => {
    throw invalidRequest([{ message: "Must not be empty.", path: ["filter"] }]);
  }),
  on(
    route({
      ...base,
      method: "get",
      path: "/scim/v2/Limited",
      limit: { attempts: 1, perSeconds: 60 },
      replies: { 200: User },
    }),
    () => ({ userName: "ada" }),
  ),
  on(
    route({
      ...base,
      method: "get",
      path: "/scim/v2/Me",
      access: signedIn({ credentials: ["scim"] }),
      replies: { 200: User },
    }),
    () => ({ userName: "ada" }),
  ),
  on(
    route({
      method: "get",
      path: "/agents/runs",
      tag: "Test",
      summary: "A route with scopes.",
      access: signedIn({ credentials: ["mcp", "session", "key"] }),
      scopes: ["runs:read", "runs:write"],
      protocol: agents,
      replies: { 200: z.strictObject({ ok: z.literal(true) }) },
    }),
    () => ({ ok: true as const }),
  ),
  on(
    route({
      method: "get",
      path: "/scim/v20/Users",
      tag: "Test",
      summary: "Another group whose path begins with the same letters.",
      access: open,
      replies: { 200: User },
    }),
    () => {
      throw forbidden("no", "Not for you.");
    },
  ),
];

const server = useRoutes(routes);
const ask = async (path: string, init: RequestInit = {}) => {
  const response = await fetch(server.url + path, init);
  const text = await response.text();
  return {
    status: response.status,
    type: response.headers.get("content-type"),
    headers: response.headers,
    body: text ? JSON.parse(text) : undefined,
  };
};
const create = (type: string | undefined, body: string, headers: Record<string, string> = {}) =>
  ask("/scim/v2/Users", {
    method: "POST",
    headers: { ...(type ? { "content-type": type } : {}), ...headers },
    body: Buffer.from(body),
  });

describe("the media type of a protocol", () => {
  test.each(["application/scim+json", "application/json", "Application/SCIM+json ; charset=utf-8"])(
    "%s is accepted, and the reply has the first type",
    async (type) => {
      const reply = await create(type, '{"userName":"ada"}');
      expect(reply).toMatchObject({ status: 201, type: "application/scim+json", body: { userName: "ada" } });
      expect(reply.headers.get("location")).toBe("/scim/v2/Users/1");
      expect(reply.headers.get("x-content-type-options")).toBe("nosniff");
    },
  );

  test("a header of a reply is also there when the request has an Idempotency-Key", async () => {
    const key = { "idempotency-key": "0123456789abcdef" };
    const first = await create("application/json", '{"userName":"ada"}', key);
    const second = await create("application/json", '{"userName":"ada"}', key);
    expect(first).toMatchObject({ status: 201, type: "application/scim+json" });
    expect(first.headers.get("location")).toBe("/scim/v2/Users/1");
    expect(second).toMatchObject({ status: 201, type: "application/scim+json", body: { userName: "ada" } });
    expect(second.headers.get("idempotency-replayed")).toBe("true");
  });

  test.each([
    ["application/json", "application/json; charset=UTF-8"],
    ["application/json;q=0.9, application/scim+json;q=0.1", "application/json; charset=UTF-8"],
    ["application/scim+json, application/json", "application/scim+json"],
    ["*/*", "application/scim+json"],
    ["text/html", "application/scim+json"],
  ])("Accept: %s gets %s, errors too", async (accept, type) => {
    expect((await ask("/scim/v2/Users/1", { headers: { accept } })).type).toBe(type);
    expect((await ask("/scim/v2/Groups", { headers: { accept } })).type).toBe(type);
  });

  test.each([undefined, "text/plain", "application/xml", "application/scim", "application/vnd.x+json"])(
    "%s is refused with 415",
    async (type) => {
      expect(await create(type, '{"userName":"ada"}')).toMatchObject({
        status: 415,
        type: "application/scim+json",
        body: { status: "415", detail: expect.stringContaining("application/scim+json or application/json") },
      });
    },
  );
});

describe("every error of a protocol has the protocol's body", () => {
  const expectError = (reply: Awaited<ReturnType<typeof ask>>, status: number) => {
    expect({ status: reply.status, type: reply.type }).toEqual({ status, type: "application/scim+json" });
    expect(DirectoryError.safeParse(reply.body).error).toBeUndefined();
    expect(reply.body.status).toBe(String(status));
    expect(reply.headers.get("x-request-id")).toMatch(/^req_/);
    return reply;
  };

  test("a body that does not match its schema", async () => {
    const reply = expectError(await create("application/scim+json", "{}"), 400);
    expect(reply.body).toMatchObject({
      scimType: "invalidValue",
      detail: "userName: This field is required.",
    });
    expectError(await create("application/scim+json", "{"), 400);
    expectError(await ask("/scim/v2/Users/1?unknown=1"), 400);
    expectError(await ask("/scim/v2/Wrong"), 400);
  });

  test("401 and 403", async () => {
    const missing = expectError(await ask("/scim/v2/Me"), 401);
    expect(missing.headers.get("www-authenticate")).toBe('Bearer realm="signalbox"');
    expectError(await ask("/scim/v2/Me", { headers: { authorization: "Bearer unknown" } }), 401);
    expectError(await ask("/scim/v2/Groups"), 403);
  });

  test("404 and 405 of any path below the prefix, for a browser too", async () => {
    for (const path of ["/scim/v2", "/scim/v2/", "/scim/v2/Nothing", "/scim/v2/Users/1/2"]) {
      expectError(await ask(path), 404);
      expectError(await ask(path, { headers: { "sec-fetch-mode": "navigate" } }), 404);
    }
    const wrong = expectError(await ask("/scim/v2/Users", { method: "DELETE" }), 405);
    expect(wrong.headers.get("allow")).toBe("POST, OPTIONS");
  });

  test("paths that only begin with the same letters keep the usual errors", async () => {
    for (const path of ["/scim/v20/Users", "/scim/v3", "/scim"]) {
      expect((await ask(path)).body).toHaveProperty("error");
    }
  });

  test("409, 413, 429 and 500", async () => {
    const taken = await create("application/json", '{"userName":"taken"}');
    expect(expectError(taken, 409).body.scimType).toBe("uniqueness");
    expectError(await create("application/json", `{"userName":"${"a".repeat(600)}"}`), 413);
    expect((await ask("/scim/v2/Limited")).status).toBe(200);
    const limited = expectError(await ask("/scim/v2/Limited"), 429);
    expect(Number(limited.headers.get("retry-after"))).toBeGreaterThan(0);
    const fault = expectError(await ask("/scim/v2/Fault"), 500);
    expect(JSON.stringify(fault.body)).not.toContain("secret detail");
  });

  test("a host that is not served here", async () => {
    const { request } = await import("node:http");
    const { status, type } = await new Promise<{ status?: number; type?: string }>((resolve) => {
      request(`${server.url}/scim/v2/Groups`, { headers: { host: "evil.example" } }, (reply) => {
        reply.resume();
        resolve({ status: reply.statusCode!, type: reply.headers["content-type"]! });
      }).end();
    });
    expect({ status, type }).toEqual({ status: 421, type: "application/scim+json" });
  });
});

describe("scopes", () => {
  const caller = { principal: "person", userId: "usr_1", credential: "mcp", credentialId: "mct_1" } as const;
  const call = (token?: string) =>
    ask("/agents/runs", token ? { headers: { authorization: `Bearer ${token}` } } : {});
  const metadata = () => `resource_metadata="${server.url}/.well-known/oauth-protected-resource/agents"`;

  test("a credential that has all of them is let in", async () => {
    server.callers.set("all", { ...caller, scopes: ["runs:write", "other", "runs:read"] });
    expect((await call("all")).status).toBe(200);
  });

  test.each([
    ["one is missing", { ...caller, scopes: ["runs:read"] }],
    ["all are missing", { ...caller, scopes: [] }],
    [
      "the credential has no scopes at all",
      { principal: "person", userId: "usr_1", credential: "session", credentialId: "ses_1" } as const,
    ],
    ["a scope only begins with the same letters", { ...caller, scopes: ["runs:readall", "runs:write"] }],
  ])("403 and the challenge of RFC 6750 when %s", async (_, who) => {
    server.callers.set("some", who);
    const reply = await call("some");
    expect(reply).toMatchObject({ status: 403, body: { error: "forbidden", reason: "insufficient_scope" } });
    expect(reply.headers.get("www-authenticate")).toBe(
      `Bearer realm="signalbox", ${metadata()}, error="insufficient_scope", scope="runs:read runs:write"`,
    );
  });

  test("401 names the metadata of the resource, whatever was wrong with the credential", async () => {
    expect((await call()).headers.get("www-authenticate")).toBe(
      `Bearer realm="signalbox", ${metadata()}, ApiKey realm="signalbox"`,
    );
    expect((await call("unknown")).headers.get("www-authenticate")).toBe(
      `Bearer realm="signalbox", ${metadata()}, error="invalid_token"`,
    );
    server.callers.set("scim", {
      principal: "person",
      userId: "usr_1",
      credential: "scim",
      credentialId: "scm_1",
    });
    expect((await call("scim")).headers.get("www-authenticate")).toContain(metadata());
    expect((await call()).body).toEqual({ error: "unauthorized" });
  });
});

describe("a protocol in the API description", () => {
  const api = describeApi([users.spec, routes.find(({ spec }) => spec.path === "/agents/runs")!.spec], {
    version: "1",
    description: "",
    tags: [],
    tokenSchemes: {},
    fields: {},
  }) as { paths: Record<string, Record<string, { requestBody: Body; responses: Record<string, Body> }>> };
  interface Body {
    content: Record<string, unknown>;
  }

  test("has its media types and its errors", () => {
    const { requestBody, responses } = api.paths["/scim/v2/Users"]!.post!;
    const both = ["application/scim+json", "application/json"];
    expect(Object.keys(requestBody.content)).toEqual(both);
    for (const status of ["201", "400", "413", "415", "500"])
      expect(Object.keys(responses[status]!.content)).toEqual(both);
    expect(JSON.stringify(responses["400"])).toContain("urn:ietf:params:scim:api:messages:2.0:Error");
  });

  test("names the scopes of a route", () => {
    expect(api.paths["/agents/runs"]!.get).toMatchObject({ "x-scopes": ["runs:read", "runs:write"] });
  });
});

test("a route outside of its protocol's prefix is a fault at the start", async () => {
  const { createHttp } = await import("./app.ts");
  const lost: Protocol = protocol({ prefix: "/elsewhere" });
  const spec = route({
    ...base,
    protocol: lost,
    access: member(),
    method: "get",
    path: "/v1/x",
    replies: { 200: User },
  });
  expect(() =>
    createHttp({
      platform: server.platform,
      routes: [on(spec, () => ({ userName: "a" }))],
      authenticate: () => undefined,
    }),
  ).toThrow("/v1/x is not below /elsewhere");
  expect(() => protocol({ prefix: "/ends/" })).toThrow("not a path prefix");
});
