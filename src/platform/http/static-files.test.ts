/** Files that are served from memory, on real sockets. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import { useRoutes } from "../../../test/http-kit.ts";
import { sendRaw } from "../../../test/raw.ts";
import { chooseEncoding } from "./accept.ts";
import { createStaticFiles, mountFiles, readFolder } from "./index.ts";

const script = `console.log(${JSON.stringify("a long script ".repeat(500))});`;
const page = "<!doctype html><title>Console</title>";

const parent = mkdtempSync(join(tmpdir(), "static-files-"));
const folder = join(parent, "public");
mkdirSync(join(folder, "assets/.hidden"), { recursive: true });
writeFileSync(join(parent, "secret.txt"), "secret");
const contents: Record<string, string | Buffer> = {
  "index.html": page,
  "robots.txt": "short",
  "notes.txt": "a long text ".repeat(500),
  "assets/app-B7f3kQz1.js": script,
  "assets/my-component.js": script,
  "assets/logo.png": Buffer.from([137, 80, 78, 71]),
  "assets/space name.css": "a{}",
  "assets/built.css": "b{} ".repeat(1_000),
  "assets/built.css.gz": gzipSync("made by the build"),
  "assets/.hidden/key": "secret",
  ".env": "secret",
  constructor: "a file with an unusual name",
};
for (const [path, text] of Object.entries(contents)) writeFileSync(join(folder, path), text);
symlinkSync(join(parent, "secret.txt"), join(folder, "link.txt"));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

const files = createStaticFiles(readFolder(folder), { isHashed: (path) => /-\w{8}\.js$/.test(path) });
const server = useRoutes([
  mountFiles({ prefix: "/console", tag: "Test", summary: "The console.", files, fallback: "index.html" }),
  mountFiles({ prefix: "/plain", tag: "Test", summary: "Files without a fallback.", files }),
]);

/** Sends the headers as they are; `fetch` would add its own and decode bodies. */
const ask = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  new Promise<{ status: number; headers: Record<string, string | undefined>; body: Buffer }>(
    (resolve, reject) => {
      request(server.url + path, { method, headers, agent: false }, (reply) => {
        const chunks: Buffer[] = [];
        reply.on("data", (chunk) => chunks.push(chunk));
        reply.on("end", () =>
          resolve({
            status: reply.statusCode!,
            headers: reply.headers as Record<string, string | undefined>,
            body: Buffer.concat(chunks),
          }),
        );
      })
        .on("error", reject)
        .end();
    },
  );
const navigation = { "sec-fetch-mode": "navigate" };

describe("a file", () => {
  test.each([
    ["index.html", "text/html; charset=UTF-8"],
    ["robots.txt", "text/plain; charset=UTF-8"],
    ["assets/logo.png", "image/png"],
    ["assets/app-B7f3kQz1.js", "text/javascript; charset=UTF-8"],
    ["assets/space%20name.css", "text/css; charset=UTF-8"],
    ["constructor", "application/octet-stream"],
  ])("%s has its content and its type", async (path, type) => {
    const reply = await ask(`/console/${path}`);
    expect(reply.status).toBe(200);
    expect(reply.headers["content-type"]).toBe(type);
    expect(reply.headers["content-length"]).toBe(String(reply.body.length));
    expect(reply.body.toString("latin1")).toBe(
      Buffer.from(contents[decodeURIComponent(path)]!).toString("latin1"),
    );
  });

  test("with a hash in its name is cached for ever, and any other is revalidated", async () => {
    const hashed = await ask("/console/assets/app-B7f3kQz1.js");
    expect(hashed.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
    for (const path of ["index.html", "assets/my-component.js"])
      expect((await ask(`/console/${path}`)).headers["cache-control"]).toBe("no-cache");
  });

  test("is not sent again to a client that has it in the same encoding", async () => {
    const first = await ask("/console/notes.txt", { "accept-encoding": "br" });
    const etag = first.headers.etag!;
    expect(etag).toMatch(/^"[\w-]{20,}"$/);
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const again = await ask("/console/notes.txt", { "accept-encoding": "br", "if-none-match": known });
      expect({ status: again.status, body: again.body.length, etag: again.headers.etag }).toEqual({
        status: 304,
        body: 0,
        etag,
      });
      expect(again.headers).toMatchObject({ "cache-control": "no-cache", vary: "Accept-Encoding" });
      expect(again.headers["content-length"]).toBeUndefined();
    }
    const other = await ask("/console/notes.txt", { "accept-encoding": "gzip", "if-none-match": etag });
    expect(other.status).toBe(200);
  });

  test("answers HEAD with the headers of GET", async () => {
    for (const headers of [{}, { "accept-encoding": "br" }] as Record<string, string>[]) {
      const get = await ask("/console/notes.txt", headers);
      const head = await ask("/console/notes.txt", headers, "HEAD");
      expect(head.body.length).toBe(0);
      for (const name of [
        "etag",
        "content-length",
        "content-type",
        "content-encoding",
        "vary",
        "cache-control",
      ])
        expect(head.headers[name], name).toBe(get.headers[name]);
    }
  });

  test("has the platform's security headers, and pages a policy", async () => {
    const html = await ask("/console/index.html");
    expect(html.headers["content-security-policy"]).toMatch(/^default-src 'none'; script-src 'self';/);
    for (const path of ["index.html", "robots.txt"])
      expect((await ask(`/console/${path}`)).headers).toMatchObject({
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "cross-origin-resource-policy": "same-origin",
      });
  });

  test("accepts no other method", async () => {
    const reply = await ask("/console/robots.txt", {}, "POST");
    expect(reply.status).toBe(405);
    expect(reply.headers.allow).toBe("GET, HEAD, OPTIONS");
  });
});

