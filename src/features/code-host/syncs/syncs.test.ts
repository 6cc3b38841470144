import { hash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  type CreatedConnector,
  createConnector,
  createTemplate,
  runSyncs,
  sweepConnector,
  templateFile,
} from "../../../../test/connectors.ts";
import {
  type GitRepository,
  type GitServer,
  runGit,
  startGitServer,
} from "../../../../test/fixtures/git-server.ts";
import { createWorkspace, useServer, type Workspace } from "../../../../test/harness.ts";
import { sql } from "../../../platform/db/index.ts";

const server = useServer();
let git: GitServer;
let acme: Workspace;
let repository: GitRepository;
beforeAll(async () => {
  git = await startGitServer();
});
afterAll(() => git.close());
beforeEach(async () => {
  acme = await createWorkspace(server);
  repository = await git.repository();
});

const call = (path: string, method = "GET") => server.call(path, { method, headers: acme.owner.auth });
const connect = (more: Record<string, unknown> = {}) =>
  createConnector(server, acme.owner.auth, { cloneUrl: repository.url, ...more });

/** Connects and syncs; gives the sync. */
async function connected(more?: Record<string, unknown>) {
  const connector = await connect(more);
  await runSyncs(server);
  return { connector, sync: await lastSync(connector) };
}

const lastSync = async ({ id }: Pick<CreatedConnector, "id">) =>
  (await call(`/v1/connector-syncs?connectorId=${id}&limit=1`)).body.items[0];

async function syncAgain(connector: CreatedConnector) {
  expect((await call(`/v1/connectors/${connector.id}/sync`, "POST")).status).toBe(202);
  await runSyncs(server);
  return lastSync(connector);
}

/** Slug to body. */
async function templates(query = ""): Promise<Record<string, string>> {
  const { body } = await call(`/v1/templates?limit=100${query}`);
  const found: Record<string, string> = {};
  for (const { id } of body.items) {
    const { template } = (await call(`/v1/templates/${id}`)).body;
    found[template.slug] = template.body.trim();
  }
  return found;
}
const bySlug = async (slug: string) => {
  const { items } = (await call(`/v1/templates?slug=${encodeURIComponent(slug)}`)).body;
  return items.length ? (await call(`/v1/templates/${items[0].id}`)).body.template : undefined;
};

