import { createHash, randomBytes } from "node:crypto";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { cookieName } from "../src/features/auth/index.ts";
import { sql } from "../src/platform/db/index.ts";
import { newId } from "../src/platform/ids.ts";
import type { Person, Reply, TestServer } from "./harness.ts";

/** A browser with its cookies, at one server. It does not follow redirects. */
export function openBrowser(
  server: Pick<TestServer, "url">,
  person?: Pick<Person, "token">,
  jar = new Map<string, string>(),
) {
  if (person) jar.set(cookieName(server.url), person.token);
  async function send(target: string, init: RequestInit = {}): Promise<Response> {
    const response = await fetch(new URL(target, server.url), {
      ...init,
      redirect: "manual",
      headers: {
        accept: "text/html",
        "sec-fetch-site": "same-origin",
        cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; "),
        ...init.headers,
      },
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value) jar.set(name, value);
      else jar.delete(name);
    }
    return response;
  }
  const post = (target: string, body: object | undefined, headers: Record<string, string> = {}) =>
    send(target, {
      method: "POST",
      headers: {
        accept: "application/json",
        ...(body ? { "content-type": "application/json" } : {}),
        ...headers,
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
  return { jar, open: (target: string) => send(target, { headers: { "sec-fetch-mode": "navigate" } }), post };
}
export type Browser = ReturnType<typeof openBrowser>;

export const loopbackRedirect = "http://127.0.0.1:33418/callback";

export async function registerClient(server: TestServer, more: object = {}): Promise<string> {
  const body = { client_name: "Editor", redirect_uris: [loopbackRedirect], ...more };
  const reply = await server.call("/oauth/register", { body });
  if (reply.status !== 201)
    throw new Error(`registration failed: ${reply.status} ${JSON.stringify(reply.body)}`);
  return reply.body.client_id;
}

export interface AuthorizeOptions {
  clientId: string;
  redirectUri?: string;
  /** Other parameters of the authorization request; undefined removes one. */
  query?: Record<string, string | undefined>;
}

/** Opens the authorization endpoint. The verifier belongs to the challenge of the request. */
export async function startAuthorization(
  server: Pick<TestServer, "url">,
  browser: Browser,
  { clientId, redirectUri = loopbackRedirect, query = {} }: AuthorizeOptions,
) {
  const verifier = randomBytes(32).toString("base64url");
  const all: Record<string, string | undefined> = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: "mcp:read mcp:write",
    state: "the-state",
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    resource: `${server.url}/mcp`,
    ...query,
  };
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(all)) if (value !== undefined) parameters.set(name, value);
  const response = await browser.open(`/oauth/authorize?${parameters}`);
  return { verifier, response, consent: response.headers.get("location") ?? "" };
}

export interface Decision {
  orgId: string;
  scopes?: string[];
}

/** Decides on the consent page, and returns where the client gets the answer. */
export async function decide(browser: Browser, consent: string, { orgId, scopes = ["mcp:read"] }: Decision) {
  const reply = await browser.post(consent, { scopes }, { "x-organization-id": orgId });
  const body = (await reply.json()) as { continueAt?: string; error?: string };
  if (reply.status !== 200) throw new Error(`consent failed: ${reply.status} ${JSON.stringify(body)}`);
  const back = await browser.open(String(body.continueAt));
  return new URL(back.headers.get("location") ?? "about:blank");
}

export const postForm = async (
  server: Pick<TestServer, "url">,
  path: string,
  form: Record<string, string>,
): Promise<Reply> => {
  const response = await fetch(server.url + path, { method: "POST", body: new URLSearchParams(form) });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text.startsWith("{") ? JSON.parse(text) : text,
  };
};

export interface Connected {
  clientId: string;
  accessToken: string;
  refreshToken: string;
  auth: { authorization: string };
}

/** Registers a client and connects it for a person, as an MCP client and a browser do. */
export async function connectClient(
  server: TestServer,
  person: Person,
  { orgId, scopes, ...registration }: Decision & { client_name?: string },
): Promise<Connected> {
  const clientId = await registerClient(server, registration);
  const browser = openBrowser(server, person);
  const { verifier, consent } = await startAuthorization(server, browser, { clientId });
  const back = await decide(browser, consent, { orgId, ...(scopes ? { scopes } : {}) });
  const { status, body } = await postForm(server, "/oauth/token", {
    grant_type: "authorization_code",
    client_id: clientId,
    code: back.searchParams.get("code") ?? "",
    redirect_uri: loopbackRedirect,
    code_verifier: verifier,
  });
  if (status !== 200) throw new Error(`no token: ${status} ${JSON.stringify(body)}`);
  return {
    clientId,
    accessToken: body.access_token,
    refreshToken: body.refresh_token,
    auth: { authorization: `Bearer ${body.access_token}` },
  };
}

export const refresh = (
  server: TestServer,
  { clientId, refreshToken }: Pick<Connected, "clientId" | "refreshToken">,
) =>
  postForm(server, "/oauth/token", {
    grant_type: "refresh_token",
    client_id: clientId,
    refresh_token: refreshToken,
  });

/** A site on loopback, for client metadata documents. */
export async function startSite(answer: RequestListener) {
  const site = createServer(answer);
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  const { port } = site.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise<void>((resolve) => {
        site.close(() => resolve());
        site.closeAllConnections();
      }),
  };
}

/** Inserts a connected client of the first member, without a sign-in. */
export async function insertMcpClient(server: TestServer, orgId: string): Promise<string> {
  const id = newId("mcg");
  await server.platform.db.run(sql`
    insert into mcp_client_grants
      (id, org_id, member_id, client_id, client_name, registration, redirect_host, scopes, expires_at)
    select ${id}, ${orgId}, min(m.id), 'mcr_test', 'Editor', 'dynamic', '127.0.0.1', '{mcp:read}', now() + interval '1 day'
    from members m where m.org_id = ${orgId}`);
  return id;
}
