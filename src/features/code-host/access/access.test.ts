import { createVerify, generateKeyPairSync } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createConnector, runSyncs, templateFile } from "../../../../test/connectors.ts";
import { type GitRepository, type GitServer, startGitServer } from "../../../../test/fixtures/git-server.ts";
import { createWorkspace, useServer, type Workspace } from "../../../../test/harness.ts";
import { sql } from "../../../platform/db/index.ts";

const server = useServer();
let git: GitServer;
let acme: Workspace;
let repository: GitRepository;
beforeAll(async () => {
  git = await startGitServer();
  acme = await createWorkspace(server, "Acme");
});
afterAll(() => git.close());

const call = (path: string, method = "GET", body?: unknown) =>
  server.call(path, { method, headers: acme.owner.auth, ...(body === undefined ? {} : { body }) });
const connect = async (more: Record<string, unknown>) => {
  const connector = await createConnector(server, acme.owner.auth, { cloneUrl: repository.url, ...more });
  await runSyncs(server);
  return connector;
};
const lastSync = async ({ id }: { id: string }) =>
  (await call(`/v1/connector-syncs?connectorId=${id}&limit=1`)).body.items[0];

/** Nothing that the service says or keeps may hold it. */
async function expectNowhere(...secrets: string[]) {
  const { id } = (await call("/v1/connectors?limit=1")).body.items[0];
  const said = [
    JSON.stringify((await call("/v1/connectors")).body),
    JSON.stringify((await call(`/v1/connectors/${id}`)).body),
    JSON.stringify((await call("/v1/connector-syncs")).body),
    JSON.stringify((await call(`/v1/connectors/${id}/test`, "POST")).body),
    ...server.logLines,
    JSON.stringify(
      await server.platform.db.rows(
        sql`select c.*, s.secret from connectors c join connector_secrets s on s.connector_id = c.id`,
      ),
    ),
  ].join("\n");
  for (const secret of secrets) {
    expect(said).not.toContain(secret);
    expect(said).not.toContain(Buffer.from(secret).toString("base64").slice(0, 16));
  }
}

describe("a token", () => {
  beforeAll(async () => {
    git.options.token = "glpat-s3cret-of-the-test";
    repository = await git.repository("acme/private");
    await repository.commit({ "templates/a.md": templateFile("A") });
  });
  afterAll(() => {
    delete git.options.token;
  });

  test("gives access to a private repository, with the username that the code host expects", async () => {
    for (const [codehost, name] of [
      ["github", "x-access-token"],
      ["gitlab", "oauth2"],
      ["bitbucket", "x-token-auth"],
    ]) {
      git.requests.length = 0;
      const made = await connect({ codehost, access: { kind: "token", token: git.options.token } });
      expect(await lastSync(made)).toMatchObject({ status: "succeeded" });
      const sent = Buffer.from(git.requests[0]!.headers.authorization!.slice(6), "base64").toString();
      expect(sent).toBe(`${name}:${git.options.token}`);
      await call(`/v1/connectors/${made.id}?templates=remove`, "DELETE");
    }
    const named = await connect({ access: { kind: "token", token: git.options.token, username: "deploy" } });
    expect((await call(`/v1/connectors/${named.id}`)).body.connector.access).toEqual({
      kind: "token",
      username: "deploy",
    });
  });

  test("that is missing or wrong fails at once, and the error says what to do", async () => {
    const without = await lastSync(await connect({}));
    expect(without).toMatchObject({ status: "failed", error: { code: "access_refused", retryable: false } });
    expect(without.error.message).toContain("wants a sign-in");
    const wrong = await lastSync(await connect({ access: { kind: "token", token: "wr0ng-token" } }));
    expect(wrong.error.message).toContain("does not accept the token");
  });

  test("is in no reply and no log, and only sealed in the database", async () => {
    await connect({ access: { kind: "token", token: git.options.token } });
    await connect({ access: { kind: "token", token: "wr0ng-token" } });
    await expectNowhere(git.options.token!, "wr0ng-token");
  });
});

