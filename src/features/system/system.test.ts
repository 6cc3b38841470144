import { describe, expect, test } from "vitest";
import { useServer } from "../../../test/harness.ts";
import { sql } from "../../platform/db/index.ts";

describe("the system's own pages", () => {
  const server = useServer({ env: { METRICS_TOKEN: "token-for-the-operator" } });

  test("/health, /ready and /version report that the process runs, that it serves, and its version", async () => {
    expect(await server.call("/health")).toMatchObject({ status: 200, body: { status: "ok" } });
    expect(await server.call("/ready")).toMatchObject({
      status: 200,
      body: { status: "ready", checks: { database: "ok", migrations: "ok", jobs: "ok" } },
    });
    const { body } = await server.call("/version");
    expect(body).toMatchObject({ name: "signalbox", node: process.version });
    expect(body.database).toMatch(/PostgreSQL \d+/);
  });

  test("/ready fails while a migration is missing, and succeeds when a newer program added one", async () => {
    const { db } = server.platform;
    await db.run(sql`update schema_migrations set version = 9999 where version = 1`);
    expect(await server.call("/ready")).toMatchObject({
      status: 503,
      body: { status: "not_ready", checks: { database: "ok", migrations: "failing" } },
    });
    await db.run(sql`insert into schema_migrations (version, name, checksum) values (1, 'foundation', '')`);
    expect((await server.call("/ready")).status).toBe(200);
  });

  test("/openapi.json is the API description of the running version", async () => {
    const { status, body } = await server.call("/openapi.json");
    expect(status).toBe(200);
    expect(body).toMatchObject({ openapi: "3.1.0", info: { title: "Signalbox", version: "dev" } });
  });

  test("/openapi.json is not sent again to a caller who has the current version", async () => {
    const first = await server.call("/openapi.json", { headers: { "accept-encoding": "identity" } });
    const etag = first.headers.get("etag")!;
    expect(etag).toMatch(/^"[\w-]{20,}"$/);
    expect(first.headers.get("cache-control")).toBe("public, no-cache");
    expect(first.headers.get("vary")).toBe("Accept-Encoding");
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const headers = { "accept-encoding": "identity", "if-none-match": known };
      const again = await server.call("/openapi.json", { headers });
      expect({ known, status: again.status, body: again.body }).toEqual({ known, status: 304, body: "" });
      expect(again.headers.get("etag")).toBe(etag);
    }
    const headers = { "accept-encoding": "identity", "if-none-match": '"other"' };
    expect((await server.call("/openapi.json", { headers })).status).toBe(200);
  });

  test("/openapi.json is compressed for callers who accept gzip, with a different ETag", async () => {
    const plain = await server.call("/openapi.json", { headers: { "accept-encoding": "gzip;q=0, br" } });
    const small = await server.call("/openapi.json", { headers: { "accept-encoding": "br, gzip" } });
    expect(plain.headers.get("content-encoding")).toBeNull();
    expect(small.headers.get("content-encoding")).toBe("gzip");
    expect(small.body).toEqual(plain.body);
    expect(small.headers.get("etag")).not.toBe(plain.headers.get("etag"));
    expect(Number(small.headers.get("content-length"))).toBeLessThan(
      Number(plain.headers.get("content-length")) / 4,
    );
    const head = await fetch(`${server.url}/openapi.json`, {
      method: "HEAD",
      headers: { "accept-encoding": "identity" },
    });
    expect(await head.text()).toBe("");
    for (const name of ["etag", "content-length", "content-type", "cache-control"]) {
      expect(head.headers.get(name), name).toBe(plain.headers.get(name));
    }
  });

  test("/ is the console, or says how to build it, and loads nothing from other hosts", async () => {
    const page = await server.call("/");
    expect(page.status).toBe(page.body.includes("npm run build:console") ? 503 : 200);
    expect(page.headers.get("content-type")).toMatch(/^text\/html/);
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(page.body).toContain("/docs");
    expect(page.body).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
  });

  test("/metrics counts requests by operation, and is readable from this machine or with the token", async () => {
    await server.call("/v1/me");
    const { status, body } = await server.call("/metrics");
    expect(status).toBe(200);
    expect(body).toMatch(/http_request_duration_seconds_count\{operation="getV1Me",status="401"\} \d+/);
    const known = { authorization: "Bearer token-for-the-operator" };
    expect((await server.call("/metrics", { headers: known })).status).toBe(200);
    for (const proxied of ["x-forwarded-for", "forwarded", "x-real-ip", "x-forwarded-proto", "via"]) {
      const reply = await server.call("/metrics", { headers: { [proxied]: "127.0.0.1" } });
      expect(reply).toMatchObject({ status: 421, body: { error: "misdirected_request" } });
    }
  });

  test("/metrics names no organization, no person and no unknown path", async () => {
    await server.call("/v1/members/made-up-path");
    await server.call("/made-up-path");
    const { body } = await server.call("/metrics");
    expect(body).not.toContain("made-up-path");
    expect(body).not.toMatch(/org_|usr_/);
  });
});

describe.each([
  ["has a public URL", { PUBLIC_URL: "https://signalbox.example.com" }],
  ["is behind a proxy", { TRUSTED_PROXIES: "127.0.0.1" }],
])("an instance that %s", (_how, env) => {
  const server = useServer({ env: { ...env, METRICS_TOKEN: "token-for-the-operator" } });

  test("shows /metrics to nobody without the token, not even to its own machine", async () => {
    expect(await server.call("/metrics")).toMatchObject({ status: 401, body: { error: "unauthorized" } });
    const headers = { authorization: "Bearer token-for-the-operator" };
    expect((await server.call("/metrics", { headers })).status).toBe(200);
  });
});
