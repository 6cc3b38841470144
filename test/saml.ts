import { sql } from "../src/platform/db/index.ts";
import type { Person, TestServer, Workspace } from "./harness.ts";

/** Verifies a domain for an organization, without DNS. */
export const seedDomain = ({ platform: { db } }: TestServer, { orgId }: Workspace, domain: string) =>
  db.run(sql`
    insert into sso_domains (id, org_id, domain, challenge, verified_at, checked_at)
    values (${`dom_${crypto.randomUUID()}`}, ${orgId}, ${domain}, 'seeded', now(), now())`);

export async function createSamlConnector(
  server: TestServer,
  { auth }: Pick<Person, "auth">,
  { metadataUrl }: { metadataUrl: string | undefined },
  more: object = {},
) {
  const { status, body } = await server.call("/v1/sso/saml", {
    headers: auth,
    body: { name: "Acme login", metadataUrl, ...more },
  });
  if (status !== 201) throw new Error(`the connector was not created: ${status} ${JSON.stringify(body)}`);
  return body.connector;
}

export interface Page {
  status: number;
  url: string;
  location: string | null;
  text: string;
  headers: Headers;
}

const unescapeHtml = (text: string) =>
  text
    .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
    .replaceAll("&quot;", '"')
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");

/** Reads the first form of a page: where it is sent, and its hidden fields. */
export function readForm(page: Pick<Page, "text" | "url">): {
  action: string;
  fields: Record<string, string>;
} {
  const action = /<form[^>]* action="([^"]+)"/.exec(page.text)?.[1];
  if (!action) throw new Error(`the page has no form: ${page.text.slice(0, 2000)}`);
  const inputs = page.text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g);
  const fields = Object.fromEntries([...inputs].map(([, name, value]) => [name!, unescapeHtml(value!)]));
  return { action: new URL(unescapeHtml(action), page.url).href, fields };
}

/** A browser with cookies that follows no redirect by itself. Posts from other sites carry no cookies of ours. */
export function createBrowser() {
  const jar = new Map<string, Map<string, string>>();
  async function send(url: string, init: RequestInit, withCookies: boolean): Promise<Page> {
    const { host } = new URL(url);
    const cookies = jar.get(host) ?? new Map<string, string>();
    jar.set(host, cookies);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { accept: "text/html", ...init.headers, ...(withCookies && cookie ? { cookie } : {}) };
    const reply = await fetch(url, { ...init, headers, redirect: "manual" });
    for (const line of reply.headers.getSetCookie()) {
      const [name, value] = line.split(";")[0]!.split("=") as [string, string];
      cookies.set(name, value);
    }
    const location = reply.headers.get("location");
    return {
      status: reply.status,
      url,
      location: location === null ? null : new URL(location, url).href,
      text: await reply.text(),
      headers: reply.headers,
    };
  }
  const browser = {
    cookies: jar,
    open: (url: string) => send(url, { method: "GET" }, true),
    post: (url: string, fields: Record<string, string>, { fromOtherSite = true } = {}) =>
      send(url, { method: "POST", body: new URLSearchParams(fields) }, !fromOtherSite),
    /** Sends JSON as a script of a page of ours does. */
    sendJson: (url: string, body: object) =>
      send(
        url,
        {
          method: "POST",
          body: JSON.stringify(body),
          headers: { "content-type": "application/json", "sec-fetch-site": "same-origin" },
        },
        true,
      ),
    /** Follows redirects to the end, or until one leads away from where `until` allows. */
    async follow(page: Page): Promise<Page> {
      let current = page;
      while (current.location !== null) current = await browser.open(current.location);
      return current;
    },
    /** Types a name at the identity provider. Returns the form that it would post to us. */
    async logIn(page: Page, name: string) {
      const { action, fields } = readForm(page);
      const answer = action.endsWith("/login")
        ? await browser.post(action, { ...fields, name }, { fromOtherSite: false })
        : page;
      return readForm(answer);
    },
  };
  return browser;
}
export type TestBrowser = ReturnType<typeof createBrowser>;

/** Signs in from the start address of a connector. Returns the form for our ACS. */
export async function reachResponse(browser: TestBrowser, startUrl: string, name: string) {
  const started = await browser.open(startUrl);
  const page = started.location === null ? started : await browser.open(started.location);
  return browser.logIn(page, name);
}

/** A sign-in of a person who starts here. */
export async function signInBySaml(browser: TestBrowser, startUrl: string, name: string): Promise<Page> {
  const { action, fields } = await reachResponse(browser, startUrl, name);
  return browser.post(action, fields);
}

/** Answers the page that asks before a sign-in. */
export async function answerQuestion(
  browser: TestBrowser,
  { url }: Pick<TestServer, "url">,
  { location }: Pick<Page, "location">,
  answer: "sign_in" | "cancel" = "sign_in",
): Promise<{ status: number; body: Record<string, unknown> }> {
  const asked = URL.parse(location ?? "");
  if (asked?.pathname !== "/v1/sso/confirm") throw new Error(`there is no question: ${location}`);
  const token = asked.searchParams.get("token");
  const { status, text } = await browser.sendJson(`${url}/v1/sso/confirm`, { token, answer });
  return { status, body: JSON.parse(text) };
}

/** The session that a browser has at a server. */
export const readSession = (browser: TestBrowser, { url }: Pick<TestServer, "url">): string | undefined =>
  browser.cookies.get(new URL(url).host)?.get("signalbox_session");

export async function runSsoJob(server: TestServer, name: string): Promise<void> {
  const { room } = await import("../src/features/sso/index.ts");
  const found = room.jobs?.find((job) => job.name === name);
  if (!found) throw new Error(`There is no job ${name}.`);
  await found.handle(server.platform, {});
}
