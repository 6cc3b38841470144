/**
 * PostgreSQL stores neither U+0000 nor half of a surrogate pair. Every text field of every route is tried with both:
 * the reply is a refusal, never a 500.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { routes } from "../../src/app.ts";
import { sql } from "../../src/platform/db/index.ts";
import { operationId, type RouteSpec } from "../../src/platform/http/index.ts";
import { createWorkspace, type Reply, signIn, useServer, type Workspace } from "../harness.ts";
import { createSample, listTextPaths, toSchema } from "./samples.ts";

const specs = routes.map(({ spec }) => spec);
const named = (list: readonly RouteSpec[]) => list.map((spec) => [operationId(spec), spec] as const);

/** NUL, half of a surrogate pair as bytes, and bytes that are not UTF-8. */
const encoded = ["%00", "a%00b", "%ED%A0%80", "%FF", "%C0%80"];
/** NUL and halves of surrogate pairs as JSON escapes. */
const escapes = ["\\u0000", "a\\u0000b", "\\ud800", "\\udc00x"];

const server = useServer({ env: { CODEHOST_WEBHOOK_SECRET: "a secret of the whole instance" } });
let acme: Workspace;
let auth: { authorization: string };
beforeAll(async () => {
  acme = await createWorkspace(server);
  auth = acme.owner.auth;
});

async function call(spec: RouteSpec, path: string, body?: string): Promise<Reply> {
  if (spec.limit) await server.platform.db.run(sql`delete from rate_limits`);
  const reply = await server.call(path, {
    method: spec.method.toUpperCase(),
    headers: auth,
    ...(body === undefined ? {} : { body }),
  });
  // Some of the routes end this session.
  if (reply.status === 401) auth = await signIn(server, acme.owner);
  return reply;
}

const fill = (path: string, value: string) => path.replace(/\{\w+\}/g, value);
const buildBody = (spec: RouteSpec) =>
  spec.body && !spec.bodyOptional ? JSON.stringify(createSample(toSchema(spec.body))) : undefined;

describe("text that the database cannot store is refused and is not a server error", () => {
  test.each(named(specs.filter(({ path }) => path.includes("{"))))("%s: in the path", async (_, spec) => {
    for (const value of encoded) {
      const { status, body } = await call(spec, fill(spec.path, value), buildBody(spec));
      expect({ value, status, body }).toMatchObject({ value, status: expect.toSatisfy((s) => s < 500) });
      if (value.includes("%00") && !spec.raw) expect([400, 401, 403, 404]).toContain(status);
    }
  });

  test.each(named(specs.filter(({ query }) => query)))("%s: in the query", async (_, spec) => {
    for (const name of Object.keys(spec.query!.shape)) {
      for (const value of [...encoded, Buffer.from("a\0b").toString("base64url")]) {
        const path = `${fill(spec.path, "x")}?${name}=${value}`;
        const { status, body } = await call(spec, path, buildBody(spec));
        expect({ path, status, body }).toMatchObject({ path, status: expect.toSatisfy((s) => s < 500) });
      }
    }
  });

  test.each(named(specs.filter(({ body }) => body)))("%s: in the body", async (_, spec) => {
    for (const { place, bodyWith } of listTextPaths(toSchema(spec.body!))) {
      for (const text of escapes) {
        const { status, body } = await call(spec, fill(spec.path, "x"), bodyWith(`"${text}"`));
        expect({ place, text, status, body }).toMatchObject({
          place,
          text,
          status: expect.toSatisfy((s) => [400, 401, 403, 404].includes(s)),
        });
      }
    }
  });
});