describe("a sync", () => {
  test("makes templates equal to a folder: added, changed, removed, unchanged are counted", async () => {
    const first = await repository.commit(
      {
        "templates/review.md": templateFile("Review", "Look closely.", "tags: [a, b]\nmodel: large\n"),
        "templates/team/triage.md": templateFile("Triage", "Sort."),
        "templates/gone.md": templateFile("Gone", "Soon gone."),
        "templates/README.md": "# About this folder",
        "templates/notes.txt": "not a template",
        "elsewhere/other.md": templateFile("Other"),
      },
      { author: "Grace <grace@example.com>" },
    );
    const { connector, sync } = await connected();
    expect(sync).toMatchObject({
      status: "succeeded",
      cause: "created",
      commit: first,
      attempt: 1,
      error: null,
      changes: { added: 3, changed: 0, removed: 0, unchanged: 0 },
      problems: [],
    });
    expect(await templates()).toEqual({
      review: "Look closely.",
      "team/triage": "Sort.",
      gone: "Soon gone.",
    });
    expect(await bySlug("review")).toMatchObject({
      name: "Review",
      tags: ["a", "b"],
      metadata: { model: "large" },
      createdBy: null,
      source: {
        connectorId: connector.id,
        connectorName: "Handbook",
        path: "templates/review.md",
        commit: first,
        author: "Grace <grace@example.com>",
      },
    });

    const second = await repository.commit({
      "templates/review.md": templateFile("Review", "Look twice."),
      "templates/gone.md": null,
      "templates/new.md": templateFile("New", "Fresh."),
    });
    expect(await syncAgain(connector)).toMatchObject({
      status: "succeeded",
      cause: "manual",
      changes: { added: 1, changed: 1, removed: 1, unchanged: 1 },
    });
    expect(await templates()).toEqual({ review: "Look twice.", "team/triage": "Sort.", new: "Fresh." });
    const changed = await bySlug("review");
    expect(changed).toMatchObject({ version: 2, source: { commit: second } });
    expect((await bySlug("team/triage")).source.commit).toBe(first);
    const versions = (await call(`/v1/templates/${changed.id}/versions`)).body.items;
    expect(versions.map((one: { commit: string }) => one.commit)).toEqual([second, first]);
    expect((await call(`/v1/connectors/${connector.id}`)).body.connector).toMatchObject({
      syncedCommit: second,
      templateCount: 3,
      lastSync: { status: "succeeded" },
    });
  });

  test("follows a real push", async () => {
    await repository.commit({ "templates/a.md": templateFile("A", "first") });
    const { connector } = await connected();
    const folder = mkdtempSync(join(tmpdir(), "push-"));
    await runGit(["clone", "-q", repository.url, "."], folder);
    writeFileSync(join(folder, "templates/a.md"), templateFile("A", "pushed"));
    await runGit(["commit", "-qam", "change"], folder);
    await runGit(["push", "-q", "origin", "main"], folder);
    rmSync(folder, { recursive: true });
    await syncAgain(connector);
    expect(await templates()).toEqual({ a: "pushed" });
  });

  test("makes read-only templates, and the refusal names connector and path", async () => {
    await repository.commit({ "templates/a.md": templateFile("A") });
    const { connector } = await connected();
    const { id } = await bySlug("a");
    for (const options of [{ method: "PATCH", body: { name: "B" } }, { method: "DELETE" }]) {
      const reply = await server.call(`/v1/templates/${id}`, { ...options, headers: acme.owner.auth });
      expect(reply).toMatchObject({
        status: 409,
        body: {
          error: "template_is_synced",
          connectorId: connector.id,
          path: "templates/a.md",
          message: expect.stringContaining("Handbook"),
        },
      });
    }
  });

  test("fetches only unknown files, and writes no version for unchanged content", async () => {
    await repository.commit({ "templates/a.md": templateFile("A"), "templates/b.md": templateFile("B") });
    const { connector } = await connected();
    await repository.commit({ "templates/b.md": `\ufeff${templateFile("B")}` });
    git.requests.length = 0;
    expect((await syncAgain(connector)).changes).toEqual({ added: 0, changed: 0, removed: 0, unchanged: 2 });
    const wants = git.requests.flatMap(({ body }) => String(body).match(/want [0-9a-f]{40}/g) ?? []);
    expect(wants).toHaveLength(2);
    git.requests.length = 0;
    await syncAgain(connector);
    expect(git.requests.flatMap(({ body }) => String(body).match(/want [0-9a-f]{40}/g) ?? [])).toHaveLength(
      1,
    );
  });

  test("reports a broken file with path and line, keeps its last good version, and reads the other files", async () => {
    await repository.commit({ "templates/good.md": templateFile("Good", "once good") });
    const { connector } = await connected();
    await repository.commit({
      "templates/good.md": "---\nname: Good\ntags: [unclosed\n---\nbroken\n",
      "templates/noname.md": "---\ndescription: x\n---\nbody\n",
      "templates/latin.md": Buffer.from(`---\nname: L\n---\nfine\nna\xefve\n`, "latin1"),
      "templates/plain.md": "just text",
      "templates/long.md": templateFile("x".repeat(121)),
      "templates/huge.md": templateFile("Huge", "x".repeat(300_000)),
      "templates/giant.md": "x".repeat(600_000),
      "templates/link.md": { symlink: "good.md" },
      "templates/module": { submodule: "a".repeat(40) },
      "templates/fine.md": templateFile("Fine", "fine"),
    });
    const sync = await syncAgain(connector);
    expect(sync).toMatchObject({
      status: "succeeded",
      changes: { added: 1, changed: 0, removed: 0, unchanged: 1 },
      problemCount: 9,
    });
    const lines = Object.fromEntries(
      sync.problems.map(({ path, line }: { path: string; line: number }) => [path.slice(10), line]),
    );
    expect(lines).toEqual({
      "good.md": 4,
      "noname.md": 1,
      "latin.md": 5,
      "plain.md": 1,
      "long.md": 2,
      "huge.md": 4,
      "giant.md": null,
      "link.md": null,
      module: null,
    });
    expect(await templates()).toEqual({ good: "once good", fine: "fine" });
    await repository.commit({ "templates/good.md": templateFile("Good", "good again") });
    expect((await syncAgain(connector)).changes).toMatchObject({ changed: 1 });
  });

  test("reports a file whose problem quotes text that cannot be stored, and reads the other files", async () => {
    await repository.commit({
      "templates/fine.md": templateFile("Fine", "fine"),
      "templates/half.md": '---\nname: Half\nx: "\\u12🚂"\n---\nbody\n',
      "templates/zero.md": '---\nname: Zero\nx: "\\x\0\0"\n---\nbody\n',
      // The shown path has 500 UTF-16 units. The last one is half of a character here.
      [`templates/${"a".repeat(489)}🚂.md`]: { symlink: "fine.md" },
    });
    const { sync } = await connected();
    expect(sync).toMatchObject({ status: "succeeded", changes: { added: 1 }, problemCount: 3 });
    for (const { message } of sync.problems) expect(message).toMatch(/Invalid escape sequence|Links/);
    expect(await templates()).toEqual({ fine: "fine" });
  });

  test("reports a path that is too long or duplicate, and reads the other files", async () => {
    const noise = (seed: string) => hash("sha256", seed).slice(0, 60);
    const long = Array.from({ length: 60 }, (_, i) => noise(`${i}`))
      .slice(0, 48)
      .join("/");
    await repository.commit({
      "templates/fine.md": templateFile("Fine", "fine"),
      [`templates/${long}/deep.md`]: templateFile("Deep", "deep", "slug: deep\n"),
    });
    const blob = await repository.git(["hash-object", "-w", "--stdin"], templateFile("Twin", "twin"));
    const other = await repository.git(
      ["hash-object", "-w", "--stdin"],
      templateFile("Other twin", "other", "slug: other\n"),
    );
    const before = await repository.git(["ls-tree", "main:templates"]);
    const twins = `100644 blob ${blob}\ttwin.md\n100644 blob ${other}\ttwin.md\n`;
    const folder = await repository.git(["mktree"], `${before}\n${twins}`);
    const root = await repository.git(["mktree"], `040000 tree ${folder}\ttemplates\n`);
    await repository.git(["update-ref", "refs/heads/main", await repository.git(["commit-tree", root], "x")]);
    const { sync } = await connected();
    expect(sync).toMatchObject({ status: "succeeded", changes: { added: 2 }, problemCount: 2 });
    expect(sync.problems.map(({ message }: { message: string }) => message)).toEqual([
      expect.stringContaining("longer than"),
      expect.stringContaining("twice"),
    ]);
    expect(await templates()).toEqual({ fine: "fine", twin: "twin" });
  });

  test("a slug that is used by hand, by another connector or by an earlier file is reported as a problem", async () => {
    await createTemplate(server, acme.owner.auth, { slug: "mine", body: "by hand" });
    await repository.commit({
      "templates/Same.md": templateFile("Capital", "capital"),
      "templates/same.md": templateFile("Small", "small"),
      "templates/mine.md": templateFile("Mine", "theirs"),
    });
    const { connector, sync } = await connected();
    expect(
      sync.problems.map(({ path, message }: { path: string; message: string }) => [path, message]),
    ).toEqual([
      ["templates/mine.md", expect.stringContaining("made by hand")],
      ["templates/same.md", expect.stringContaining("templates/Same.md")],
    ]);
    expect(await templates()).toEqual({ mine: "by hand", same: "capital" });
    const other = await connected({ name: "Second" });
    expect(other.sync.changes).toEqual({ added: 0, changed: 0, removed: 0, unchanged: 0 });
    expect(other.sync.problems[0].message).toContain("connector Handbook");
    // The one who has it keeps it, though the other now comes first by path.
    await repository.commit({ "templates/0.md": templateFile("Zero", "zero", "slug: same\n") });
    await syncAgain(connector);
    expect((await templates()).same).toBe("capital");
  });

  test("a renamed file keeps its template when its slug stays; slugs may change places in one push", async () => {
    await repository.commit({
      "templates/old.md": templateFile("A", "a", "slug: kept\n"),
      "templates/x.md": templateFile("X", "x", "slug: one\n"),
      "templates/y.md": templateFile("Y", "y", "slug: two\n"),
      "templates/bare.md": templateFile("Bare", "bare"),
    });
    const { connector } = await connected();
    const before = await bySlug("kept");
    await repository.commit({
      "templates/old.md": null,
      "templates/deep/new.md": templateFile("A", "a", "slug: kept\n"),
      "templates/x.md": templateFile("X", "x", "slug: two\n"),
      "templates/y.md": templateFile("Y", "y", "slug: one\n"),
      "templates/bare.md": null,
      "templates/bar.md": templateFile("Bare", "bare"),
    });
    const sync = await syncAgain(connector);
    expect(sync).toMatchObject({ status: "succeeded", problems: [] });
    expect(sync.changes).toEqual({ added: 1, changed: 2, removed: 1, unchanged: 1 });
    expect(await bySlug("kept")).toMatchObject({
      id: before.id,
      version: 1,
      source: { path: "templates/deep/new.md" },
    });
    expect(await templates()).toEqual({ kept: "a", two: "x", one: "y", bar: "bare" });
  });

  test("a force push is followed like any other", async () => {
    await repository.commit({ "templates/a.md": templateFile("A"), "templates/b.md": templateFile("B") });
    const { connector } = await connected();
    const forced = await repository.commit({ "templates/c.md": templateFile("C", "c") }, { orphan: true });
    expect(await syncAgain(connector)).toMatchObject({
      status: "succeeded",
      commit: forced,
      changes: { added: 1, removed: 2 },
    });
    expect(await templates()).toEqual({ c: "c" });
  });

  test("a deleted branch fails at once with its reason, and the templates stay", async () => {
    await repository.commit({ "templates/a.md": templateFile("A", "a") });
    const { connector } = await connected();
    await repository.git(["update-ref", "-d", "refs/heads/main"]);
    expect(await syncAgain(connector)).toMatchObject({
      status: "failed",
      attempt: 1,
      error: { code: "ref_not_found", retryable: false, message: expect.stringContaining("branch main") },
    });
    expect(await templates()).toEqual({ a: "a" });
  });

  test("an empty folder removes all templates; a missing folder is an error and keeps them", async () => {
    await repository.commit({
      "templates/a.md": templateFile("A", "a"),
      "templates/keep.txt": "",
      "x.md": "",
    });
    const { connector } = await connected();
    await repository.commit({ "templates/a.md": null });
    expect((await syncAgain(connector)).changes).toEqual({ added: 0, changed: 0, removed: 1, unchanged: 0 });
    await repository.commit({ "templates/b.md": templateFile("B", "b") });
    await syncAgain(connector);
    await repository.commit({ "templates/b.md": null, "templates/keep.txt": null });
    expect(await syncAgain(connector)).toMatchObject({
      status: "failed",
      error: { code: "folder_not_found", retryable: false },
    });
    expect(await templates()).toEqual({ b: "b" });
    await repository.commit({ templates: "a file of that name" });
    expect((await syncAgain(connector)).error).toMatchObject({
      code: "folder_not_found",
      message: expect.stringContaining("is a file"),
    });
  });

  test("5,000 files become templates within seconds, and the next sync finds them unchanged", async () => {
    const files: Record<string, string> = {};
    for (let i = 0; i < 5_000; i++)
      files[`templates/${i % 50}/file-${i}.md`] = templateFile(
        `File ${i}`,
        `Do ${i}.\n${"words ".repeat(100)}`,
      );
    await repository.commit(files);
    let started = performance.now();
    const { connector, sync } = await connected();
    const first = performance.now() - started;
    expect(sync).toMatchObject({ status: "succeeded", changes: { added: 5_000 }, problemCount: 0 });
    await repository.commit({ "templates/7/file-7.md": templateFile("File 7", "changed") });
    started = performance.now();
    expect((await syncAgain(connector)).changes).toEqual({
      added: 0,
      changed: 1,
      removed: 0,
      unchanged: 4_999,
    });
    const second = performance.now() - started;
    started = performance.now();
    expect((await call("/v1/templates?q=file%204999")).body.items).toHaveLength(1);
    const search = performance.now() - started;
    console.log(
      `${server.platform.db.kind}: 5,000 files ${Math.round(first)} ms, one of them ${Math.round(second)} ms, a search ${Math.round(search)} ms`,
    );
    expect(first).toBeLessThan(60_000);
    expect(search).toBeLessThan(1_000);
    await repository.commit({ "templates/x.md": templateFile("X") }, { clear: true });
    expect((await syncAgain(connector)).changes).toMatchObject({ added: 1, removed: 5_000 });
  }, 120_000);
});

