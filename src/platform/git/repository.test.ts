import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createEgress } from "@signalbox/discovery/egress";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type GitRepository,
  type GitServer,
  type GitServerOptions,
  startGitServer,
} from "../../../test/fixtures/git-server.ts";
import { openRepository, type Repository, type Snapshot } from "./index.ts";

const egress = createEgress({ allow: [], allowLoopback: true });
const servers: GitServer[] = [];
const start = async (options?: GitServerOptions) => {
  const server = await startGitServer(options);
  servers.push(server);
  return server;
};
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
  await egress.close();
});

/** Every file of a snapshot by its path. */
async function everything(snapshot: Snapshot): Promise<Record<string, string>> {
  const paths = new Map<string, string[]>();
  const walk = (id: string, prefix: string) => {
    for (const { kind, name, id: child } of snapshot.tree(id)) {
      if (kind === "tree") walk(child, `${prefix}${name}/`);
      else if (kind === "file") paths.set(child, [...(paths.get(child) ?? []), `${prefix}${name}`]);
    }
  };
  walk(snapshot.commit.tree, "");
  const files: Record<string, string> = {};
  for await (const [id, data] of snapshot.files(paths.keys(), 1_000_000))
    for (const path of paths.get(id)!) files[path] = data ? data.toString("utf8") : "too large";
  return files;
}

const readMain = async (repository: Repository) =>
  everything(await repository.snapshot((await repository.resolve("refs/heads/main"))!));

/** Text that deltas well against itself. */
const long = (seed: string) => Array.from({ length: 400 }, (_, i) => `${seed} ${i * 7919}\n`).join("");

const kinds: Record<string, { server: GitServerOptions; filter: boolean }> = {
  "protocol 2 and partial clones": { server: {}, filter: true },
  "protocol 2 without partial clones": { server: {}, filter: false },
  "protocol 0": { server: { protocol: 0 }, filter: false },
};

describe.each(Object.entries(kinds))("a git server with %s", (_, { server: options, filter }) => {
  let server: GitServer;
  let made: GitRepository;
  const files: Record<string, string> = {
    "empty.md": "",
    "docs/a/b/c/deep.md": "deep",
    "über/ß.md": "names",
  };
  for (let i = 0; i < 40; i++) files[`many/file-${i}.md`] = long(`line`) + i;
  beforeAll(async () => {
    server = await start(options);
    made = await server.repository(undefined, { filter });
    await made.commit({ "old.md": "gone later" });
    for (let i = 0; i < 3; i++)
      await made.commit({ ...files, "many/file-0.md": long("line") + long(`${i}`) });
    await made.commit({ ...files, "old.md": null }, { author: "Grace <grace@example.com>" });
    await made.commit({ "x.md": "other" }, { branch: "main-2" });
    await made.git(["tag", "-a", "v1", "-m", "first", "main"]);
    await made.git(["tag", "light", "main"]);
    await made.git(["repack", "-a", "-d", "-f", "-q", "--depth=50", "--window=50"]);
  });
  const open = () => openRepository(egress, { url: made.url });

  test("returns the head of a ref, and not of a ref with the same beginning", async () => {
    const repository = await open();
    expect(await repository.resolve("refs/heads/main")).toBe(await made.git(["rev-parse", "main"]));
    expect(await repository.resolve("refs/heads/mai")).toBeUndefined();
    expect(await repository.resolve("refs/heads/gone")).toBeUndefined();
  });

  test("returns every file of a commit, and no file of an earlier commit", async () => {
    expect(await readMain(await open())).toEqual(files);
  });

  test("returns the author of the commit", async () => {
    const repository = await open();
    const { commit } = await repository.snapshot((await repository.resolve("refs/heads/main"))!);
    expect(commit.author).toBe("Grace <grace@example.com>");
  });

  test.each(["refs/tags/v1", "refs/tags/light"])("%s is read like a branch", async (tag) => {
    const repository = await open();
    const id = await repository.resolve(tag);
    expect(id).toBe(await made.git(["rev-parse", "main"]));
    expect(await everything(await repository.snapshot(id!))).toEqual(files);
  });

  test("an empty repository has no refs", async () => {
    const empty = await server.repository(undefined, { filter });
    expect(
      await (await openRepository(egress, { url: empty.url })).resolve("refs/heads/main"),
    ).toBeUndefined();
  });

  test("skips a file that is too large, and reads the others", async () => {
    const large = await server.repository(undefined, { filter });
    // Random bytes do not compress: the object is as large in the pack.
    const noise = Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * 7919 * (i % 251)) & 255));
    await large.commit({ "large.md": noise, "small.md": "small" });
    const repository = await openRepository(egress, { url: large.url, limits: { objectBytes: 100_000 } });
    expect(await readMain(repository)).toEqual({ "large.md": "too large", "small.md": "small" });
  });

  test("refuses a repository that exceeds a limit", async () => {
    const refusal = (limits: object) =>
      openRepository(egress, { url: made.url, limits }).then(readMain, (error) => {
        throw error;
      });
    await expect(refusal({ objects: 3 })).rejects.toMatchObject({ kind: "too_large" });
    await expect(refusal({ inflatedBytes: 1_000 })).rejects.toMatchObject({ kind: "too_large" });
    await expect(refusal({ packBytes: 200 })).rejects.toMatchObject({ kind: "too_large" });
  });
});

