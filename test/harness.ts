import { afterAll, beforeAll, inject } from "vitest";
import { type AppOptions, createApp, jobs } from "../src/app.ts";
import { type Config, readConfig } from "../src/platform/config.ts";
import { type Engine, openPglite, openPostgres, type StatementLimits } from "../src/platform/db/index.ts";
import { listen, type Route } from "../src/platform/http/index.ts";
import type { Job } from "../src/platform/jobs/index.ts";
import { createLog, type Log } from "../src/platform/log.ts";
import { type OpenPlatform, openPlatform } from "../src/platform/open.ts";
import type { Body } from "./body.ts";
import { type ClusterFile, PreparedFiles, readClusterFiles } from "./cluster.ts";
import { testPassword } from "./passwords.ts";
import { cloneDatabase } from "./postgres.ts";

export type EngineKind = "pglite" | "postgres";

export interface Reply<Sent = Body> {
  status: number;
  headers: Headers;
  body: Sent;
}

export interface CallOptions {
  method?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

/** A whole Signalbox on a free port, over real HTTP, on the engine this test project is about. */
export interface TestServer {
  url: string;
  platform: OpenPlatform;
  engine: Engine;
  /** Lines of the log, as they were written. */
  logLines: string[];
  call(path: string, options?: CallOptions): Promise<Reply>;
  close(): Promise<void>;
}

/** The database a server stands on; a second server on the same one is a replica. */
export interface TestDatabase {
  kind: EngineKind;
  url?: string;
  drop(): Promise<void>;
}

const engine = (): EngineKind => inject("engine");

export async function createDatabase(): Promise<TestDatabase> {
  if (engine() === "pglite") return { kind: "pglite", drop: async () => {} };
  return { kind: "postgres", ...(await cloneDatabase(inject("postgresTemplate"))) };
}

interface PlatformOptions {
  env?: Record<string, string>;
  jobs: readonly Job[];
  works: boolean;
  log?: Log;
  publicUrl?: string;
  statementMs?: number;
  engine?: Engine;
  nameServers?: readonly string[];
}

let template: ClusterFile[] | undefined;

/** The migrated database of the embedded engine. It is 30 MB, so each worker reads it once. */
function readTemplate(): ClusterFile[] {
  template ??= readClusterFiles(inject("pgliteTemplate"));
  return template;
}

/** Opens an engine on a test database. */
const openTestEngine = async (
  database: TestDatabase,
  { statementMs = 30_000, limits = {} }: Pick<ServerOptions, "statementMs" | "limits"> = {},
): Promise<Engine> =>
  database.url
    ? openPostgres(database.url, { poolSize: 5, statementMs, limits, onError: () => {} })
    : openPglite(undefined, { fs: new PreparedFiles(readTemplate()) });

/** Everything below the rooms, on a database of the tests. */
export async function openTestPlatform(
  database: TestDatabase,
  {
    env = {},
    jobs,
    works,
    log = createLog("silent"),
    publicUrl = "http://localhost",
    statementMs = 30_000,
    engine,
    nameServers,
  }: PlatformOptions,
): Promise<OpenPlatform> {
  const config: Config = readConfig({
    SIGNALBOX_SECRET: "a secret for the tests, long enough",
    LOG_LEVEL: "info",
    // Both are open, whatever else a test configures. A test of the defaults sets an empty value.
    SIGNUP: "open",
    BOOTSTRAP: "open",
    ...(database.url ? { DATABASE_URL: database.url } : {}),
    ...env,
  });
  return openPlatform(config, {
    publicUrl: config.publicUrl ?? publicUrl,
    jobs,
    works,
    log,
    engine: engine ?? (await openTestEngine(database, { statementMs })),
    ...(nameServers ? { nameServers } : {}),
  });
}

export interface ServerOptions {
  env?: Record<string, string>;
  role?: "all" | "api" | "worker";
  /** How long the database may take for a statement. */
  statementMs?: number;
  /** Time limits of the database server for statements. */
  limits?: Partial<StatementLimits>;
  /** Additional routes for the test. */
  moreRoutes?: readonly Route[];
  /** Additional kinds of credentials for the test. */
  moreCredentials?: AppOptions["moreCredentials"];
  /** Name servers for TXT records. */
  nameServers?: readonly string[];
}

export async function startServer(
  database: TestDatabase,
  {
    env = {},
    role = "api",
    statementMs,
    limits = {},
    moreRoutes = [],
    moreCredentials = [],
    nameServers,
  }: ServerOptions = {},
): Promise<TestServer> {
  const logLines: string[] = [];
  const log = createLog(env.LOG_LEVEL ?? "info", { write: (line: string) => void logLines.push(line) });
  const socket = await listen("127.0.0.1", 0);
  const url = `http://127.0.0.1:${socket.port}`;
  const engine = await openTestEngine(database, {
    limits,
    ...(statementMs === undefined ? {} : { statementMs }),
  });
  const platform = await openTestPlatform(database, {
    engine,
    env,
    jobs,
    works: role !== "api",
    log,
    publicUrl: url,
    ...(nameServers ? { nameServers } : {}),
  });
  const app = createApp(platform, { role, checkReplies: true, moreRoutes, moreCredentials });
  const listening = socket.serve(app);
  if (role !== "api") await platform.jobs.work(platform, jobs);
  return {
    url,
    platform,
    engine,
    logLines,
    call: (path, options) => call(url, path, options),
    async close() {
      await listening.close(500);
      await app.close();
      await platform.close(500);
    },
  };
}

/** One request to an application of its own on the same data. */
export async function askOnce(
  app: ReturnType<typeof createApp>,
  path: string,
  headers: Record<string, string>,
) {
  const socket = await listen("127.0.0.1", 0);
  const listening = socket.serve(app);
  try {
    return await call(`http://127.0.0.1:${socket.port}`, path, { headers });
  } finally {
    await listening.close(0);
  }
}

async function call(
  url: string,
  path: string,
  { method, body, headers = {} }: CallOptions = {},
): Promise<Reply> {
  const response = await fetch(url + path, {
    method: method ?? (body === undefined ? "GET" : "POST"),
    headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    redirect: "manual",
  });
  // A stream may never end; that it began is all that a call can tell.
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream");
  const text = isStream ? await response.body?.cancel().then(() => "") : await response.text();
  const isJson = /^application\/(?:scim\+)?json\b/.test(response.headers.get("content-type") ?? "");
  return {
    status: response.status,
    headers: response.headers,
    body: isJson && text ? JSON.parse(text) : text,
  };
}

/** One server for a test file, started before and stopped after its tests. */
export function useServer(options?: ServerOptions): TestServer {
  const holder = {} as TestServer;
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createDatabase();
    Object.assign(holder, await startServer(database, options));
  });
  afterAll(async () => {
    await holder.close?.();
    await database?.drop();
  });
  return holder;
}

