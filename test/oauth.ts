import { hashClaimCode } from "../src/features/oauth-providers/connect/secrets.ts";
import { sql } from "../src/platform/db/index.ts";
import { newId } from "../src/platform/ids.ts";
import { type AuthorizationServer, approve, clientSecret } from "./fixtures/authorization-server.ts";
import type { Person, Reply, TestServer, Workspace } from "./harness.ts";

type Auth = Record<string, string>;

/** A server that answers calls, in this process or in another one. */
export type Callable = Pick<TestServer, "call">;

const scopes = ["openid", "email", "offline_access", "files:read"];

/** Creates a custom provider by discovery, and a client for it. */
export async function setUpProvider(
  server: Callable,
  headers: Auth,
  as: Pick<AuthorizationServer, "issuer">,
  { id = "acme-id", client = {} }: { id?: string; client?: Record<string, unknown> } = {},
): Promise<string> {
  const made = await server.call("/v1/oauth-providers", {
    body: { id, name: "Acme ID", issuer: as.issuer, scopes },
    headers,
  });
  if (made.status !== 201) throw new Error(`provider failed: ${made.status} ${JSON.stringify(made.body)}`);
  await saveClient(server, headers, id, client);
  return id;
}

async function saveClient(server: Callable, headers: Auth, id: string, body: Record<string, unknown> = {}) {
  const saved = await putClient(server, headers, id, body);
  if (saved.status !== 200) throw new Error(`client failed: ${saved.status} ${JSON.stringify(saved.body)}`);
  return saved.body.client;
}

export const putClient = (server: Callable, headers: Auth, id: string, body: Record<string, unknown> = {}) =>
  server.call(`/v1/oauth-providers/${id}/client`, {
    method: "PUT",
    body: {
      clientId: "basic",
      ...(body.tokenEndpointAuthMethod ? {} : { clientSecret }),
      optionalScopes: ["files:write"],
      ...body,
    },
    headers,
  });

export const startConnection = (server: Callable, headers: Auth, id: string, query = ""): Promise<Reply> =>
  server.call(`/v1/oauth-providers/${id}/connect/start${query}`, { headers });

export async function requestAuthorizeUrl(
  server: Callable,
  headers: Auth,
  id: string,
  query = "",
): Promise<string> {
  const { status, body } = await startConnection(server, headers, id, query);
  if (status !== 200) throw new Error(`start failed: ${status} ${JSON.stringify(body)}`);
  return body.authorizeUrl;
}

/** The session cookie that a browser would send. */
const buildSessionCookie = ({ token }: Pick<Person, "token">): Auth => ({
  cookie: `signalbox_session=${token}`,
});

/** Opens the callback as a browser does, with the session of `person` or without one. */
export const openCallback = (
  server: Callable,
  url: URL,
  person?: Pick<Person, "token">,
): Promise<Reply<string>> =>
  server.call(url.pathname + url.search, { headers: person ? buildSessionCookie(person) : {} });

/** Connects an account the way a person does: start, approve, callback. */
export async function connectAccount(
  server: Callable,
  person: Person,
  id: string,
  { account = "octo", query = "" }: { account?: string; query?: string } = {},
): Promise<void> {
  const back = await approve(await requestAuthorizeUrl(server, person.auth, id, query), account);
  const page = await openCallback(server, back, person);
  if (page.status !== 200 || !page.body.includes("is connected")) {
    throw new Error(`not connected: ${page.status} ${page.body}`);
  }
}

export const readConnectionStatus = async (server: Callable, headers: Auth, id: string) =>
  (await server.call(`/v1/oauth-providers/${id}/status`, { headers })).body;

export const getToken = (server: Callable, headers: Auth, id: string, body?: unknown): Promise<Reply> =>
  server.call(`/v1/oauth-providers/${id}/token`, { method: "POST", ...(body ? { body } : {}), headers });

/** The claim code that the callback page shows. */
export const readClaimCode = (page: string): string => /<pre[^>]*>([^<]+)<\/pre>/.exec(page)![1]!;

export const seededClaimCode = "AAAAA-BBBBB";
let seededCount = 0;

