/** Answers that no honest provider sends, and browsers that bring back what they were not given. */
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Forgery,
  type ForgingProvider,
  startForgingProvider,
} from "../../../../test/fixtures/forging-provider.ts";
import { ssoSecret } from "../../../../test/fixtures/openid-provider.ts";
import { createWorkspace, useServer, type Workspace } from "../../../../test/harness.ts";
import { findLeakedSecrets } from "../../../../test/oauth.ts";
import { Browser, postOidc, readCode, seedDomain } from "../../../../test/sso.ts";

const server = useServer();
let provider: ForgingProvider;
let acme: Workspace;
let connectorId: string;
let domain: string;

const create = async (owner: Workspace["owner"]) =>
  (await postOidc(server, owner, { issuer: provider.issuer, clientId: "signalbox", clientSecret: ssoSecret }))
    .body.connector.id;

beforeAll(async () => {
  provider = await startForgingProvider(ssoSecret);
  acme = await createWorkspace(server);
  domain = await seedDomain(server, acme.orgId);
  connectorId = await create(acme.owner);
});
afterAll(async () => {
  expect(await findLeakedSecrets(server, [ssoSecret, "seeded-access-token"])).toEqual([]);
  await provider.close();
});

/** Where the provider sends the browser back to. */
async function goToProvider(browser: Browser, id = connectorId, query = ""): Promise<URL> {
  const started = await browser.open(server, `/v1/sso/${id}/start${query}`);
  expect(started.status).toBe(303);
  const back = await fetch(started.headers.get("location")!, { redirect: "manual" });
  return new URL(back.headers.get("location")!);
}

async function attempt(forgery: Forgery, query = "") {
  const right = (claims: Record<string, unknown>) => ({ ...claims, email: `mallory@${domain}` });
  provider.forgery = { ...forgery, claims: (claims) => forgery.claims?.(right(claims)) ?? right(claims) };
  const browser = new Browser();
  const back = await goToProvider(browser, connectorId, query);
  return { browser, reply: await browser.open(server, back.pathname + back.search) };
}

const seconds = () => Math.floor(Date.now() / 1000);

test("an honest answer of this provider is accepted", async () => {
  const { browser, reply } = await attempt({});
  expect(reply.status).toBe(303);
  expect(browser.token).toBeDefined();
});

describe("an ID token is refused", () => {
  test.each<[string, Forgery, string]>([
    ["that nobody signed", { unsigned: true }, "id_token_algorithm_refused"],
    ["signed with the public key as a shared secret", { hmac: "public_key" }, "id_token_algorithm_refused"],
    ["signed with the client secret", { hmac: "client_secret" }, "id_token_algorithm_refused"],
    ["signed by another key", { otherKey: true }, "id_token_signature_invalid"],
    ["that names an unknown key", { header: { kid: "two" } }, "id_token_key_unknown"],
    [
      "whose claims were changed",
      {
        tamper: (token) => {
          const [header, claims, signature] = token.split(".");
          const read = JSON.parse(Buffer.from(claims!, "base64url").toString());
          const changed = Buffer.from(JSON.stringify({ ...read, sub: "admin" })).toString("base64url");
          return `${header}.${changed}.${signature}`;
        },
      },
      "id_token_signature_invalid",
    ],
    [
      "of another issuer",
      { claims: (c) => ({ ...c, iss: "https://evil.example" }) },
      "id_token_iss_mismatch",
    ],
    ["for another client", { claims: (c) => ({ ...c, aud: "somebody-else" }) }, "id_token_aud_mismatch"],
    [
      "for several clients without naming us",
      { claims: (c) => ({ ...c, aud: ["signalbox", "other"], azp: "other" }) },
      "id_token_azp_mismatch",
    ],
    ["of another sign-in", { claims: (c) => ({ ...c, nonce: "another" }) }, "id_token_nonce_mismatch"],
    ["without a nonce", { claims: ({ nonce: _, ...c }) => c }, "id_token_nonce_missing"],
    ["that has expired", { claims: (c) => ({ ...c, exp: seconds() - 120 }) }, "id_token_exp_out_of_range"],
    [
      "that is not valid yet",
      { claims: (c) => ({ ...c, nbf: seconds() + 600 }) },
      "id_token_nbf_out_of_range",
    ],
    ["without an end", { claims: ({ exp: _, ...c }) => c }, "id_token_exp_missing"],
    ["without a subject", { claims: ({ sub: _, ...c }) => c }, "id_token_sub_missing"],
    [
      "with a subject that cannot be stored",
      { claims: (c) => ({ ...c, sub: "a\0b" }) },
      "id_token_sub_invalid",
    ],
    [
      "with a subject that is too long",
      { claims: (c) => ({ ...c, sub: randomBytes(4_000).toString("hex") }) },
      "id_token_sub_invalid",
    ],
    [
      "of another access token",
      { claims: (c) => ({ ...c, at_hash: "AAAAAAAAAAAAAAAAAAAAAA" }) },
      "id_token_at_hash_mismatch",
    ],
    ["that is missing", { reply: ({ id_token: _, ...r }) => r }, "id_token_missing"],
    [
      "with a time of the sign-in that is none",
      { claims: (c) => ({ ...c, auth_time: -1e300 }) },
      "id_token_invalid",
    ],
    ["that is no token", { reply: (r) => ({ ...r, id_token: "nonsense" }) }, "id_token_invalid"],
  ])("%s", async (_, forgery, code) => {
    const { browser, reply } = await attempt(forgery);
    expect(readCode(reply)).toBe(code);
    expect(reply.status).toBe(403);
    expect(browser.token).toBeUndefined();
    const { items } = (
      await server.call(`/v1/sso/${connectorId}/events?limit=1`, { headers: acme.owner.auth })
    ).body;
    expect(items[0]).toMatchObject({ outcome: "refused", code });
  });

  test("but one whose clock is some seconds off is accepted", async () => {
    const { reply } = await attempt({ claims: (c) => ({ ...c, exp: seconds() - 20, iat: seconds() + 20 }) });
    expect(reply.status).toBe(303);
  });
});

