import { createServer } from "node:net";
import pg from "pg";
import {
  type AuthorizationServer,
  approve,
  clientSecret,
  startAuthorizationServer,
} from "../fixtures/authorization-server.ts";
import type { CallOptions, Person, Reply } from "../harness.ts";
import {
  type Callable,
  getToken,
  openCallback,
  readConnectionStatus,
  requestAuthorizeUrl,
  setUpProvider,
} from "../oauth.ts";
import { type RunningServer, serve } from "./kit.ts";

/** Real processes on one PostgreSQL, a real authorization server, and a member whose account is connected. */
export interface OAuthDeployment {
  as: AuthorizationServer;
  /** The number of crashes after which the outcome of a refresh was unknown. */
  uncertain: number;
  /** One client for each process. */
  clients: Callable[];
  member: Person;
  /** Kills a process with SIGKILL and starts it again. */
  crash(process: number): Promise<void>;
  /** Sends SIGKILL and does not start the process again. */
  kill(process: number): void;
  connect(): Promise<void>;
  /** Expires the access token, and ends leases and pauses, so that the next call refreshes. */
  expire(): Promise<void>;
  token(process: number): Promise<Reply>;
  health(): Promise<string>;
  /** The output of all processes, also of those that were killed. */
  readOutput(): string;
  close(): Promise<void>;
}

export const providerId = "acme-id";

async function freePort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return String(port);
}

