import { afterAll, beforeAll, expect } from "vitest";
import { sql } from "../src/platform/db/index.ts";
import { newId } from "../src/platform/ids.ts";
import type { Body } from "./body.ts";
import { approve } from "./fixtures/authorization-server.ts";
import { type OpenIdProvider, ssoSecret, startOpenIdProvider } from "./fixtures/openid-provider.ts";
import {
  createWorkspace,
  type Person,
  type Reply,
  signUp,
  type TestServer,
  type Workspace,
} from "./harness.ts";
import { findLeakedSecrets } from "./oauth.ts";

/** The cookies of one browser. */
export class Browser {
  readonly cookies = new Map<string, string>();

  get headers(): Record<string, string> {
    return { cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ") };
  }

  /** Headers of a request that a script of our own page sends. */
  get scripted(): Record<string, string> {
    return { ...this.headers, "sec-fetch-site": "same-origin" };
  }

  get token(): string | undefined {
    return this.cookies.get("signalbox_session");
  }

  /** Headers of a program that uses the session of this browser. */
  get auth(): { authorization: string } {
    return { authorization: `Bearer ${this.token}` };
  }

  async open(
    server: Pick<TestServer, "call">,
    path: string,
    headers: Record<string, string> = {},
  ): Promise<Reply<string>> {
    const reply = await server.call(path, { headers: { ...this.headers, ...headers } });
    this.take(reply);
    return reply;
  }

  take({ headers }: Pick<Reply, "headers">): void {
    for (const cookie of headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!;
      if (value === "") this.cookies.delete(name!);
      else this.cookies.set(name!, value!);
    }
  }
}

let created = 0;
export const newDomain = () => `company-${++created}-${Date.now()}.example`;

/** Marks a domain as verified, without DNS. */
export async function seedDomain(server: TestServer, orgId: string, domain = newDomain()): Promise<string> {
  await server.platform.db.run(sql`
    insert into sso_domains (id, org_id, domain, challenge, verified_at, checked_at)
    values (${newId("dom")}, ${orgId}, ${domain}, 'seeded', now(), now())`);
  return domain;
}

/** A domain that nobody has verified. */
export async function seedUnverifiedDomain(server: TestServer, { owner }: Workspace): Promise<string> {
  const body = { domain: newDomain() };
  return (await server.call("/v1/sso/domains", { body, headers: owner.auth })).body.domain.id;
}

/** A connector for a provider that is never asked. */
export const oidcBody = { name: "Seeded", issuer: "https://login.example.com", clientId: "seeded" };

export const seedConnector = async (server: TestServer, { auth }: Pick<Person, "auth">) =>
  (await server.call("/v1/sso/oidc", { body: oidcBody, headers: auth })).body.connector;

/** A link between somebody and a person at the provider of the newest connector. */
export async function seedIdentity(server: TestServer, { orgId, owner }: Workspace): Promise<string> {
  const id = newId("sid");
  const { items } = (await server.call("/v1/sso?limit=1", { headers: owner.auth })).body;
  await server.platform.db.run(sql`
    insert into sso_identities (id, connector_id, org_id, subject, user_id)
    values (${id}, ${items[0].id}, ${orgId}, ${id}, ${owner.userId})
    on conflict (connector_id, user_id) do update set id = excluded.id`);
  return id;
}

export const postOidc = (server: TestServer, { auth }: Pick<Person, "auth">, body: object) =>
  server.call("/v1/sso/oidc", { body: { name: "Acme login", ...body }, headers: auth });

/** A connector for a provider, and the client at the provider. */
async function createConnector(
  server: TestServer,
  owner: Pick<Person, "auth">,
  provider: OpenIdProvider,
  body: object = {},
) {
  const clientId = `client-${++created}`;
  const reply = await postOidc(server, owner, {
    issuer: provider.issuer,
    clientId,
    clientSecret: ssoSecret,
    scopes: ["email", "profile", "groups"],
    ...body,
  });
  if (reply.status !== 201)
    throw new Error(`connector failed: ${reply.status} ${JSON.stringify(reply.body)}`);
  await provider.register(clientId, reply.body.connector.redirectUri);
  return reply.body.connector;
}

export interface Company extends Workspace {
  domain: string;
  connector: { id: string; startUrl: string; redirectUri: string };
}

/** An organization with a verified domain and a connector. */
export async function setUpCompany(
  server: TestServer,
  provider: OpenIdProvider,
  workspace: Workspace,
  body: object = {},
): Promise<Company> {
  const domain = await seedDomain(server, workspace.orgId);
  return { ...workspace, domain, connector: await createConnector(server, workspace.owner, provider, body) };
}

/** A company with a provider, for a test file, and people at both. */
export interface Stage {
  provider: OpenIdProvider;
  acme: Company;
  /** Somebody at the provider, with an address in the company's domain. */
  createPerson(company?: Company, claims?: object): { subject: string; email: string };
  /** A person with an account of their own at an address of the company. */
  signUpAtCompany(company?: Company): Promise<Person & { subject: string }>;
  findMember(email: string, company?: Company): Promise<Body>;
  lastEvent(company?: Company): Promise<Body>;
}

export function useCompany(server: TestServer): Stage {
  const stage = {} as Stage;
  let people = 0;
  beforeAll(async () => {
    stage.provider = await startOpenIdProvider();
    stage.acme = await setUpCompany(server, stage.provider, await createWorkspace(server));
  });
  afterAll(async () => {
    expect(await findLeakedSecrets(server, [ssoSecret])).toEqual([]);
    await stage.provider.close();
  });
  const first = async (path: string, { owner }: Company) =>
    (await server.call(path, { headers: owner.auth })).body.items[0];
  return Object.assign(stage, {
    createPerson(company = stage.acme, claims: object = {}) {
      const subject = `person-${++people}`;
      const email = `${subject}@${company.domain}`;
      stage.provider.people.set(subject, { email, name: `Person ${people}`, ...claims });
      return { subject, email };
    },
    async signUpAtCompany(company = stage.acme) {
      const person = stage.createPerson(company);
      const own = await signUp(server);
      await server.platform.db.run(
        sql`update users set email = ${person.email}, email_verified = true where id = ${own.userId}`,
      );
      return { ...own, ...person };
    },
    findMember: (email: string, company = stage.acme) =>
      first(`/v1/members?search=${encodeURIComponent(email)}`, company),
    lastEvent: (company = stage.acme) => first(`/v1/sso/${company.connector.id}/events?limit=1`, company),
  });
}

/** Starts at an address, signs in at the provider, and returns. The result is the last reply. */
export async function runSignIn(
  server: Pick<TestServer, "call" | "url">,
  browser: Browser,
  start: string,
  account: string,
  { back = server, headers = {} }: { back?: Pick<TestServer, "call">; headers?: Record<string, string> } = {},
): Promise<Reply<string>> {
  const started = await browser.open(server, start.replace(server.url, ""), headers);
  const location = started.headers.get("location");
  if (started.status !== 303 || !location) return started;
  const url = await approve(location, account, "/callback");
  return browser.open(back, url.pathname + url.search);
}

/** Answers the page that asks before a sign-in. */
export async function answerQuestion(
  server: Pick<TestServer, "call">,
  browser: Browser,
  asked: Pick<Reply, "headers">,
  answer: "sign_in" | "cancel" = "sign_in",
): Promise<Reply<Body>> {
  const location = asked.headers.get("location") ?? "";
  const [, token] = /^\/v1\/sso\/confirm\?token=(.+)$/.exec(location) ?? [];
  if (token === undefined) throw new Error(`there is no question: ${location}`);
  const reply = await server.call("/v1/sso/confirm", { body: { token, answer }, headers: browser.scripted });
  browser.take(reply);
  return reply;
}

/** A browser in which this person has signed in. */
export async function signInAs(server: TestServer, company: Company, account: string): Promise<Browser> {
  const browser = new Browser();
  const reply = await runSignIn(server, browser, `/v1/sso/${company.connector.id}/start`, account);
  if (reply.status !== 303) throw new Error(`sign-in failed: ${reply.status} ${reply.body}`);
  return browser;
}

/** The code on a page that refuses. */
export const readCode = ({ body }: Reply<string>): string | undefined =>
  /<dt>Code<\/dt><dd><code>([^<]+)<\/code>/.exec(body)?.[1];
