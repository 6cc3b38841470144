/** A person who can write to the database cannot make the service send a credential to another server. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createConnector, runSyncs, templateFile } from "../../../../test/connectors.ts";
import { type GitServer, startGitServer } from "../../../../test/fixtures/git-server.ts";
import { createWorkspace, useServer, type Workspace } from "../../../../test/harness.ts";
import { sealFirstFormat } from "../../../../test/sealing.ts";
import { sealedColumns } from "../../../app.ts";
import { sql } from "../../../platform/db/index.ts";
import { countSealed, upgradeSealing } from "../../../platform/reseal/index.ts";

const server = useServer();
const secret = "a secret for the tests, long enough";
const token = "glpat-s3cret-of-the-test";
let good: GitServer;
let evil: GitServer;
let acme: Workspace;
let globex: Workspace;
let cloneUrl: string;

beforeAll(async () => {
  good = await startGitServer();
  evil = await startGitServer();
  good.options.token = token;
  const repository = await good.repository("acme/private");
  await repository.commit({ "templates/a.md": templateFile("A") });
  await (await evil.repository("acme/private")).commit({ "templates/a.md": templateFile("A") });
  cloneUrl = repository.url;
  acme = await createWorkspace(server, "Acme");
  globex = await createWorkspace(server, "Globex");
});
afterAll(async () => {
  await good.close();
  await evil.close();
});

const connect = (workspace: Workspace, more: Record<string, unknown> = {}) =>
  createConnector(server, workspace.owner.auth, { cloneUrl, access: { kind: "token", token }, ...more });
async function sync({ owner }: Workspace, { id }: { id: string }) {
  const headers = owner.auth;
  await server.call(`/v1/connectors/${id}/sync`, { method: "POST", headers });
  await runSyncs(server);
  return (await server.call(`/v1/connector-syncs?connectorId=${id}&limit=1`, { headers })).body.items[0];
}
const readSecret = async (id: string) =>
  (await server.platform.db.row<{ secret: string }>(
    sql`select access_secret as secret from connectors where id = ${id}`,
  ))!.secret;
const sentTo = (git: GitServer) =>
  git.requests.filter(({ headers }) =>
    Buffer.from(headers.authorization?.slice(6) ?? "", "base64")
      .toString()
      .includes(token),
  );

/** The outcome of a sync whose token does not open. */
const refused = { status: "failed", error: { code: "access_refused" } };

describe("a connector's token", () => {
  test("is not sent to another server after its row is changed", async () => {
    const made = await connect(acme);
    await runSyncs(server);
    expect(sentTo(good).length).toBeGreaterThan(0);
    const elsewhere = cloneUrl.replace(new URL(cloneUrl).origin, evil.url);
    await server.platform.db.run(sql`update connectors set clone_url = ${elsewhere} where id = ${made.id}`);
    expect(await sync(acme, made)).toMatchObject(refused);
    expect(sentTo(evil)).toEqual([]);
    await server.platform.db.run(sql`delete from connectors where id = ${made.id}`);
  });

  test("does not open in the connector of another organization, even under the same id", async () => {
    const mine = await connect(acme);
    // The first sync may send the token. It finishes before the row changes.
    await runSyncs(server);
    await server.platform.db.run(sql`update connectors set org_id = ${globex.orgId} where id = ${mine.id}`);
    good.requests.length = 0;
    await server.platform.db.run(sql`delete from connector_syncs where connector_id = ${mine.id}`);
    expect(await sync(globex, mine)).toMatchObject(refused);
    expect(sentTo(good)).toEqual([]);
    const theirs = await connect(globex, { access: { kind: "token", token: "other" } });
    await runSyncs(server);
    await server.platform.db.run(
      sql`update connectors set access_secret = ${await readSecret(mine.id)} where id = ${theirs.id}`,
    );
    expect(await sync(globex, theirs)).toMatchObject(refused);
    expect(sentTo(good)).toEqual([]);
    await server.platform.db.run(sql`delete from connectors where org_id = ${globex.orgId}`);
  });

  test("sealed by an earlier version opens, is resealed by a job, and a day later opens only in the new format", async () => {
    const { db, keyring } = server.platform;
    const made = await connect(acme);
    const place = { table: "connectors", row: made.id, column: "access_secret" };
    const old = sealFirstFormat(secret, token, place);
    const put = (sealed: string) =>
      db.run(sql`update connectors set access_secret = ${sealed} where id = ${made.id}`);
    await put(old);
    expect((await sync(acme, made)).status).toBe("succeeded");

    await upgradeSealing({ db, keyring }, sealedColumns);
    expect(await readSecret(made.id)).toMatch(/^v2\./);
    expect((await sync(acme, made)).status).toBe("succeeded");
    for (const column of sealedColumns)
      expect(await countSealed({ db, keyring }, column)).toMatchObject({ previous: 0, unknown: 0 });

    // Processes of the earlier version may still be running.
    await put(old);
    expect((await sync(acme, made)).status).toBe("succeeded");

    await db.run(sql`update schema_migrations set applied_at = now() - interval '2 days'`);
    await upgradeSealing({ db, keyring }, sealedColumns);
    await put(old);
    expect(await sync(acme, made)).toMatchObject(refused);
  });
});