describe("a failure", () => {
  test("that may be temporary is retried five times, and then waits for a person", async () => {
    await repository.commit({ "templates/a.md": templateFile("A", "a") });
    let down = true;
    git.options.intercept = (_request, response) => {
      if (down) response.writeHead(503).end();
      return down;
    };
    const { connector, sync } = await connected();
    expect(sync).toMatchObject({
      status: "queued",
      attempt: 1,
      error: { code: "server_error", retryable: true },
    });
    expect(sync.dueAt - Date.now()).toBeGreaterThan(5_000);
    expect(sync.dueAt - Date.now()).toBeLessThan(12_000);
    await runSyncs(server);
    expect((await lastSync(connector)).attempt).toBe(1);
    for (let i = 2; i <= 5; i++) {
      await server.platform.db.run(sql`update connector_syncs set due_at = now() where id = ${sync.id}`);
      await runSyncs(server);
    }
    expect(await lastSync(connector)).toMatchObject({
      status: "failed",
      attempt: 5,
      error: { code: "server_error" },
    });
    down = false;
    expect(await call(`/v1/connector-syncs/${sync.id}/retry`, "POST")).toMatchObject({
      status: 202,
      body: { sync: { status: "queued", attempt: 0 } },
    });
    await runSyncs(server);
    expect(await lastSync(connector)).toMatchObject({ id: sync.id, status: "succeeded", error: null });
    expect(await call(`/v1/connector-syncs/${sync.id}/retry`, "POST")).toMatchObject({
      status: 409,
      body: { error: "sync_not_failed" },
    });
    git.options.intercept = () => false;
  });

  const reasons: [what: string, more: () => Record<string, unknown>, code: string][] = [
    [
      "a repository that is not there",
      () => ({ cloneUrl: `${git.url}/acme/none.git` }),
      "repository_not_found",
    ],
    ["a ref that is not there", () => ({ ref: "none" }), "ref_not_found"],
    ["a folder that is not there", () => ({ folder: "Templates" }), "folder_not_found"],
  ];
  test.each(reasons)("%s fails at once", async (_, more, code) => {
    await repository.commit({ "templates/a.md": templateFile("A") });
    const { connector, sync } = await connected(more());
    expect(sync).toMatchObject({ status: "failed", attempt: 1, error: { code, retryable: false } });
    expect((await call(`/v1/connectors/${connector.id}`)).body.connector.lastSync).toMatchObject({
      status: "failed",
      errorCode: code,
    });
  });

  test("of an unreachable server is explained and retried", async () => {
    const { sync } = await connected({ cloneUrl: "http://127.0.0.9:60999/x.git" });
    expect(sync).toMatchObject({ status: "queued", error: { code: "unreachable", retryable: true } });
    expect(sync.error.message).toMatch(/refused the connection/);
  });
});