describe("signing in again", () => {
  const again = "?reauthenticate=true";

  test("asks the provider to ask the person", async () => {
    await attempt({}, again);
    expect(provider.asked.get("prompt")).toBe("login");
    expect(provider.asked.get("max_age")).toBe("0");
    expect(provider.asked.get("code_challenge_method")).toBe("S256");
  });

  test.each<[string, Forgery, string]>([
    [
      "was long ago",
      { claims: (c) => ({ ...c, auth_time: seconds() - 3600 }) },
      "id_token_auth_time_too_old",
    ],
    ["has no time", { claims: ({ auth_time: _, ...c }) => c }, "id_token_auth_time_missing"],
  ])("is refused when it %s", async (_, forgery, code) => {
    const { reply } = await attempt(forgery, again);
    expect(readCode(reply)).toBe(code);
    expect(reply.body).toMatch(/auth_time|too long ago/);
  });

  test("at an ordinary sign-in the session is as old as the sign-in at the provider", async () => {
    const { browser } = await attempt({ claims: (c) => ({ ...c, auth_time: seconds() - 3600 }) });
    const { items } = (await server.call("/v1/me/sessions", { headers: browser.auth })).body;
    expect(Date.now() - items[0].signedInAt).toBeGreaterThan(3_000_000);
  });

  const withoutTime: Forgery = { claims: ({ auth_time: _, ...c }) => c };
  const createKey = (browser: Browser) =>
    server.call("/v1/api-keys", { body: { name: "x" }, headers: browser.auth });
  const tooOld = { status: 403, body: { error: "reauth", reason: "session_too_old" } };

  test.each<[string, Forgery]>([
    ["without a time", withoutTime],
    [
      "with a time only in the userinfo reply",
      {
        claims: ({ auth_time: _, email: __, ...c }) => c,
        userinfo: { sub: "mallory", email: "mallory@elsewhere.example", auth_time: seconds() },
      },
    ],
  ])("an ordinary sign-in %s is not fresh until the person signs in again", async (_, forgery) => {
    const { browser } = await attempt(forgery);
    const { items } = (await server.call("/v1/me/sessions", { headers: browser.auth })).body;
    expect(items[0]).toMatchObject({ current: true, signedInAt: null });
    expect(await createKey(browser)).toMatchObject(tooOld);
    provider.forgery = { claims: (c) => ({ ...c, auth_time: seconds() }) };
    const back = await goToProvider(browser, connectorId, again);
    await browser.open(server, back.pathname + back.search);
    expect((await createKey(browser)).status).toBe(201);
    // A sign-in without a time takes no freshness away, and adds none.
    provider.forgery = withoutTime;
    const ordinary = await goToProvider(browser);
    await browser.open(server, ordinary.pathname + ordinary.search);
    expect((await createKey(browser)).status).toBe(201);
  });

  test("where the organization limits the age of sessions, every sign-in needs a time", async () => {
    const setLimit = (sessionMaxAgeMinutes: number | null) =>
      server.call("/v1/organization", {
        method: "PATCH",
        body: { sessionMaxAgeMinutes },
        headers: acme.owner.auth,
      });
    expect((await setLimit(60)).status).toBe(200);
    const refused = await attempt(withoutTime);
    expect(readCode(refused.reply)).toBe("id_token_auth_time_missing");
    expect(refused.browser.token).toBeUndefined();
    expect(provider.asked.get("max_age")).toBe("3600");
    expect((await attempt({ claims: (c) => ({ ...c, auth_time: seconds() - 600 }) })).reply.status).toBe(303);
    const old = await attempt({ claims: (c) => ({ ...c, auth_time: seconds() - 7200 }) });
    expect(readCode(old.reply)).toBe("id_token_auth_time_too_old");
    await setLimit(null);
  });

  test("the page of a test says whether the provider sends the time", async () => {
    const test = async (forgery: Forgery) => {
      const path = `/v1/sso/${connectorId}/test`;
      const { startUrl } = (await server.call(path, { method: "POST", headers: acme.owner.auth })).body;
      provider.forgery = forgery;
      const browser = new Browser();
      const back = await goToProvider(browser, connectorId, new URL(startUrl).search);
      return (await browser.open(server, back.pathname + back.search)).body;
    };
    expect(await test(withoutTime)).toContain("not received");
    expect(await test({})).not.toContain("not received");
  });
});

