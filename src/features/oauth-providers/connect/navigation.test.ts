import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { useClock } from "../../../../test/clock.ts";
import {
  type AuthorizationServer,
  approve,
  startAuthorizationServer,
} from "../../../../test/fixtures/authorization-server.ts";
import {
  createKey,
  createRole,
  createWorkspace,
  joinWorkspace,
  type Person,
  type Reply,
  signIn,
  signUp,
  useServer,
  type Workspace,
} from "../../../../test/harness.ts";
import {
  openCallback,
  readConnectionStatus,
  setUpProvider,
  startConnection,
} from "../../../../test/oauth.ts";
import { sql } from "../../../platform/db/index.ts";

type Auth = Record<string, string>;

describe("a start that is opened in a browser", () => {
  const atTime = useClock();
  const server = useServer();
  let as: AuthorizationServer;
  let acme: Workspace;
  let ada: Person & { memberId: string };
  const id = "acme-id";
  /** Without `sec-fetch-mode`, because the test client sets it itself. test/browser uses real browsers. */
  const browser = { "sec-fetch-site": "none", accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
  const createCookie = ({ token }: Pick<Person, "token">): Auth => ({ cookie: `signalbox_session=${token}` });
  const attempts = async (label: string) =>
    (await server.platform.db.rows(sql`select 1 from oauth_attempts where label = ${label}`)).length;

  beforeAll(async () => {
    as = await startAuthorizationServer({
      redirectUris: [`${server.url}/v1/oauth-providers/${id}/connect/callback`],
    });
    acme = await createWorkspace(server);
    await setUpProvider(server, acme.owner.auth, as);
    ada = await joinWorkspace(server, acme, "member");
  });
  afterAll(() => as.close());

  /** The query of the Continue link on the confirmation page. */
  const confirmed = (page: Reply): string =>
    /href="[^"?]*(\?[^"]*confirm=[^"]*)"/.exec(page.body)![1]!.replaceAll("&amp;", "&");
  /** Opens the address and follows the Continue link, as a person does. */
  const startByHand = async (headers: Auth, query = ""): Promise<Reply> =>
    startConnection(server, headers, id, confirmed(await startConnection(server, headers, id, query)));

  test("asks first, and redirects to the provider once confirmed", async () => {
    for (const headers of [
      { ...browser, ...createCookie(ada) },
      { accept: "text/html;q=0.9,*/*;q=0.8", ...createCookie(ada) },
      { accept: "text/html", ...ada.auth },
    ]) {
      const page = await startConnection(server, headers, id);
      expect(page.status).toBe(200);
      expect(page.body).toContain("Connect Acme ID?");
      const reply = await startConnection(server, headers, id, confirmed(page));
      expect(reply.status).toBe(303);
      expect(reply.body).toBe("");
      expect(reply.headers.get("cache-control")).toBe("no-store");
      expect(reply.headers.get("referrer-policy")).toBe("no-referrer");
      const url = new URL(reply.headers.get("location")!);
      expect(url.origin).toBe(as.issuer);
      expect(url.searchParams.get("code_challenge_method")).toBe("S256");
    }
  });

  test("returns JSON to programs", async () => {
    const key = await createKey(server, ada);
    for (const headers of [
      ada.auth,
      { accept: "*/*", ...createCookie(ada) },
      { accept: "application/json", ...ada.auth },
      { accept: "*/*", "sec-fetch-site": "same-origin", ...createCookie(ada) },
      { accept: "text/html", ...key.auth },
    ]) {
      const reply = await startConnection(server, headers, id);
      expect(reply.status).toBe(200);
      expect(Object.keys(reply.body)).toEqual(["authorizeUrl"]);
    }
  });

  test("is finished by the session that started it; another session of the same person must confirm", async () => {
    const eve = await joinWorkspace(server, acme, "member");
    const second = { token: (await signIn(server, eve)).authorization.slice("Bearer ".length) };
    const opened = async () =>
      (await startByHand({ ...browser, ...createCookie(eve) })).headers.get("location")!;
    const asks = await openCallback(server, await approve(await opened()), second);
    expect(asks.body).toContain("If you did not start it");
    expect((await readConnectionStatus(server, eve.auth, id)).connections).toEqual([]);
    const page = await openCallback(server, await approve(await opened()), eve);
    expect(page.body).toContain("Acme ID is connected.");
    expect((await readConnectionStatus(server, eve.auth, id)).connected).toBe(true);
  });

  test("shows refusals as pages, with the status that programs get", async () => {
    const role = await createRole(server, acme.owner, ["organization:read"]);
    const powerless = await joinWorkspace(server, acme, role.id);
    const lonely = await signUp(server, "Lonely");
    const cases: [Auth, string, string, number, string][] = [
      [{}, id, "", 401, "Sign in to connect"],
      [{ cookie: "signalbox_session=nobody" }, id, "", 401, "Sign in to connect"],
      [createCookie(powerless), id, "", 403, "connections:use"],
      [createCookie(lonely), id, "", 403, "You do not belong to an organization yet"],
      [createCookie(ada), "github", "", 404, "client_not_configured"],
      [createCookie(ada), "nobody", "", 400, "There is no such provider"],
      [createCookie(ada), id, "?shared=true", 403, "connections:manage"],
      [createCookie(ada), id, "?scopes=admin", 400, "does not allow admin"],
      [createCookie(ada), id, "?returnTo=//evil.example", 400, "Must be a path on this site"],
      [createCookie(ada), id, "?account=a&account=b", 400, "Given more than once"],
    ];
    for (const [headers, provider, query, status, words] of cases) {
      const page = await startConnection(server, { ...browser, ...headers }, provider, query);
      expect(page.status, words).toBe(status);
      expect(page.headers.get("content-type")).toMatch(/^text\/html/);
      expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
      expect(page.body).toContain(words);
      const program = await startConnection(server, headers, provider, query);
      expect(program.status).toBe(status);
      expect(program.body.error).toBeTypeOf("string");
      expect(page.headers.get("www-authenticate")).toBe(program.headers.get("www-authenticate"));
    }
  });

  test("lets a session that is too old sign in again on the page", async () => {
    const strict = await createWorkspace(server, "Strict");
    await setUpProvider(server, strict.owner.auth, as);
    await server.platform.db.run(
      sql`update organizations set session_max_age_minutes = 5 where id = ${strict.orgId}`,
    );
    await server.platform.db.run(
      sql`update sessions set created_at = now() - interval '10 minutes' where user_id = ${strict.owner.userId}`,
    );
    await expect
      .poll(
        async () => (await startConnection(server, { ...browser, ...createCookie(strict.owner) }, id)).status,
        // The caller stays in the cache for a second.
        { timeout: 10_000 },
      )
      .toBe(403);
    const page = await startConnection(server, { ...browser, ...createCookie(strict.owner) }, id);
    expect(page.body).toContain("asks to sign in again every 5 minutes");
    expect(page.body).toContain('id="password"');
  });

  test("asks for confirmation wherever the browser came from, and starts nothing by itself", async () => {
    const lured = "?account=lured&scopes=files:write&returnTo=/docs";
    const ways: Auth[] = [
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      // After signing in, or choosing an organization, on a page that a link of another site led to.
      { "sec-fetch-site": "same-origin" },
      // From a mail program, or typed.
      { "sec-fetch-site": "none" },
      // Plain http, where the link hides the referrer.
      {},
      { referer: `${server.url}/` },
    ];
    for (const from of ways) {
      const page = await startConnection(
        server,
        { accept: browser.accept, ...from, ...createCookie(ada) },
        id,
        lured,
      );
      expect(page.status, JSON.stringify(from)).toBe(200);
      for (const named of ["Connect Acme ID?", "lured", "files:write", "Acme"])
        expect(page.body).toContain(named);
    }
    expect(await attempts("lured")).toBe(0);
  });

  test("the confirmation is valid only for this session and this start", async () => {
    const query = confirmed(
      await startConnection(server, { ...browser, ...createCookie(ada) }, id, "?account=one"),
    );
    expect((await startConnection(server, { ...browser, ...createCookie(ada) }, id, query)).status).toBe(303);
    const bob = await joinWorkspace(server, acme, "member");
    const later = query.replace(/confirm=(\d+)/, (_, at) => `confirm=${Number(at) + 60}`);
    expect(later).not.toBe(query);
    const others: [Auth, string][] = [
      [createCookie(bob), query],
      [createCookie(ada), query.replace("account=one", "account=two")],
      [createCookie(ada), `${query}&scopes=files:write`],
      [createCookie(ada), `${query}x`],
      [createCookie(ada), later],
      [createCookie(ada), query.replace(/confirm=\d+\./, "confirm=")],
      [createCookie(ada), "?account=one&confirm="],
    ];
    for (const [headers, changed] of others)
      expect((await startConnection(server, { ...browser, ...headers }, id, changed)).status, changed).toBe(
        200,
      );
  });

  test("the confirmation expires after ten minutes; then the page asks again", async () => {
    const headers = { ...browser, ...createCookie(ada) };
    const query = confirmed(await startConnection(server, headers, id, "?account=slow"));
    const startAfter = (minutes: number) =>
      atTime(Date.now() + minutes * 60_000, () => startConnection(server, headers, id, query));
    expect((await startAfter(9)).status).toBe(303);
    const late = await startAfter(11);
    expect(late.status).toBe(200);
    expect(late.body).toContain("Connect Acme ID?");
  });

  test("a connection for the whole organization says so before it is started", async () => {
    const headers = { ...browser, ...createCookie(acme.owner) };
    const page = await startConnection(server, headers, id, "?shared=true&account=all");
    expect(page.status).toBe(200);
    expect(page.body).toContain("all of Acme");
    expect(await attempts("all")).toBe(0);
    expect((await startConnection(server, headers, id, confirmed(page))).status).toBe(303);
    // A confirmation for a personal connection does not confirm a shared one.
    const own = confirmed(await startConnection(server, headers, id, "?account=all"));
    expect((await startConnection(server, headers, id, `${own}&shared=true`)).status).toBe(200);
  });
});