/** Calls a process with the interface of the test harness. The process may be down. */
export const createClient = (url: string): Callable => ({
  async call(path: string, { method, body, headers = {} }: CallOptions = {}) {
    const response = await fetch(url + path, {
      method: method ?? (body === undefined ? "GET" : "POST"),
      headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: "manual",
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.includes("json");
    return {
      status: response.status,
      headers: response.headers,
      body: isJson && text ? JSON.parse(text) : text,
    };
  },
});

let people = 0;

export async function signUpAt(client: Callable, name: string): Promise<Person> {
  const account = {
    name,
    email: `${name}-${++people}-${Date.now()}@example.com`,
    password: "correct horse battery",
  };
  const { body } = await client.call("/api/auth/sign-up/email", { body: account });
  return {
    ...account,
    userId: body.user.id,
    token: body.token,
    auth: { authorization: `Bearer ${body.token}` },
  };
}

export async function startDeployment(databaseUrl: string, processes: number): Promise<OAuthDeployment> {
  const ports = await Promise.all(Array.from({ length: processes }, freePort));
  const publicUrl = `http://127.0.0.1:${ports[0]}`;
  const start = (port: string) =>
    serve(undefined, {
      DATABASE_URL: databaseUrl,
      SIGNALBOX_SECRET: "a secret for the tests, long enough",
      PUBLIC_URL: publicUrl,
      PORT: port,
    });
  const servers: RunningServer[] = [];
  for (const port of ports) servers.push(await start(port));
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  const as = await startAuthorizationServer({
    redirectUris: [`${publicUrl}/v1/oauth-providers/${providerId}/connect/callback`],
  });
  const clients = servers.map(({ url }) => createClient(url));
  const member = await signUpAt(clients[0]!, "Owner");
  await clients[0]!.call("/v1/organizations", { body: { name: "Acme" }, headers: member.auth });
  await setUpProvider(clients[0]!, member.auth, as);
  let earlier = "";
  const deployment: OAuthDeployment = {
    as,
    uncertain: 0,
    clients,
    member,
    kill: (process) => servers[process]!.send("SIGKILL"),
    async crash(process) {
      const old = servers[process]!;
      await old.end("SIGKILL");
      earlier += old.output.stdout + old.output.stderr;
      servers[process] = await start(ports[process]!);
    },
    async connect() {
      const back = await approve(await requestAuthorizeUrl(clients[0]!, member.auth, providerId));
      const page = await openCallback(clients[0]!, back, member);
      if (page.status !== 200) throw new Error(`not connected: ${page.body}`);
    },
    async expire() {
      await database.query(`update oauth_tokens set expires_at = now() - interval '1 second', next_refresh_at = null,
        obtained_at = now() - interval '1 hour', last_used_at = now() - interval '2 days'`);
      await database.query(
        "update oauth_tokens set lease_expires_at = now() - interval '1 second' where refresh_state = 'refreshing'",
      );
    },
    token: (process) => getToken(clients[process]!, member.auth, providerId),
    health: async () =>
      (await readConnectionStatus(clients[0]!, member.auth, providerId)).connections[0].health.status,
    readOutput: () => earlier + servers.map(({ output }) => output.stdout + output.stderr).join(""),
    async close() {
      await database.end();
      await Promise.all(servers.map((server) => server.end("SIGTERM")));
      await as.close();
    },
  };
  await deployment.connect();
  return deployment;
}

/**
 * Kills the process that refreshes, some `afterMs` after the provider has answered and invalidated the
 * old token. A used token must never be sent again, whatever was committed. Returns the problem, if any.
 */
export async function crashDuringRefresh(
  deployment: OAuthDeployment,
  afterMs: number,
): Promise<string | undefined> {
  const { as } = deployment;
  await deployment.expire();
  const killed = new Promise<void>((resolve) => {
    as.onRefreshed = () => {
      as.onRefreshed = undefined;
      setTimeout(() => {
        deployment.kill(0);
        resolve();
      }, afterMs);
    };
  });
  const asked = deployment.token(0).catch(() => undefined);
  const early = await Promise.race([killed, asked.then((reply) => reply && reply.status !== 200 && reply)]);
  if (early) return `Before the crash the answer was ${early.status} ${JSON.stringify(early.body)}.`;
  await killed;
  await asked;
  await deployment.crash(0);
  await deployment.expire();
  const reply = await deployment.token(0);
  if (as.reuses > 0) return "A used refresh token was sent again.";
  if (reply.status === 200) return undefined;
  const { error, reason } = reply.body;
  if (reply.status !== 409 || error !== "reconnect_required" || reason !== "refresh_uncertain") {
    return `After the crash the answer was ${reply.status} ${JSON.stringify(reply.body)}.`;
  }
  if ((await deployment.health()) !== "uncertain") return "Its health does not say that it is uncertain.";
  deployment.uncertain++;
  await deployment.connect();
  return (await deployment.token(0)).status === 200
    ? undefined
    : "The connection does not work after it was connected again.";
}

/** Repeats a request while the database is too busy, as clients do. */
async function callWithRetry(ask: () => Promise<Reply>): Promise<Reply> {
  for (let attempt = 0; ; attempt++) {
    const reply = await ask();
    if (reply.body?.error !== "service_unavailable" || attempt === 10) return reply;
    await new Promise((resolve) => setTimeout(resolve, 500 + Math.random() * 1000));
  }
}

/** Requests an expired token `callers` times at once, from all processes. Returns the problem, if any. */
export async function refreshConcurrently(
  deployment: OAuthDeployment,
  callers: number,
): Promise<string | undefined> {
  await deployment.expire();
  const before = deployment.as.refreshes.length;
  const replies = await Promise.all(
    Array.from({ length: callers }, (_, i) =>
      callWithRetry(() => deployment.token(i % deployment.clients.length)),
    ),
  );
  const refused = replies.filter(({ status }) => status !== 200);
  if (refused.length > 0)
    return `${refused.length} got ${refused[0]!.status} ${JSON.stringify(refused[0]!.body)}.`;
  const tokens = new Set(replies.map(({ body }) => body.accessToken));
  if (tokens.size !== 1) return `They got ${tokens.size} different tokens.`;
  const calls = deployment.as.refreshes.length - before;
  if (calls !== 1) return `The provider was called ${calls} times.`;
  return deployment.as.reuses > 0 ? "A used refresh token was sent again." : undefined;
}

/** The secrets that appear in the output of the processes. */
export const findSecretsInOutput = (deployment: OAuthDeployment): string[] => {
  const output = deployment.readOutput();
  return [...deployment.as.secrets, clientSecret].filter((secret) => output.includes(secret));
};