export interface Person {
  email: string;
  password: string;
  userId: string;
  token: string;
  /** Headers that make a call theirs. */
  auth: { authorization: string };
}

let people = 0;

export async function signUp(server: TestServer, name = "Ada"): Promise<Person> {
  const email = `${name.toLowerCase().replace(/\W/g, "")}-${++people}-${Date.now()}@example.com`;
  const password = testPassword;
  const { status, body } = await server.call("/api/auth/sign-up/email", { body: { email, password, name } });
  if (status !== 200) throw new Error(`sign-up failed: ${status} ${JSON.stringify(body)}`);
  return {
    email,
    password,
    userId: body.user.id,
    token: body.token,
    auth: { authorization: `Bearer ${body.token}` },
  };
}

/** Marks the address as verified, without the confirmation mail. */
export async function verifyAddress(server: TestServer, { userId }: Pick<Person, "userId">): Promise<void> {
  const { sql } = await import("../src/platform/db/index.ts");
  await server.platform.db.run(sql`update users set email_verified = true where id = ${userId}`);
}

export interface Workspace {
  orgId: string;
  owner: Person;
}

/** A person and the organization they own. */
export async function createWorkspace(server: TestServer, name = "Acme"): Promise<Workspace> {
  const owner = await signUp(server, "Owner");
  const { status, body } = await server.call("/v1/organizations", { body: { name }, headers: owner.auth });
  if (status !== 201) throw new Error(`organization failed: ${status} ${JSON.stringify(body)}`);
  return { orgId: body.organization.id, owner };
}