describe("the queue of a connector", () => {
  test("runs only the newest sync; earlier ones are superseded", async () => {
    await repository.commit({ "templates/a.md": templateFile("A", "a") });
    const { connector } = await connected();
    const head = await repository.commit({ "templates/a.md": templateFile("A", "b") });
    // As hooks queue them; the heads that they name are long gone.
    await server.platform.db.run(sql`
      insert into connector_syncs (id, org_id, connector_id, head, cause)
      select 'syn_7zzzzzzzzzzzzzzzzzzzzzzzz' || n, ${acme.orgId}, ${connector.id}, repeat(n::text, 40), 'push'
      from generate_series(1, 2) n`);
    await runSyncs(server);
    const { items } = (await call(`/v1/connector-syncs?connectorId=${connector.id}`)).body;
    expect(items.map(({ status, commit }: { status: string; commit: string }) => [status, commit])).toEqual([
      ["succeeded", head],
      ["superseded", null],
      ["succeeded", expect.not.stringContaining(head)],
    ]);
    expect(
      (await call(`/v1/connector-syncs?connectorId=${connector.id}&status=superseded`)).body.items,
    ).toHaveLength(1);
  });

  test("requests during a sync lead to one more sync", async () => {
    await repository.commit({ "templates/a.md": templateFile("A", "a") });
    const read = Promise.withResolvers<void>();
    const requested = Promise.withResolvers<void>();
    // A worker may start a sync as soon as it is queued, and a sync that runs may have read the ref already. So the
    // first sync is held while the requests come.
    git.options.intercept = async () => {
      read.resolve();
      await requested.promise;
      return false;
    };
    const connector = await connect();
    const syncs = runSyncs(server);
    await read.promise;
    const replies = await Promise.all(
      [1, 2, 3].map(() => call(`/v1/connectors/${connector.id}/sync`, "POST")),
    );
    git.options.intercept = () => false;
    requested.resolve();
    await syncs;
    await runSyncs(server);
    const ids = new Set(replies.map(({ body }) => body.sync.id));
    const { items } = (await call(`/v1/connector-syncs?connectorId=${connector.id}`)).body;
    expect(items.map(({ id, status }: { id: string; status: string }) => [ids.has(id), status])).toEqual([
      [true, "succeeded"],
      [false, "succeeded"],
    ]);
    expect(ids.size).toBe(1);
  });

  test("a sync of a disabled connector ends with the reason, and a new one is refused", async () => {
    await repository.commit({ "templates/a.md": templateFile("A", "a") });
    const connector = await connect();
    const change = (body: unknown) =>
      server.call(`/v1/connectors/${connector.id}`, { method: "PATCH", body, headers: acme.owner.auth });
    await change({ status: "disabled" });
    await runSyncs(server);
    expect(await lastSync(connector)).toMatchObject({
      status: "failed",
      error: { code: "connector_disabled" },
    });
    expect(await call(`/v1/connectors/${connector.id}/sync`, "POST")).toMatchObject({
      status: 409,
      body: { error: "connector_disabled" },
    });
    expect(await templates()).toEqual({});
    await change({ status: "active" });
    await runSyncs(server);
    expect(await templates()).toEqual({ a: "a" });
  });

  test.each([
    ["disabled", "The connector was disabled while its repository was read."],
    ["disconnected", "The code host ended the connection while the repository was read."],
  ])("a sync whose connector is %s while it reads says so and changes nothing", async (status, message) => {
    await repository.commit({ "templates/a.md": templateFile("A", "a") });
    git.options.intercept = async () => {
      await server.platform.db.run(
        sql`update connectors set status = ${status} where org_id = ${acme.orgId}`,
      );
      return false;
    };
    const { sync } = await connected();
    git.options.intercept = () => false;
    expect(sync).toMatchObject({ status: "failed", error: { code: `connector_${status}`, message } });
    expect(await templates()).toEqual({});
  });

  test("a changed folder is synced automatically, and content of the old folder is not used", async () => {
    await repository.commit({
      "templates/a.md": templateFile("A", "a"),
      "others/b.md": templateFile("B", "b"),
    });
    const connector = await connect();
    git.options.intercept = async (request) => {
      if (request.method === "GET") {
        git.options.intercept = () => false;
        await server.call(`/v1/connectors/${connector.id}`, {
          method: "PATCH",
          body: { folder: "others" },
          headers: acme.owner.auth,
        });
      }
      return false;
    };
    await runSyncs(server);
    const { items } = (await call(`/v1/connector-syncs?connectorId=${connector.id}`)).body;
    expect(items.map(({ status, cause }: { status: string; cause: string }) => [cause, status])).toEqual([
      ["changed", "succeeded"],
      ["created", "superseded"],
    ]);
    expect(await templates()).toEqual({ b: "b" });
  });

  test("the slow servers of one organization do not delay other organizations", async () => {
    let letGo = () => {};
    const held = new Promise<boolean>((resolve) => {
      letGo = () => resolve(false);
    });
    await repository.commit({ "templates/a.md": templateFile("A", "a") });
    const other = await createWorkspace(server);
    const quick = await git.repository("quick/one");
    await quick.commit({ "templates/b.md": templateFile("B", "b") });
    let waiting = 0;
    git.options.intercept = ({ url }) => {
      if (url!.startsWith("/quick/")) return false;
      waiting++;
      return held;
    };
    // A worker that heard of work before begins by itself.
    for (let i = 0; i < 5; i++) await connect();
    const working = runSyncs(server);
    try {
      await expect.poll(() => waiting, { timeout: 10_000 }).toBe(2);
      const { id } = await createConnector(server, other.owner.auth, { cloneUrl: quick.url });
      await expect
        .poll(
          async () =>
            (await server.call(`/v1/connectors/${id}`, { headers: other.owner.auth })).body.connector.lastSync
              .status,
          { timeout: 18_000 },
        )
        .toBe("succeeded");
    } finally {
      git.options.intercept = () => false;
      letGo();
      await working;
    }
    const { items } = (await call("/v1/connector-syncs")).body;
    expect(items.map(({ status }: { status: string }) => status)).toEqual(Array(5).fill("succeeded"));
  });

  test("a repository that is renamed while it is read is read again under its new name", async () => {
    await repository.commit({ "templates/a.md": templateFile("A", "a") });
    const renamed = await git.repository();
    const head = await renamed.commit({ "templates/a.md": templateFile("A", "here now") });
    const connector = await connect();
    git.options.intercept = async (request) => {
      if (request.method === "GET") {
        git.options.intercept = () => false;
        // As a hook would have it done: nothing is queued by that.
        await server.platform.db.run(
          sql`update connectors set clone_url = ${renamed.url} where id = ${connector.id}`,
        );
      }
      return false;
    };
    await runSyncs(server);
    expect(await lastSync(connector)).toMatchObject({ status: "succeeded", commit: head, attempt: 1 });
    expect(await templates()).toEqual({ a: "here now" });
  });
});

