import { cookieName } from "../src/features/auth/index.ts";
import { watchJob } from "../src/features/mcp-connections/first-listing.ts";
import { watchConnections } from "../src/features/mcp-connections/watch/service.ts";
import { approve } from "./fixtures/authorization-server.ts";
import type { Person, Reply, TestServer } from "./harness.ts";

type Auth = Record<string, string>;

/** Saves a connection and returns it. */
export async function saveConnection(server: Pick<TestServer, "call">, headers: Auth, body: object) {
  const reply = await server.call("/v1/mcp-connections", { body, headers });
  if (reply.status !== 201) throw new Error(`not saved: ${reply.status} ${JSON.stringify(reply.body)}`);
  return reply.body.connection;
}

export async function readConnection(server: Pick<TestServer, "call">, headers: Auth, id: string) {
  const reply = await server.call(`/v1/mcp-connections/${id}`, { headers });
  if (reply.status !== 200) throw new Error(`not read: ${reply.status} ${JSON.stringify(reply.body)}`);
  return reply.body.connection;
}

/** Does what wakes when the first listing of a connection was requested, and returns how many tools it has. */
export async function listFirstTools(server: TestServer, headers: Auth, id: string): Promise<number> {
  const waiting = await server.platform.jobs.countWaiting(server.platform.db);
  if (!waiting.some(({ name }) => name === watchJob.name)) throw new Error("The watch was not woken.");
  await watchConnections(server.platform);
  return (await readConnection(server, headers, id)).toolCount;
}

/** Opens the callback as the browser of a person does. */
export const openMcpCallback = (
  { platform, call }: Pick<TestServer, "platform" | "call">,
  url: URL,
  person?: Pick<Person, "token">,
): Promise<Reply<string>> =>
  call(url.pathname + url.search, {
    headers: person ? { cookie: `${cookieName(platform.config.publicUrl)}=${person.token}` } : {},
  });

export async function requestMcpAuthorizeUrl(
  server: Pick<TestServer, "call">,
  headers: Auth,
  id: string,
  query = "",
): Promise<string> {
  const { status, body } = await server.call(`/v1/mcp-connections/${id}/connect/start${query}`, { headers });
  if (status !== 200) throw new Error(`start failed: ${status} ${JSON.stringify(body)}`);
  return body.authorizeUrl;
}

/** Connects an account the way a person does: start, approve, callback. */
export async function connectMcpAccount(
  server: TestServer,
  person: Person,
  id: string,
  account = "octo",
): Promise<void> {
  const back = await approve(await requestMcpAuthorizeUrl(server, person.auth, id), account);
  const page = await openMcpCallback(server, back, person);
  if (page.status !== 200 || !page.body.includes("is connected"))
    throw new Error(`not connected: ${page.status} ${page.body}`);
}