describe("a GitHub App", () => {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    privateKeyEncoding: { type: "pkcs1", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  let asked: { path: string; body: Record<string, unknown>; claims: Record<string, number | string> }[] = [];
  let answer = 201;
  let headers: Record<string, string> = {};
  let issued = 0;

  beforeAll(async () => {
    repository = await git.repository("acme/app");
    await repository.commit({ "templates/app.md": templateFile("App") });
    git.options.intercept = (request, response) => {
      if (!request.url!.startsWith("/api/v3/")) return false;
      const token = request.headers.authorization!.replace(/^Bearer /, "");
      const [head, claims, signature] = token.split(".") as [string, string, string];
      const good = createVerify("sha256")
        .update(`${head}.${claims}`)
        .verify(publicKey, signature, "base64url");
      const now = Date.now() / 1000;
      const read = JSON.parse(Buffer.from(claims, "base64url").toString());
      asked.push({ path: request.url!, body: JSON.parse(String(git.requests.at(-1)!.body)), claims: read });
      if (!good || read.iss !== "4711" || read.iat > now || read.exp < now || read.exp - read.iat > 600) {
        response.writeHead(401).end("{}");
        return true;
      }
      git.options.token = `ghs_issued_${++issued}`;
      const expires_at = new Date(Date.now() + 3_600_000).toISOString();
      response.writeHead(answer, { "content-type": "application/json", ...headers });
      response.end(answer === 201 ? JSON.stringify({ token: git.options.token, expires_at }) : "{}");
      return true;
    };
  });
  afterAll(() => {
    git.options.intercept = () => false;
    delete git.options.token;
  });

  const appConnector = (more: Record<string, unknown> = {}) =>
    connect({
      codehost: "github",
      baseUrl: git.url,
      repository: "acme/app",
      cloneUrl: undefined,
      access: { kind: "github_app", appId: 4711, privateKey, installationId: 815 },
      ...more,
    });

  test("requests an installation token that can only read this repository, and caches it", async () => {
    const made = await appConnector();
    expect(await lastSync(made)).toMatchObject({ status: "succeeded", changes: { added: 1 } });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({
      path: "/api/v3/app/installations/815/access_tokens",
      body: { repositories: ["app"], permissions: { contents: "read" } },
    });
    await call(`/v1/connectors/${made.id}/sync`, "POST");
    await runSyncs(server);
    expect(await lastSync(made)).toMatchObject({ cause: "manual", status: "succeeded" });
    expect(asked).toHaveLength(1);
    expect((await call(`/v1/connectors/${made.id}`)).body.connector.access).toEqual({
      kind: "github_app",
      appId: "4711",
      installationId: "815",
    });
    await expectNowhere("ghs_issued_1", privateKey.split("\n")[3]!);
  });

  test("replaces a cached token that was revoked, once", async () => {
    const [made] = (await call("/v1/connectors?limit=1")).body.items;
    git.options.token = "revoked at the code host";
    asked = [];
    await call(`/v1/connectors/${made.id}/sync`, "POST");
    await runSyncs(server);
    expect(await lastSync(made)).toMatchObject({ status: "succeeded" });
    expect(asked).toHaveLength(1);
  });

  test("gets an error with the setting to change when GitHub refuses", async () => {
    const other = generateKeyPairSync("rsa", {
      modulusLength: 2048,
      privateKeyEncoding: { type: "pkcs8", format: "pem" },
      publicKeyEncoding: { type: "spki", format: "pem" },
    }).privateKey;
    const access = { kind: "github_app", appId: "4711", privateKey: other, installationId: "1" };
    expect((await lastSync(await appConnector({ access }))).error).toMatchObject({
      code: "access_refused",
      message: expect.stringContaining("make a new private key"),
    });
    const words: [status: number, code: string, message: RegExp][] = [
      [404, "access_refused", /no installation 816/],
      [403, "access_refused", /suspended/],
      [422, "access_refused", /does not cover acme\/app/],
      [500, "server_error", /trouble of its own/],
    ];
    for (const [status, code, message] of words) {
      answer = status;
      const made = await appConnector({
        installationId: "816",
        access: { kind: "github_app", appId: "4711", privateKey },
      });
      const { error } = await lastSync(made);
      expect(error.code).toBe(code);
      expect(error.message).toMatch(message);
    }
    answer = 201;
  });

  test("tries again later when GitHub refuses because of its rate limit", async () => {
    answer = 403;
    for (headers of [{ "x-ratelimit-remaining": "0" }, { "retry-after": "60" }]) {
      const made = await appConnector({
        installationId: "817",
        access: { kind: "github_app", appId: "4711", privateKey },
      });
      expect(await lastSync(made)).toMatchObject({
        status: "queued",
        error: {
          code: "rate_limited",
          retryable: true,
          message: expect.stringContaining("less often (403)"),
        },
      });
    }
    [answer, headers] = [201, {}];
  });

  test("needs an installation id", async () => {
    await expect(appConnector({ access: { kind: "github_app", appId: "4711", privateKey } })).rejects.toThrow(
      /installation/,
    );
  });

  test("keeps an installation id when the connector is changed", async () => {
    const access = { kind: "github_app", appId: "4711", privateKey };
    const made = await appConnector({ installationId: "815", access });
    const change = (body: object) => call(`/v1/connectors/${made.id}`, "PATCH", body);
    expect(await change({ installationId: null })).toMatchObject({
      status: 400,
      body: { details: [{ path: ["access", "installationId"] }] },
    });
    const own = { ...access, installationId: "815" };
    expect((await change({ installationId: null, access: own })).status).toBe(200);
    expect((await change({ name: "Renamed" })).status).toBe(200);
  });
});
