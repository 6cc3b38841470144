import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectorBody, createConnector, runSyncs, templateFile } from "../../../../test/connectors.ts";
import { type GitServer, startGitServer } from "../../../../test/fixtures/git-server.ts";
import {
  createWorkspace,
  joinWorkspace,
  type Reply,
  useServer,
  type Workspace,
} from "../../../../test/harness.ts";
import { sql } from "../../../platform/db/index.ts";

const server = useServer();
let git: GitServer;
let acme: Workspace;
beforeAll(async () => {
  git = await startGitServer();
  acme = await createWorkspace(server, "Acme");
});
afterAll(() => git.close());

const call = (path: string, method = "GET", body?: unknown): Promise<Reply> =>
  server.call(path, { method, headers: acme.owner.auth, ...(body === undefined ? {} : { body }) });
const make = (more: Record<string, unknown> = {}) => createConnector(server, acme.owner.auth, more);
const create = (body: Record<string, unknown>) => call("/v1/connectors", "POST", body);
const github = {
  name: "Docs",
  codehost: "github",
  repository: "Acme/Docs",
  ref: "main",
  folder: "templates",
};

describe("a connector", () => {
  test("is created with its secret shown once and the values to enter at the code host", async () => {
    const { status, body } = await create(github);
    expect(status).toBe(201);
    const { connector, webhookSecret, setup } = body;
    expect(connector).toMatchObject({
      ...github,
      ref: "refs/heads/main",
      cloneUrl: "https://github.com/Acme/Docs.git",
      baseUrl: null,
      access: { kind: "none" },
      status: "active",
      webhookUrl: `${server.url}/v1/webhooks/connectors/codehost?connector=${connector.id}`,
      templateCount: 0,
      lastSync: { status: "queued" },
    });
    expect(webhookSecret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(setup.page).toBe("https://github.com/Acme/Docs/settings/hooks/new");
    const values = Object.fromEntries(
      setup.steps.map((step: { label: string; value: string }) => [step.label, step.value]),
    );
    expect(values).toMatchObject({
      "Payload URL": connector.webhookUrl,
      "Content type": "application/json",
      Secret: webhookSecret,
    });
    const read = await call(`/v1/connectors/${connector.id}`);
    expect(read.body.connector).toEqual(connector);
    expect(JSON.stringify(read.body)).not.toContain(webhookSecret);
    expect(JSON.stringify((await call("/v1/connectors")).body)).not.toContain(webhookSecret);
    await server.platform.db.run(sql`delete from connector_syncs`);
  });

  const hosts: [codehost: string, more: Record<string, unknown>, cloneUrl: string, page: string | null][] = [
    [
      "gitlab",
      { repository: "group/sub/project" },
      "https://gitlab.com/group/sub/project.git",
      "https://gitlab.com/group/sub/project/-/hooks",
    ],
    [
      "bitbucket",
      {},
      "https://bitbucket.org/acme/handbook.git",
      "https://bitbucket.org/acme/handbook/admin/webhooks",
    ],
    [
      "bitbucket",
      {
        baseUrl: "https://git.example.com/bitbucket",
        cloneUrl: "https://git.example.com/bitbucket/scm/acme/handbook.git",
      },
      "https://git.example.com/bitbucket/scm/acme/handbook.git",
      "https://git.example.com/bitbucket/plugins/servlet/webhooks/projects/acme/repos/handbook",
    ],
    [
      "forgejo",
      {},
      "https://codeberg.org/acme/handbook.git",
      "https://codeberg.org/acme/handbook/settings/hooks",
    ],
    [
      "gitea",
      { baseUrl: "https://git.example.com/gitea/" },
      "https://git.example.com/gitea/acme/handbook.git",
      "https://git.example.com/gitea/acme/handbook/settings/hooks",
    ],
    [
      "github",
      { baseUrl: "https://ghe.example.com" },
      "https://ghe.example.com/acme/handbook.git",
      "https://ghe.example.com/acme/handbook/settings/hooks/new",
    ],
    ["git", { cloneUrl: "https://git.example.com/x/y" }, "https://git.example.com/x/y", null],
  ];
  test.each(hosts)(
    "of %s has links to its repository and its webhook settings",
    async (codehost, more, cloneUrl, page) => {
      const { cloneUrl: _, ...body } = connectorBody({ codehost });
      const reply = await create({ ...body, ...more });
      expect(reply.status, JSON.stringify(reply.body)).toBe(201);
      expect(reply.body.connector.cloneUrl).toBe(cloneUrl);
      expect(reply.body.setup.page).toBe(page);
      expect(JSON.stringify(reply.body.setup)).toContain(reply.body.webhookSecret);
      expect(JSON.stringify(reply.body.setup)).toContain(reply.body.connector.webhookUrl);
    },
  );

  const wrong: [field: string, more: Record<string, unknown>, message: RegExp][] = [
    ["cloneUrl", { cloneUrl: "ssh://git@github.com/a/b.git" }, /https or http/],
    ["cloneUrl", { cloneUrl: "git@github.com:a/b.git" }, /https or http/],
    ["cloneUrl", { cloneUrl: "file:///etc" }, /https or http/],
    ["cloneUrl", { cloneUrl: "https://user:pass@github.com/a/b.git" }, /user and password/],
    ["cloneUrl", { cloneUrl: "https://github.com/a/b.git?token=1" }, /Leave \?/],
    ["cloneUrl", { cloneUrl: "http://169.254.169.254/latest/meta-data" }, /169\.254\.169\.254/],
    ["cloneUrl", { cloneUrl: "http://10.0.0.7/a/b.git" }, /EGRESS_ALLOW/],
    ["cloneUrl", { codehost: "git", cloneUrl: undefined }, /cloneUrl or baseUrl/],
    ["baseUrl", { codehost: "gitea", baseUrl: "http://192.168.0.1" }, /EGRESS_ALLOW/],
    [
      "cloneUrl",
      { cloneUrl: "http://git.example.com/a.git", access: { kind: "token", token: "t" } },
      /only sent over https/,
    ],
    ["ref", { ref: "refs/pull/1/head" }, /branch/],
    ["ref", { ref: "a..b" }, /branch/],
    ["ref", { ref: "with space" }, /branch/],
    ["folder", { folder: "../etc" }, /without \. or \.\./],
    ["repository", { codehost: "github", repository: "only-a-name" }, /owner\/name/],
    ["repository", { codehost: "github", repository: "a/../b" }, /owner\/name/],
    [
      "access",
      { access: { kind: "github_app", appId: "1", privateKey: "nonsense", installationId: "1" } },
      /RSA private key/,
    ],
    ["access", { access: { kind: "token" } }, /./],
  ];
  test.each(wrong)("with a wrong %s is refused: %o", async (field, more, message) => {
    const reply = await create(connectorBody(more));
    expect(reply).toMatchObject({ status: 400, body: { error: "invalid_request" } });
    expect(reply.body.details[0].path[0]).toBe(field);
    expect(reply.body.details[0].message).toMatch(message);
  });

  test("is one of at most 500, also when many are created at the same moment", async () => {
    const full = await createWorkspace(server, "Full");
    await server.platform.db.run(sql`
      insert into connectors (id, org_id, name, codehost, repository, repository_key, clone_url, ref, access_kind,
        status, created_by)
      select 'con_' || lpad(n::text, 26, '0'), ${full.orgId}, 'x', 'git', 'x', 'x', 'https://git.example/x', 'x',
        'none', 'disabled', 'x'
      from generate_series(1, 497) n`);
    const replies = await Promise.all(
      Array.from({ length: 10 }, () =>
        server.call("/v1/connectors", { body: connectorBody(), headers: full.owner.auth }),
      ),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 201, 201, ...Array(7).fill(409)]);
    expect(replies.find(({ status }) => status === 409)!.body.error).toBe("quota_exceeded");
  });

  test("can be read but not changed by a member", async () => {
    const { id } = await make();
    const { auth: headers } = await joinWorkspace(server, acme, "member");
    expect((await server.call(`/v1/connectors/${id}`, { headers })).status).toBe(200);
    expect((await server.call(`/v1/connectors/${id}/sync`, { method: "POST", headers })).status).toBe(403);
  });

  test("is created once per Idempotency-Key, with the same secret in each reply", async () => {
    const headers = { ...acme.owner.auth, "idempotency-key": "connect" };
    const [a, b] = await Promise.all(
      [1, 2].map(() => server.call("/v1/connectors", { body: connectorBody(), headers })),
    );
    expect(a!.body.webhookSecret).toBe(b!.body.webhookSecret);
  });
});