/** Inserts a connection of the owner at a provider that is never called, and an attempt that can be claimed. */
export async function seedConnection(
  server: TestServer,
  { orgId, owner }: Workspace,
  { shared = false, accessToken = "seeded-access-token" }: { shared?: boolean; accessToken?: string } = {},
): Promise<{ providerId: string; connectionId: string; tokenId: string }> {
  const { db, keyring } = server.platform;
  const providerId = `planted-${++seededCount}-${Date.now() % 1e6}`;
  const at = "https://provider.example";
  const endpoints = { authorizationEndpoint: `${at}/authorize`, tokenEndpoint: `${at}/token` };
  await server.call("/v1/oauth-providers", {
    body: { id: providerId, name: "Seeded", ...endpoints },
    headers: owner.auth,
  });
  await saveClient(server, owner.auth, providerId, { optionalScopes: [] });
  const client = await db.row<{ credentialsId: string; memberId: string }>(sql`
    select c.credentials_id as "credentialsId", m.id as "memberId" from oauth_clients c
    join members m on m.org_id = c.org_id and m.user_id = ${owner.userId}
    where c.org_id = ${orgId} and c.provider_id = ${providerId}`);
  const addToken = async () => {
    const tokenId = newId("otk");
    // The token is sealed for the provider's address, because it would be sent there.
    const place = { table: "oauth_tokens", row: tokenId, column: "access_token" };
    const sealed = keyring.seal(accessToken, { ...place, organization: orgId, address: at });
    await db.run(sql`
      insert into oauth_tokens (id, org_id, credentials_id, access_token, scopes)
      values (${tokenId}, ${orgId}, ${client!.credentialsId}, ${sealed}, '{}')`);
    return tokenId;
  };
  const [tokenId, connectionId] = [await addToken(), newId("ocn")];
  await db.run(sql`
    insert into oauth_connections (id, org_id, provider_id, shared, member_id, label, token_id, requested_scopes, connected_by)
    values (${connectionId}, ${orgId}, ${providerId}, ${shared}, ${shared ? null : client!.memberId}, 'default', ${tokenId},
      '{}', ${client!.memberId})`);
  await db.run(sql`
    insert into oauth_attempts (id, state_hash, org_id, member_id, provider_id, credentials_id, generation, shared, label,
      scopes, key_id, credential, credential_id, status, token_id, code_hash, expires_at)
    values (${newId("oat")}, ${connectionId}, ${orgId}, ${client!.memberId}, ${providerId}, ${client!.credentialsId}, 1, false,
      'waiting', '{}', '', 'session', (select id from sessions where user_id = ${owner.userId} limit 1), 'waiting', ${await addToken()}, ${hashClaimCode(seededClaimCode)}, now() + interval '9 minutes')`);
  return { providerId, connectionId, tokenId };
}

export const runJob = async (server: TestServer, name: string): Promise<void> => {
  const { room } = await import("../src/features/oauth-providers/index.ts");
  const found = room.jobs?.find((job) => job.name === name);
  if (!found) throw new Error(`There is no job ${name}.`);
  await found.handle(server.platform, {});
};

/** Sets when the access token expires: in `inSeconds`, by default a second ago. It was obtained two hours ago. */
export const expireToken = (server: TestServer, connectionId: string, inSeconds = -1) =>
  server.platform.db.run(sql`
    update oauth_tokens set obtained_at = now() - interval '2 hours', last_used_at = now(),
      expires_at = now() + make_interval(secs => ${inSeconds}::int)
    where id = (select token_id from oauth_connections where id = ${connectionId})`);

/** The token row of a connection. */
export const readTokenRow = (server: TestServer, connectionId: string) =>
  server.platform.db.row<Record<string, string | number | null>>(sql`
    select t.* from oauth_tokens t join oauth_connections c on c.token_id = t.id where c.id = ${connectionId}`);

/** All rows of all tables as text, to search for secrets. */
async function readDatabaseAsText(server: TestServer): Promise<string> {
  const { db } = server.platform;
  const tables = await db.rows<{ name: string }>(sql`
    select format('%I.%I', table_schema, table_name) as name from information_schema.tables
    where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE'`);
  let text = "";
  for (const { name } of tables)
    text += JSON.stringify((await db.queryWithDriverTypes(`select t::text from ${name} t`)).rows);
  return text;
}

/** Those of the secrets that appear in the log or in the database. */
export async function findLeakedSecrets(server: TestServer, secrets: Iterable<string>): Promise<string[]> {
  const text = server.logLines.join("\n") + (await readDatabaseAsText(server));
  return [...secrets].filter((secret) => text.includes(secret)).map((secret) => secret.slice(0, 12));
}