describe("a server that leaves files out", () => {
  test("is asked only for the wanted files, so that a small folder of a large repository is fast", async () => {
    const server = await start();
    const made = await server.repository();
    const noise = Buffer.from(Array.from({ length: 3_000_000 }, (_, i) => (i * 31 * (i % 255)) & 255));
    await made.commit({ "assets/film.bin": noise, "templates/a.md": "a" });
    const repository = await openRepository(egress, { url: made.url, limits: { packBytes: 10_000 } });
    const snapshot = await repository.snapshot((await repository.resolve("refs/heads/main"))!);
    const folder = [...snapshot.tree(snapshot.commit.tree)].find(({ name }) => String(name) === "templates")!;
    const [file] = snapshot.tree(folder.id);
    for await (const [, data] of snapshot.files([file!.id], 1_000)) expect(String(data)).toBe("a");
  });
});

test("a server that omits files and refuses requests by object id is asked for everything", async () => {
  const server = await start({
    intercept(_request, response) {
      const body = String(server.requests.at(-1)!.body);
      if (!body.includes("command=fetch") || body.includes("deepen")) return false;
      response.writeHead(200, { "content-type": "application/x-git-upload-pack-result" });
      response.end("0018ERR want is not valid");
      return true;
    },
  });
  const made = await server.repository();
  await made.commit({ "a.md": "a", "b/c.md": "c" });
  expect(await readMain(await openRepository(egress, { url: made.url }))).toEqual({
    "a.md": "a",
    "b/c.md": "c",
  });
});

describe("a private repository", () => {
  let server: GitServer;
  let made: GitRepository;
  const authorization = `Basic ${Buffer.from("x-access-token:s3cret").toString("base64")}`;
  beforeAll(async () => {
    server = await start({ token: "s3cret" });
    made = await server.repository();
    await made.commit({ "a.md": "a" });
  });

  test("is read with its token, and refused without it or with another one", async () => {
    expect(await readMain(await openRepository(egress, { url: made.url, authorization }))).toEqual({
      "a.md": "a",
    });
    await expect(openRepository(egress, { url: made.url })).rejects.toMatchObject({
      kind: "access_refused",
      message: expect.stringContaining("wants a sign-in"),
    });
    const wrong = `Basic ${Buffer.from("x:wrong").toString("base64")}`;
    await expect(openRepository(egress, { url: made.url, authorization: wrong })).rejects.toMatchObject({
      kind: "access_refused",
      message: expect.not.stringContaining("wrong:"),
    });
  });

  test("does not get its token after a redirect to another server", async () => {
    const other = await start();
    const elsewhere = await other.repository("acme/moved");
    await elsewhere.commit({ "moved.md": "moved" });
    const from = await start({
      intercept(request, response) {
        const path = request.url!.replace("/acme/here.git", "/acme/moved.git");
        response.writeHead(301, { location: other.url + path }).end();
        return true;
      },
    });
    const repository = await openRepository(egress, { url: `${from.url}/acme/here.git`, authorization });
    expect(await readMain(repository)).toEqual({ "moved.md": "moved" });
    expect(from.requests[0]!.headers.authorization).toBe(authorization);
    expect(other.requests.length).toBeGreaterThanOrEqual(3);
    for (const { headers } of other.requests) expect(headers.authorization).toBeUndefined();
  });

  test("gets its token after a redirect within the server", async () => {
    server.options.intercept = (request, response) => {
      if (!request.url!.startsWith("/old/")) return false;
      response.writeHead(302, { location: request.url!.replace("/old/", "/acme/") }).end();
      return true;
    };
    const url = made.url.replace("/acme/", "/old/");
    expect(await readMain(await openRepository(egress, { url, authorization }))).toEqual({ "a.md": "a" });
  });
});