describe("a change of a connector", () => {
  const change = (id: string, body: object) => call(`/v1/connectors/${id}`, "PATCH", body);
  const causes = async (id: string) =>
    (await call(`/v1/connector-syncs?connectorId=${id}`)).body.items.map(
      (one: { cause: string }) => one.cause,
    );
  const settle = (id: string) =>
    server.platform.db.run(sql`update connector_syncs set status = 'succeeded' where connector_id = ${id}`);

  test("queues a sync when it affects what is read, and not when it affects the name", async () => {
    const { id } = await make();
    await settle(id);
    expect((await change(id, { name: "Other" })).body.connector.name).toBe("Other");
    expect(await causes(id)).toEqual(["created"]);
    for (const body of [{ ref: "dev" }, { folder: "/other/" }, { access: { kind: "none" } }]) {
      expect((await change(id, body)).status).toBe(200);
      expect((await causes(id))[0]).toBe("changed");
      await settle(id);
    }
    expect((await call(`/v1/connectors/${id}`)).body.connector).toMatchObject({
      ref: "refs/heads/dev",
      folder: "other",
    });
    expect(await causes(id)).toHaveLength(4);
  });

  test("to another server needs new credentials, so that the token is not sent there", async () => {
    const access = { kind: "token", token: "s3cret" };
    const { id } = await make({
      codehost: "gitea",
      baseUrl: "https://a.example.com",
      cloneUrl: undefined,
      access,
    });
    for (const body of [
      { baseUrl: "https://evil.example.com" },
      { cloneUrl: "https://evil.example.com/a/b.git" },
    ]) {
      expect(await change(id, body)).toMatchObject({
        status: 400,
        body: { details: [{ path: ["access"] }] },
      });
    }
    expect((await change(id, { repository: "acme/other" })).body.connector.cloneUrl).toBe(
      "https://a.example.com/acme/other.git",
    );
    const moved = await change(id, { baseUrl: "https://b.example.com", access });
    expect(moved.body.connector.cloneUrl).toBe("https://b.example.com/acme/other.git");
  });

  test("of the repository needs a new clone URL if one was given before", async () => {
    const { id } = await make();
    expect(await change(id, { repository: "acme/other" })).toMatchObject({
      status: 400,
      body: { details: [{ path: ["cloneUrl"] }] },
    });
  });
});