describe("the encoding of a file", () => {
  const decoders: Record<string, (bytes: Buffer) => Buffer> = {
    br: brotliDecompressSync,
    gzip: gunzipSync,
    none: (bytes) => bytes,
  };
  test.each([
    [undefined, "none"],
    ["br", "br"],
    ["gzip, deflate, br", "br"],
    ["gzip", "gzip"],
    ["br;q=0.5, gzip;q=0.9", "gzip"],
    ["br;q=0, gzip;q=0", "none"],
    ["identity, gzip;q=0.5", "none"],
    ["*", "br"],
    ["br;q=0, *", "gzip"],
    ["deflate", "none"],
    ["br;q=high", "none"],
  ])("Accept-Encoding: %s gets %s", async (accepted, encoding) => {
    const reply = await ask("/console/notes.txt", accepted ? { "accept-encoding": accepted } : {});
    expect(reply.headers["content-encoding"] ?? "none").toBe(encoding);
    expect(reply.headers.vary).toBe("Accept-Encoding");
    expect(decoders[encoding]!(reply.body).toString()).toBe(contents["notes.txt"]);
    if (encoding !== "none") expect(reply.body.length).toBeLessThan(contents["notes.txt"]!.length / 4);
  });

  test("is not applied to files that are small or already compressed", async () => {
    for (const path of ["robots.txt", "assets/logo.png"]) {
      const { headers } = await ask(`/console/${path}`, { "accept-encoding": "br" });
      expect([headers["content-encoding"], headers.vary]).toEqual([undefined, undefined]);
    }
  });

  test("uses the compressed file of the build, which has no address of its own", async () => {
    const built = await ask("/console/assets/built.css", { "accept-encoding": "gzip" });
    expect(gunzipSync(built.body).toString()).toBe("made by the build");
    expect((await ask("/console/assets/built.css.gz")).status).toBe(404);
  });

  test("prefers a listed coding to identity with the same weight", () => {
    expect(chooseEncoding("identity, gzip", ["br", "gzip"])).toBe("gzip");
    expect(chooseEncoding("", ["br", "gzip"])).toBeUndefined();
    expect(chooseEncoding("x-gzip", ["br", "gzip"])).toBe("gzip");
  });
});

describe("a path", () => {
  test.each([
    "../secret.txt",
    "%2e%2e/secret.txt",
    "..%2fsecret.txt",
    "assets/..%2f..%2fsecret.txt",
    "assets/%2e%2e/%2e%2e/secret.txt",
    "..\\secret.txt",
    "..%5csecret.txt",
    "assets%2fapp-B7f3kQz1.js",
    "link.txt",
    ".env",
    "assets/.hidden/key",
    "%00",
    "%zz",
    "%ff",
    "__proto__",
    "toString",
    "assets",
    "assets/",
    "index.html/",
    "/index.html",
  ])("%s has no file", async (path) => {
    for (const prefix of ["console", "plain"]) {
      const { replies } = await sendRaw(server.url, [
        `GET /${prefix}/${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
      ]);
      expect([400, 404]).toContain(replies[0]?.status);
      expect(replies[0]?.body).not.toContain("secret");
    }
  });

  test("without a file shows the fallback page in a browser, below the prefix only", async () => {
    for (const path of ["", "/", "/runs/run_1", "/runs/a.b", "/assets/gone-B7f3kQz1.js"]) {
      const reply = await ask(`/console${path}`, navigation);
      expect([reply.status, reply.body.toString(), reply.headers["cache-control"]]).toEqual([
        200,
        page,
        "no-cache",
      ]);
    }
    expect((await ask("/consoles/runs", navigation)).status).toBe(404);
    expect((await ask("/plain/runs", navigation)).status).toBe(404);
  });

  test("without a file is 404 for a script or a style", async () => {
    const reply = await ask("/console/assets/gone-B7f3kQz1.js", {
      "sec-fetch-mode": "no-cors",
      accept: "*/*",
    });
    expect(reply.status).toBe(404);
    expect(JSON.parse(reply.body.toString())).toEqual({ error: "file_not_found" });
    expect((await ask("/console/")).body.toString()).toBe(page);
  });
});

test("a missing fallback page prevents the start", () => {
  const mount = () => mountFiles({ prefix: "/x", tag: "", summary: "", files, fallback: "missing.html" });
  expect(mount).toThrow("There is no file missing.html.");
});