/** Puts somebody new into an organization with that role. */
export async function joinWorkspace(
  server: TestServer,
  { orgId }: Pick<Workspace, "orgId">,
  role: string,
): Promise<Person & { memberId: string }> {
  const { newId } = await import("../src/platform/ids.ts");
  const { sql } = await import("../src/platform/db/index.ts");
  const person = await signUp(server, role);
  const memberId = newId("mem");
  await server.platform.db.run(
    sql`insert into members (id, org_id, user_id, role) values (${memberId}, ${orgId}, ${person.userId}, ${role})`,
  );
  return { ...person, memberId };
}

export async function createKey(
  server: TestServer,
  person: Person,
  body: Record<string, unknown> = {},
): Promise<{ id: string; key: string; auth: { "x-api-key": string } }> {
  const reply = await server.call("/v1/api-keys", { body: { name: "test", ...body }, headers: person.auth });
  if (reply.status !== 201) throw new Error(`key failed: ${reply.status} ${JSON.stringify(reply.body)}`);
  return { id: reply.body.apiKey.id, key: reply.body.key, auth: { "x-api-key": reply.body.key } };
}

/** Headers of another session of the same person. */
export async function signIn(
  server: TestServer,
  { email, password }: Pick<Person, "email" | "password">,
): Promise<{ authorization: string }> {
  const { status, body } = await server.call("/api/auth/sign-in/email", { body: { email, password } });
  if (status !== 200) throw new Error(`sign-in failed: ${status} ${JSON.stringify(body)}`);
  return { authorization: `Bearer ${body.token}` };
}

let made = 0;

async function make(server: TestServer, { auth }: Pick<Person, "auth">, path: string, body: object) {
  const reply = await server.call(path, { body, headers: auth });
  if (reply.status !== 201) throw new Error(`${path} failed: ${reply.status} ${JSON.stringify(reply.body)}`);
  return reply.body;
}

export async function createRole(
  server: TestServer,
  person: Pick<Person, "auth">,
  permissions: string[] = ["organization:read"],
) {
  return (await make(server, person, "/v1/roles", { name: `Role ${++made}`, permissions })).role;
}

export async function createTeam(server: TestServer, person: Pick<Person, "auth">) {
  return (await make(server, person, "/v1/teams", { name: `Team ${++made}` })).team;
}

export const invite = (server: TestServer, person: Pick<Person, "auth">, body: object = {}) =>
  make(server, person, "/v1/invitations", {
    email: `invited-${++made}-${Date.now()}@example.com`,
    role: "member",
    ...body,
  });

export async function createMcpToken(
  server: TestServer,
  person: Pick<Person, "auth">,
  body: object = {},
): Promise<{ id: string; token: string; auth: { authorization: string } }> {
  const { mcpToken, token } = await make(server, person, "/v1/mcp/token", body);
  return { id: mcpToken.id, token, auth: { authorization: `Bearer ${token}` } };
}

/** A workspace of an agent's own, and what its key calls with. */
export async function bootstrap(server: TestServer) {
  const { sql } = await import("../src/platform/db/index.ts");
  await server.platform.db.run(sql`delete from rate_limits`);
  const { organization, key, claim } = await make(
    server,
    { auth: {} as Person["auth"] },
    "/v1/bootstrap/workspace",
    {},
  );
  return {
    orgId: organization.id as string,
    key: key as string,
    claim,
    auth: { "x-api-key": key as string },
  };
}