describe("webhook secrets of a connector", () => {
  test("are at most two, are each shown once, and are revoked one by one", async () => {
    const { id, webhookSecret } = await make();
    const path = `/v1/connectors/${id}/webhook-secrets`;
    const second = await call(path, "POST");
    expect(second).toMatchObject({ status: 201, body: { secret: { lastUsedAt: null } } });
    expect(second.body.webhookSecret).not.toBe(webhookSecret);
    expect(await call(path, "POST")).toMatchObject({
      status: 409,
      body: { error: "too_many_webhook_secrets" },
    });
    const { items } = (await call(path)).body;
    expect(items.map((one: object) => Object.keys(one).sort())).toEqual(
      Array(2).fill(["createdAt", "id", "lastUsedAt"]),
    );
    expect((await call(`${path}/${items[1].id}`, "DELETE")).status).toBe(204);
    expect((await call(`${path}/${items[1].id}`, "DELETE")).body).toEqual({
      error: "webhook_secret_not_found",
    });
    const { connector } = (await call(`/v1/connectors/${id}`)).body;
    expect(connector.webhookSecrets).toEqual([items[0]]);
  });

  test("get one more from several requests at the same moment", async () => {
    const { id } = await make();
    const replies = await Promise.all(
      [1, 2, 3].map(() => call(`/v1/connectors/${id}/webhook-secrets`, "POST")),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  });
});

describe("removing a connector", () => {
  test.each(["keep", "remove"])("with ?templates=%s keeps or removes its templates", async (templates) => {
    const repository = await git.repository();
    await repository.commit({ [`templates/${templates}.md`]: templateFile("Kept") });
    const { id } = await make({ cloneUrl: repository.url });
    await runSyncs(server);
    const [before] = (await call(`/v1/templates?connectorId=${id}`)).body.items;
    expect((await call(`/v1/connectors/${id}?templates=${templates}`, "DELETE")).status).toBe(204);
    const after = await call(`/v1/templates/${before.id}`);
    if (templates === "remove") return expect(after.status).toBe(404);
    expect(after.body.template).toMatchObject({ slug: "keep", source: null });
    expect((await call(`/v1/templates/${before.id}`, "PATCH", { name: "Mine now" })).status).toBe(200);
  });

  test("keeps templates by default, and ends an active sync", async () => {
    const repository = await git.repository();
    await repository.commit({ "templates/late.md": templateFile("Late") });
    const { id } = await make({ cloneUrl: repository.url });
    git.options.intercept = async (request) => {
      if (request.method === "POST") await call(`/v1/connectors/${id}`, "DELETE");
      return false;
    };
    await runSyncs(server);
    git.options.intercept = () => false;
    expect((await call("/v1/templates?slug=late")).body.items).toEqual([]);
    expect((await call(`/v1/connectors/${id}`)).status).toBe(404);
  });
});

describe("a test of a connector", () => {
  const test_ = async (more: Record<string, unknown>) => {
    const { id } = await make(more);
    await server.platform.db.run(sql`delete from connector_syncs where connector_id = ${id}`);
    const { status, body } = await call(`/v1/connectors/${id}/test`, "POST");
    expect(status).toBe(200);
    return body.test;
  };
  const outcomes = (result: { checks: { name: string; status: string }[] }) =>
    result.checks.map(({ status }) => status).join(" ");

  test("that is readable lists the templates a sync would create, and creates nothing", async () => {
    const repository = await git.repository();
    const commit = await repository.commit({
      "templates/a.md": templateFile("A"),
      "templates/b.md": "broken",
    });
    const result = await test_({ cloneUrl: repository.url });
    expect(result).toMatchObject({
      ok: true,
      commit,
      templateCount: 1,
      problems: [{ path: "templates/b.md", line: 1 }],
    });
    expect(outcomes(result)).toBe("passed passed passed passed passed");
  });

  test("that fails names the failed step in plain words", async () => {
    const repository = await git.repository();
    await repository.commit({ "templates/a.md": templateFile("A") });
    const steps: [more: Record<string, unknown>, outcome: string, message: RegExp][] = [
      [
        { cloneUrl: "http://127.0.0.9:60999/x.git" },
        "failed skipped skipped skipped skipped",
        /refused the connection/,
      ],
      [
        { cloneUrl: `${git.url}/acme/none.git` },
        "passed failed skipped skipped skipped",
        /does not find the repository/,
      ],
      [{ cloneUrl: repository.url, ref: "none" }, "passed passed failed skipped skipped", /no branch none/],
      [{ cloneUrl: repository.url, folder: "none" }, "passed passed passed failed skipped", /no folder none/],
    ];
    for (const [more, outcome, message] of steps) {
      const result = await test_(more);
      expect(outcomes(result)).toBe(outcome);
      expect(result.ok).toBe(false);
      expect(result.checks.find(({ status }: { status: string }) => status === "failed").message).toMatch(
        message,
      );
    }
  });
});
