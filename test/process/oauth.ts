import { createServer } from "node:net";
import pg from "pg";
import {
  type AuthorizationServer,
  approve,
  clientSecret,
  startAuthorizationServer,
} from "../fixtures/authorization-server.ts";
import type { CallOptions, Person, Reply } from "../harness.ts";
import { authorizeUrl, type Callable, comeBack, getToken, setUpProvider, statusOf } from "../oauth.ts";
import { type Serving, serve } from "./kit.ts";

/** Real processes on one PostgreSQL, a real authorization server, and a member whose account is connected. */
export interface Office {
  as: AuthorizationServer;
  /** How often a crash left something that nobody can know. */
  uncertain: number;
  /** One for each process. */
  doors: Callable[];
  member: Person;
  /** Kills a process the hard way and starts it again. */
  crash(process: number): Promise<void>;
  /** SIGKILL and nothing else: for the moment in which it matters. */
  kill(process: number): void;
  connect(): Promise<void>;
  /** The access token is over; nobody waits for a lease or a pause any more. */
  expire(): Promise<void>;
  token(process: number): Promise<Reply>;
  health(): Promise<string>;
  /** Everything that the processes said. */
  said(): string;
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

/** The same calls as the harness makes, of a process that may be gone at this moment. */
export const doorTo = (url: string): Callable => ({
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

export async function signUpAt(door: Callable, name: string): Promise<Person> {
  const account = {
    name,
    email: `${name}-${++people}-${Date.now()}@example.com`,
    password: "correct horse battery",
  };
  const { body } = await door.call("/api/auth/sign-up/email", { body: account });
  return {
    ...account,
    userId: body.user.id,
    token: body.token,
    auth: { authorization: `Bearer ${body.token}` },
  };
}

export async function openOffice(databaseUrl: string, processes: number): Promise<Office> {
  const ports = await Promise.all(Array.from({ length: processes }, freePort));
  const publicUrl = `http://127.0.0.1:${ports[0]}`;
  const start = (port: string) =>
    serve(undefined, {
      DATABASE_URL: databaseUrl,
      SIGNALBOX_SECRET: "a secret for the tests, long enough",
      PUBLIC_URL: publicUrl,
      PORT: port,
    });
  const servers: Serving[] = [];
  for (const port of ports) servers.push(await start(port));
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  const as = await startAuthorizationServer({
    redirectUris: [`${publicUrl}/v1/oauth-providers/${providerId}/connect/callback`],
  });
  const doors = servers.map(({ url }) => doorTo(url));
  const member = await signUpAt(doors[0]!, "Owner");
  await doors[0]!.call("/v1/organizations", { body: { name: "Acme" }, headers: member.auth });
  await setUpProvider(doors[0]!, member.auth, as);
  let earlier = "";
  const office: Office = {
    as,
    uncertain: 0,
    doors,
    member,
    kill: (process) => servers[process]!.send("SIGKILL"),
    async crash(process) {
      const old = servers[process]!;
      await old.end("SIGKILL");
      earlier += old.output.stdout + old.output.stderr;
      servers[process] = await start(ports[process]!);
    },
    async connect() {
      const back = await approve(await authorizeUrl(doors[0]!, member.auth, providerId));
      const page = await comeBack(doors[0]!, back, member);
      if (page.status !== 200) throw new Error(`not connected: ${page.body}`);
    },
    async expire() {
      await database.query(`update oauth_tokens set expires_at = now() - interval '1 second', next_refresh_at = null,
        obtained_at = now() - interval '1 hour', last_used_at = now() - interval '2 days'`);
      await database.query(
        "update oauth_tokens set lease_expires_at = now() - interval '1 second' where refresh_state = 'refreshing'",
      );
    },
    token: (process) => getToken(doors[process]!, member.auth, providerId),
    health: async () => (await statusOf(doors[0]!, member.auth, providerId)).connections[0].health.status,
    said: () => earlier + servers.map(({ output }) => output.stdout + output.stderr).join(""),
    async close() {
      await database.end();
      await Promise.all(servers.map((server) => server.end("SIGTERM")));
      await as.close();
    },
  };
  await office.connect();
  return office;
}

/**
 * Kills the process that refreshes, some `afterMs` after the provider has answered and forgotten the old
 * token. Whatever was committed by then, a spent token must never come again. What went wrong, if anything.
 */
export async function crashDuringRefresh(office: Office, afterMs: number): Promise<string | undefined> {
  const { as } = office;
  await office.expire();
  const killed = new Promise<void>((resolve) => {
    as.onRefreshed = () => {
      as.onRefreshed = undefined;
      setTimeout(() => {
        office.kill(0);
        resolve();
      }, afterMs);
    };
  });
  const asked = office.token(0).catch(() => undefined);
  const early = await Promise.race([killed, asked.then((reply) => reply && reply.status !== 200 && reply)]);
  if (early) return `Before the crash the answer was ${early.status} ${JSON.stringify(early.body)}.`;
  await killed;
  await asked;
  await office.crash(0);
  await office.expire();
  const reply = await office.token(0);
  if (as.reuses > 0) return "A spent refresh token was sent again.";
  if (reply.status === 200) return undefined;
  const { error, reason } = reply.body;
  if (reply.status !== 409 || error !== "reconnect_required" || reason !== "refresh_uncertain") {
    return `After the crash the answer was ${reply.status} ${JSON.stringify(reply.body)}.`;
  }
  if ((await office.health()) !== "uncertain") return "Its health does not say that it is uncertain.";
  office.uncertain++;
  await office.connect();
  return (await office.token(0)).status === 200 ? undefined : "Connecting again did not mend it.";
}

/** Repeats a request while the database is too busy, as clients do. */
async function patiently(ask: () => Promise<Reply>): Promise<Reply> {
  for (let attempt = 0; ; attempt++) {
    const reply = await ask();
    if (reply.body?.error !== "service_unavailable" || attempt === 10) return reply;
    await new Promise((resolve) => setTimeout(resolve, 500 + Math.random() * 1000));
  }
}

/** `callers` at once, spread over the processes, with an expired token. What went wrong, if anything. */
export async function storm(office: Office, callers: number): Promise<string | undefined> {
  await office.expire();
  const before = office.as.refreshes.length;
  const replies = await Promise.all(
    Array.from({ length: callers }, (_, i) => patiently(() => office.token(i % office.doors.length))),
  );
  const refused = replies.filter(({ status }) => status !== 200);
  if (refused.length > 0)
    return `${refused.length} got ${refused[0]!.status} ${JSON.stringify(refused[0]!.body)}.`;
  const tokens = new Set(replies.map(({ body }) => body.accessToken));
  if (tokens.size !== 1) return `They got ${tokens.size} different tokens.`;
  const calls = office.as.refreshes.length - before;
  if (calls !== 1) return `The provider was called ${calls} times.`;
  return office.as.reuses > 0 ? "A spent refresh token was sent again." : undefined;
}

/** What was secret and can be read in what the processes said. */
export const spoken = (office: Office): string[] => {
  const said = office.said();
  return [...office.as.secrets, clientSecret].filter((secret) => said.includes(secret));
};