test("groups that the provider could not send are not the same as no groups", async () => {
  const mapping = { groupMappings: [{ group: "admins", role: "admin" }] };
  const patch = (body: object) =>
    server.call(`/v1/sso/${connectorId}`, { method: "PATCH", body, headers: acme.owner.auth });
  const findRole = async () =>
    (await server.call("/v1/members?search=mallory", { headers: acme.owner.auth })).body.items[0].role;
  await patch(mapping);
  await attempt({ claims: (c) => ({ ...c, groups: ["admins"] }) });
  expect(await findRole()).toBe("admin");
  // Entra ID sends a reference instead of more than 200 groups.
  await attempt({ claims: ({ groups: _, ...c }) => ({ ...c, _claim_names: { groups: "src1" } }) });
  expect(await findRole()).toBe("admin");
  await attempt({ claims: (c) => ({ ...c, groups: [] }) });
  expect(await findRole()).toBe("member");
  await patch({ groupMappings: [] });
});

describe("a browser is refused", () => {
  test("that did not start the sign-in", async () => {
    provider.forgery = { claims: (c) => ({ ...c, email: `mallory@${domain}` }) };
    const back = await goToProvider(new Browser());
    const other = new Browser();
    const reply = await other.open(server, back.pathname + back.search);
    expect(readCode(reply)).toBe("other_browser");
    expect(other.token).toBeUndefined();
  });

  test("that brings back the same answer twice", async () => {
    const browser = new Browser();
    const back = await goToProvider(browser);
    expect((await browser.open(server, back.pathname + back.search)).status).toBe(303);
    expect((await browser.open(server, back.pathname + back.search)).status).toBe(400);
  });

  test.each<[string, (url: URL) => void, number]>([
    ["without a state", (url) => url.searchParams.delete("state"), 400],
    ["with another state", (url) => url.searchParams.set("state", "other"), 400],
    ["whose answer names another issuer", (url) => url.searchParams.set("iss", "https://evil.example"), 403],
    ["without a code", (url) => url.searchParams.delete("code"), 403],
  ])("%s", async (_, change, status) => {
    const browser = new Browser();
    const back = await goToProvider(browser);
    change(back);
    const reply = await browser.open(server, back.pathname + back.search);
    expect(reply.status).toBe(status);
    expect(browser.token).toBeUndefined();
  });

  test("whose person the provider refused, and shows the reason", async () => {
    const browser = new Browser();
    const back = await goToProvider(browser);
    back.search = String(
      new URLSearchParams({
        error: "access_denied",
        state: back.searchParams.get("state")!,
        iss: provider.issuer,
      }),
    );
    expect(readCode(await browser.open(server, back.pathname + back.search))).toBe("access_denied");
  });

  test("that brings the answer to another connector's address", async () => {
    const globex = await createWorkspace(server);
    const other = await create(globex.owner);
    const browser = new Browser();
    const back = await goToProvider(browser);
    const reply = await browser.open(server, `/v1/sso/${other}/callback${back.search}`);
    expect(readCode(reply)).toBe("connector_mismatch");
  });
});

describe("a provider is refused", () => {
  test("whose userinfo describes another person", async () => {
    const { reply } = await attempt({
      claims: ({ email: _, ...c }) => c,
      userinfo: { sub: "somebody-else", email: `ceo@${domain}` },
    });
    expect(readCode(reply)).toBe("userinfo_sub_mismatch");
  });

  test.each([
    ["at an address of this network's own", "https://169.254.169.254"],
    ["in a private network", "https://10.0.0.1"],
    ["without encryption", "http://login.example.com"],
    ["with credentials in its address", "https://a:b@login.example.com"],
  ])("%s", async (_, issuer) => {
    const reply = await postOidc(server, acme.owner, { issuer, clientId: "x" });
    expect(reply).toMatchObject({ status: 400, body: { details: [{ path: ["issuer"] }] } });
  });

  test("that names itself otherwise in its metadata", async () => {
    provider.forgery = { metadata: { issuer: "https://evil.example" } };
    const reply = await postOidc(server, acme.owner, { issuer: `${provider.issuer}`, clientId: "x" });
    const started = await new Browser().open(server, `/v1/sso/${reply.body.connector.id}/start`);
    expect(started.status).toBe(502);
    provider.forgery = {};
  });
});
