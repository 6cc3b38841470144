/** The log of a directory's calls, and what its calls cost others. */
import { expect, test } from "vitest";
import { createWorkspace, useServer } from "../../../../test/harness.ts";
import { connectDirectory, verifyDomain } from "../../../../test/scim.ts";
import { sql } from "../../../platform/db/index.ts";
import { callLog } from "./index.ts";

const server = useServer();
let number = 0;
async function connect() {
  const workspace = await createWorkspace(server);
  const domain = `c${++number}.example.com`;
  await verifyDomain(server, workspace.orgId, domain);
  return { ...(await connectDirectory(server, workspace)), workspace, domain };
}

test("the log of calls has calls that were refused before their handler", async () => {
  const acme = await connect();
  const { auth } = acme.workspace.owner;
  const send = (path: string, body: string, type = "application/scim+json", method = "POST") =>
    acme.call(path, { method, body, headers: { "content-type": type } });
  expect((await send("/Users", "{}", "text/plain")).status).toBe(415);
  expect((await send("/Groups", "{")).status).toBe(400);
  expect((await send("/Users", JSON.stringify("x".repeat(5 * 1024 * 1024)))).status).toBe(413);
  expect((await send("/Users/scu_x?attributes=a&attributes=b", "[]", undefined, "PATCH")).status).toBe(400);
  expect((await acme.call("/Users?count=1")).status).toBe(200);
  // These are nobody's calls.
  expect((await server.call("/scim/v2/Users", { headers: { authorization: "Bearer sbs_no" } })).status).toBe(
    401,
  );
  expect((await server.call("/scim/v2/Users", { headers: auth })).status).toBe(401);
  await server.platform.state.get(callLog).flush();
  const { items } = (await server.call("/v1/scim/calls", { headers: auth })).body;
  const refused = { error: expect.stringMatching(/.{10}/), durationMs: expect.any(Number) };
  expect(items).toMatchObject([
    { method: "GET", path: "/scim/v2/Users?count=1", status: 200, error: null },
    { method: "PATCH", path: "/scim/v2/Users/scu_x?attributes=a&attributes=b", status: 400, ...refused },
    { method: "POST", path: "/scim/v2/Users", status: 413, ...refused },
    { method: "POST", path: "/scim/v2/Groups", status: 400, ...refused },
    { method: "POST", path: "/scim/v2/Users", status: 415, ...refused },
  ]);
  const { health } = (await server.call("/v1/scim", { headers: auth })).body.connector;
  expect(health).toMatchObject({ calls: 5, errors: 4 });
});

test("the health of a connector is that of the call that began last, whichever ended last", async () => {
  const acme = await connect();
  const log = server.platform.state.get(callLog);
  const calledAt = Date.now();
  const note = (status: number, ms: number, error: string | null) =>
    log.note({
      ...{ connectorId: acme.connectorId, tokenId: undefined, method: "GET", path: "/Users", status, error },
      ...{ durationMs: 1, requestId: "req_1", calledAt: calledAt + ms },
    });
  const readHealth = async () => {
    await log.flush();
    return (await server.call("/v1/scim", { headers: acme.workspace.owner.auth })).body.connector.health;
  };
  note(200, 20, null);
  note(400, 10, "slow");
  expect(await readHealth()).toMatchObject({ status: "working", lastCallAt: calledAt + 20, errors: 1 });
  note(400, 40, "late");
  note(400, 30, "early");
  expect(await readHealth()).toMatchObject({ status: "failing", lastError: "late", errors: 3 });
});

/** As many calls at the same moment as a directory may have waiting. */
const calls = 60;

test("a large synchronization leaves the calls of another organization their share", async () => {
  const [large, small] = [await connect(), await connect()];
  const { auth } = small.workspace.owner;
  let ended = 0;
  let isStarted = () => {};
  const started = new Promise<void>((resolve) => {
    isStarted = resolve;
  });
  const synchronization = Array.from({ length: calls }, async (_, n) => {
    const { status } = await large.createUser(`u${n}@${large.domain}`);
    ended++;
    isStarted();
    return status;
  });
  await started;
  const before = ended;
  expect((await server.call("/v1/members", { headers: auth })).status).toBe(200);
  expect((await server.call("/v1/teams", { body: { name: "Ops" }, headers: auth })).status).toBe(201);
  expect((await small.createUser(`ada@${small.domain}`)).status).toBe(201);
  expect((await small.call("/Users")).body.totalResults).toBe(1);
  // Each of these four calls waits for the few calls that hold a place, and not for those that wait for one.
  expect(ended - before).toBeLessThan(calls / 2);
  expect(new Set(await Promise.all(synchronization))).toEqual(new Set([201]));
});

test("calls that wait for a lock of their own organization hold no place of another", async () => {
  // The embedded engine has one connection, so nothing else runs during a transaction.
  if (server.engine.kind === "pglite") return;
  const [large, small] = [await connect(), await connect()];
  let ended = 0;
  let waiting: Promise<unknown>[] = [];
  await server.platform.db.transaction(async (tx) => {
    await tx.row(sql`select id from organizations where id = ${large.workspace.orgId} for no key update`);
    waiting = Array.from({ length: calls }, (_, n) =>
      large.createUser(`u${n}@${large.domain}`).finally(() => ended++),
    );
    for (let n = 0; n < 5; n++) {
      const { auth } = small.workspace.owner;
      expect((await small.createUser(`u${n}@${small.domain}`)).status).toBe(201);
      expect((await server.call("/v1/members", { headers: auth })).status).toBe(200);
    }
    expect(ended).toBe(0);
  });
  await Promise.all(waiting);
  expect(ended).toBe(calls);
});