describe("a source that cannot be read", () => {
  const answers: Record<string, { status: number; type?: string; body?: string; kind: string }> = {
    "404": { status: 404, kind: "not_found" },
    "410": { status: 410, kind: "not_found" },
    "403": { status: 403, kind: "access_refused" },
    "429": { status: 429, kind: "rate_limited" },
    "502": { status: 502, kind: "server_error" },
    "418": { status: 418, kind: "protocol" },
    "a web page": { status: 200, type: "text/html", body: "<html>", kind: "unsupported" },
    "a list of plain files": {
      status: 200,
      type: "text/plain",
      body: "abc\trefs/heads/main\n",
      kind: "unsupported",
    },
    nothing: { status: 200, type: "git", body: "", kind: "protocol" },
    "no length": { status: 200, type: "git", body: "zzzzhello", kind: "protocol" },
    "half a line": { status: 200, type: "git", body: "001e# service=git", kind: "protocol" },
    "a length that cannot be": { status: 200, type: "git", body: "0003", kind: "protocol" },
    "an error line": { status: 200, type: "git", body: "0014ERR access denied", kind: "access_refused" },
    "refs that never end": {
      status: 200,
      type: "git",
      body: `0047${"a".repeat(40)} refs/heads/mainxxxxxxxxxxx`,
      kind: "protocol",
    },
  };

  test.each(Object.entries(answers))("%s", async (_, { status, type = "text/plain", body = "", kind }) => {
    const server = createServer((_request, response) => {
      const contentType = type === "git" ? "application/x-git-upload-pack-advertisement" : type;
      response.writeHead(status, { "content-type": contentType }).end(body);
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/x.git`;
      await expect(openRepository(egress, { url })).rejects.toMatchObject({ name: "GitError", kind });
    } finally {
      server.close();
    }
  });

  test("a repository with SHA-256 objects is refused with an error that names SHA-256", async () => {
    for (const protocol of [0, 2] as const) {
      const server = await start({ protocol });
      const made = await server.repository(undefined, { format: "sha256" });
      await made.commit({ "a.md": "a" });
      await expect(openRepository(egress, { url: made.url })).rejects.toMatchObject({
        kind: "unsupported",
        message: expect.stringContaining("SHA-256"),
      });
    }
  });

  test("an address that may not be called is refused before anything is sent", async () => {
    for (const url of ["http://169.254.169.254/x.git", "http://10.0.0.1/x.git", "ftp://example.com/x.git"]) {
      await expect(openRepository(egress, { url })).rejects.toMatchObject({ kind: "refused" });
    }
    await expect(openRepository(egress, { url: "http://127.0.0.9:60999/x.git" })).rejects.toMatchObject({
      kind: "unreachable",
    });
  });

  test("an abort ends the request", async () => {
    const server = await start({ intercept: () => new Promise(() => {}) });
    const controller = new AbortController();
    const opening = openRepository(egress, { url: `${server.url}/x.git`, signal: controller.signal });
    setTimeout(() => controller.abort(), 20);
    await expect(opening).rejects.toMatchObject({ kind: "aborted" });
    await expect(
      openRepository(egress, { url: `${server.url}/x.git`, limits: { timeoutMs: 50 } }),
    ).rejects.toMatchObject({ kind: "unreachable" });
  });
});
