import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type GuardedServer,
  type SignInServer,
  startGuardedServer,
  startSignInServer,
} from "../../../../test/fixtures/mcp-servers/signed-in.ts";
import {
  createWorkspace,
  joinWorkspace,
  type Person,
  useServer,
  type Workspace,
} from "../../../../test/harness.ts";
import { connectMcpAccount, readConnection, saveConnection } from "../../../../test/mcp-sign-in.ts";
import { revokePending } from "../../oauth-providers/revocations/index.ts";

const server = useServer();
let acme: Workspace;
let ada: Person & { memberId: string };
let before: SignInServer;
let after: SignInServer;
let guarded: GuardedServer;
/** Everything that was sent to the new authorization server. */
const sent: string[] = [];

beforeAll(async () => {
  acme = await createWorkspace(server);
  ada = await joinWorkspace(server, acme, "member");
  before = await startSignInServer({ registration: true });
  after = await startSignInServer({ registration: true });
  after.intercept = (request, _response, body) => {
    sent.push(`${request.url} ${request.headers.authorization ?? ""} ${body}`);
    return false;
  };
  guarded = await startGuardedServer({ servers: [before, after] });
  guarded.metadata = { ...guarded.metadata, authorization_servers: [before.base] };
});
afterAll(async () => {
  for (const one of [before, after, guarded]) await one?.close();
});

const call = (path: string, options: Parameters<typeof server.call>[1] = {}) =>
  server.call(`/v1/mcp-connections${path}`, { headers: acme.owner.auth, ...options });
const testAs = async (person: Person, id: string) =>
  (await call(`/${id}/test`, { method: "POST", headers: person.auth })).body.test;

describe("a server that moves to another authorization server", () => {
  test("is shown as such, is not accepted by the way, and members sign in again at the new one", async () => {
    const { id } = await saveConnection(server, acme.owner.auth, {
      ...{ url: guarded.url, registration: "dynamic", access: { organization: true } },
    });
    await connectMcpAccount(server, ada, id);
    expect(await testAs(ada, id)).toMatchObject({ ok: true });
    const earlier = before.tokenRequests.length;

    const move = (authorizationServer: string, headers = acme.owner.auth) =>
      call(`/${id}/authorization-server`, { method: "PUT", body: { authorizationServer }, headers });
    expect((await move(after.base)).body).toMatchObject({ details: [{ path: ["authorizationServer"] }] });

    guarded.metadata = { ...guarded.metadata, authorization_servers: [after.base] };
    const drifted = await call(`/${id}/discover`, { method: "POST" });
    expect(drifted.body.connection.verdictDrift).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ field: "authorizationServer", before: before.base, after: after.base }),
      ]),
    );
    const accepted = await call(`/${id}/discover`, { method: "POST", body: { accept: true } });
    expect(accepted).toMatchObject({ status: 409, body: { error: "mcp_issuer_moved" } });
    expect((await move(after.base, ada.auth)).status).toBe(403);
    // Until somebody decides, nothing is sent to the new issuer, whatever the server says.
    expect(sent).toEqual([]);

    const moved = await move(after.base);
    expect(moved).toMatchObject({
      status: 200,
      body: { connection: { authorizationServer: after.base, registration: "dynamic", verdictDrift: [] } },
    });
    expect((await readConnection(server, ada.auth, id)).mine).toMatchObject({ state: "not_connected" });
    expect(await testAs(ada, id)).toMatchObject({ ok: false, steps: [{ step: "credential" }] });
    await revokePending.handle(server.platform, {});
    expect(before.revocations).toBeGreaterThan(0);
    expect(after.revocations).toBe(0);

    await connectMcpAccount(server, ada, id);
    expect(await testAs(ada, id)).toMatchObject({ ok: true });
    expect(before.tokenRequests).toHaveLength(earlier);
    const [entry] = (
      await server.call("/v1/audit-events?limit=50", { headers: acme.owner.auth })
    ).body.items.filter(
      ({ action }: { action: string }) => action === "mcp_connection.authorization_server_changed",
    );
    expect(entry).toMatchObject({ after: { authorizationServer: after.base } });
    // The new issuer saw a registration and its own code, and no token of the earlier one.
    const tokens = before.tokenRequests.flatMap((form) => [...form.values()]);
    for (const value of tokens.filter((text) => text.length > 20 && !text.startsWith("http")))
      expect(sent.join("\n")).not.toContain(value);
  });

  test("a connection without sign-in has no authorization server to move", async () => {
    const { id } = await saveConnection(server, acme.owner.auth, {
      ...{ url: guarded.url, registration: "bearer", credential: "shared", bearerToken: "right-key-1" },
    });
    const reply = await call(`/${id}/authorization-server`, {
      ...{ method: "PUT", body: { authorizationServer: after.base } },
    });
    expect(reply).toMatchObject({ status: 409, body: { error: "mcp_no_sign_in" } });
  });
});