describe("the comparison of heads", () => {
  test("finds a push without a webhook, once", async () => {
    await repository.commit({ "templates/a.md": templateFile("A", "a") });
    const { connector } = await connected();
    await sweepConnector(server, connector.id);
    expect((await lastSync(connector)).cause).toBe("created");
    const head = await repository.commit({ "templates/a.md": templateFile("A", "healed") });
    await sweepConnector(server, connector.id);
    await sweepConnector(server, connector.id);
    await runSyncs(server);
    const { items } = (await call(`/v1/connector-syncs?connectorId=${connector.id}`)).body;
    expect(items).toHaveLength(2);
    expect(items[0]).toMatchObject({ cause: "sweep", status: "succeeded", commit: head });
    expect(await templates()).toEqual({ a: "healed" });
  });

  test("of an earlier address leaves no error when the address was corrected meanwhile", async () => {
    await repository.commit({ "templates/a.md": templateFile("A", "a") });
    const { connector } = await connected({ cloneUrl: `${git.url}/wrong.git` });
    const asked = Promise.withResolvers<void>();
    const corrected = Promise.withResolvers<void>();
    git.options.intercept = async (request) => {
      if (!request.url!.startsWith("/wrong")) return false;
      asked.resolve();
      await corrected.promise;
      return false;
    };
    const sweeping = sweepConnector(server, connector.id);
    await asked.promise;
    const change = { method: "PATCH", body: { cloneUrl: repository.url }, headers: acme.owner.auth };
    expect((await server.call(`/v1/connectors/${connector.id}`, change)).status).toBe(200);
    await runSyncs(server);
    corrected.resolve();
    await sweeping;
    git.options.intercept = () => false;
    expect((await call(`/v1/connectors/${connector.id}`)).body.connector).toMatchObject({
      checkError: null,
      lastSync: { status: "succeeded" },
    });
  });

  test("does not retry a head that cannot succeed, and tries a new one", async () => {
    await repository.commit({ "templates/a.md": templateFile("A", "a") });
    const { connector } = await connected();
    await repository.commit({ "x.md": "x" }, { clear: true });
    for (let i = 0; i < 3; i++) {
      await sweepConnector(server, connector.id);
      await runSyncs(server);
    }
    expect((await call(`/v1/connector-syncs?connectorId=${connector.id}`)).body.items).toHaveLength(2);
    await repository.git(["update-ref", "-d", "refs/heads/main"]);
    for (let i = 0; i < 3; i++) {
      await sweepConnector(server, connector.id);
      await runSyncs(server);
    }
    const { items } = (await call(`/v1/connector-syncs?connectorId=${connector.id}`)).body;
    expect(items.map(({ error }: { error: { code: string } | null }) => error?.code)).toEqual([
      "ref_not_found",
      "folder_not_found",
      undefined,
    ]);
    expect((await call(`/v1/connectors/${connector.id}`)).body.connector.checkError).toContain(
      "refs/heads/main",
    );
    await repository.commit({ "templates/b.md": templateFile("B", "back") });
    await sweepConnector(server, connector.id);
    await runSyncs(server);
    expect(await templates()).toEqual({ b: "back" });
    expect((await call(`/v1/connectors/${connector.id}`)).body.connector.checkError).toBeNull();
  });

  test("records an unreachable server on the connector and queues nothing", async () => {
    const { connector } = await connected({ cloneUrl: "http://127.0.0.9:60999/x.git" });
    await server.platform.db.run(
      sql`update connector_syncs set status = 'failed' where connector_id = ${connector.id}`,
    );
    await sweepConnector(server, connector.id);
    expect((await call(`/v1/connectors/${connector.id}`)).body.connector).toMatchObject({
      checkError: expect.stringContaining("refused the connection"),
      lastSync: { status: "failed" },
    });
  });
});
