import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { createWorkspace, useServer, type Workspace } from "../../../../test/harness.ts";
import {
  commit,
  insertConnector,
  pushBody,
  signedHeaders,
  type TestConnector,
} from "../../../../test/webhooks.ts";
import { sql } from "../../../platform/db/index.ts";
import { newId } from "../../../platform/ids.ts";

/** Two organizations, of which one would like to have what is the other's. */
const instanceSecret = "the secret of the instance";
const server = useServer({ env: { CODEHOST_WEBHOOK_SECRET: instanceSecret } });
let acme: Workspace;
let mallory: Workspace;
beforeAll(async () => {
  acme = await createWorkspace(server, "Acme");
  mallory = await createWorkspace(server, "Mallory");
});

const connect = (workspace: Workspace, options: Parameters<typeof insertConnector>[2] = {}) =>
  insertConnector(server.platform, workspace.orgId, options);

async function send(path: string, event: string, secret: string, payload: object | string) {
  const body = typeof payload === "string" ? payload : JSON.stringify(payload);
  const headers = signedHeaders.github(secret, body, { event, id: randomUUID() });
  const response = await fetch(`${server.url}/v1/webhooks/connectors/${path}`, {
    method: "POST",
    headers,
    body,
  });
  return { status: response.status, body: await response.json() };
}

const call = (path: string, { owner }: Workspace) => server.call(path, { headers: owner.auth });

async function lastDelivery(workspace: Workspace, { id }: TestConnector) {
  const { items } = (await call(`/v1/webhook-deliveries?connectorId=${id}`, workspace)).body;
  return (await call(`/v1/webhook-deliveries/${items[0].id}`, workspace)).body.delivery;
}

/** As if a worker had read that commit. */
const synced = ({ id, orgId }: TestConnector, head: string, status = "succeeded") =>
  server.platform.db.run(sql`
    insert into connector_syncs (id, org_id, connector_id, cause, status, commit_sha, finished_at)
    values (${newId("syn")}, ${orgId}, ${id}, 'sweep', ${status}, ${head}, now())`);

describe("a delivery to the whole instance", () => {
  test("shows its body to organizations that have read the pushed commit, and to no others", async () => {
    const victim = await connect(acme);
    // Names the repository of others and reads one of its own, which is as good as none.
    const curious = await connect(mallory, {
      repository: victim.repository,
      cloneUrl: "https://git.mallory.example/x.git",
      syncedCommit: commit(),
    });
    const head = commit();
    const body = pushBody(victim, head);
    expect(await send("codehost", "push", instanceSecret, body)).toMatchObject({ status: 202 });
    await synced(curious, commit());
    // A server can say that its ref points there; that it was read takes the commit itself.
    await synced(curious, head, "failed");
    expect(await lastDelivery(mallory, curious)).toMatchObject({ body: null, headers: null });
    expect(await lastDelivery(acme, victim)).toMatchObject({ body: null });
    await synced(victim, head);
    expect(await lastDelivery(acme, victim)).toMatchObject({
      body,
      bodyEncoding: "utf-8",
      bodyTruncated: false,
    });
    expect(await lastDelivery(mallory, curious)).toMatchObject({ body: null, headers: null });
  });

  test("shows only its arrival and its outcome to organizations that have not read the commit", async () => {
    const victim = await connect(acme, { installationId: "4711" });
    const curious = await connect(mallory, {
      repository: victim.repository,
      cloneUrl: "https://git.mallory.example/x.git",
    });
    const head = commit();
    const body = pushBody(victim, head, { installation: { id: 4711 }, bytes: 3_000 });
    expect(await send("codehost", "push", instanceSecret, body)).toMatchObject({ status: 202 });

    const hidden = { ref: null, head: null, installationId: null, action: null, repository: null };
    const unseen = { ...hidden, bodyBytes: null, bodySha256: null, scope: "instance", outcome: "accepted" };
    const seen = await lastDelivery(mallory, curious);
    expect(seen).toMatchObject({ ...unseen, event: "push", targets: [{ connectorId: curious.id }] });
    const { items } = (await call(`/v1/webhook-deliveries?connectorId=${curious.id}`, mallory)).body;
    expect(items[0]).toMatchObject(unseen);
    // The sync that follows from it shows no more.
    const { items: syncs } = (await call(`/v1/connector-syncs?connectorId=${curious.id}`, mallory)).body;
    expect(syncs).toMatchObject([{ cause: "push", head: null }]);
    const sync = (await call(`/v1/connector-syncs/${syncs[0].id}`, mallory)).body;
    const connector = (await call(`/v1/connectors/${curious.id}`, mallory)).body;
    const audit = (await call("/v1/audit-events?limit=100", mallory)).body;
    for (const text of [head, "4711"])
      expect(JSON.stringify([seen, items, syncs, sync, connector, audit])).not.toContain(text);

    // The organization that has read the commit sees it, in the delivery and in the sync.
    await server.platform.db.run(sql`
      update connector_syncs set status = 'succeeded', commit_sha = ${head}, finished_at = now()
      where connector_id = ${victim.id}`);
    expect(await lastDelivery(acme, victim)).toMatchObject({
      ...{ head, ref: victim.ref, installationId: "4711", repository: victim.repository },
      bodyBytes: Buffer.byteLength(body),
    });
    const { items: own } = (await call(`/v1/connector-syncs?connectorId=${victim.id}`, acme)).body;
    expect(own).toMatchObject([{ head }]);
  });

  test("the end of an installation is recorded without the installation id", async () => {
    const curious = await connect(mallory, { installationId: "4712" });
    const payload = { action: "deleted", installation: { id: 4712 } };
    expect(await send("codehost", "installation", instanceSecret, payload)).toMatchObject({ status: 202 });
    expect(await lastDelivery(mallory, curious)).toMatchObject({ installationId: null, action: null });
    const { items } = (await call("/v1/audit-events?limit=100", mallory)).body;
    const told = items.find(({ action }: { action: string }) => action === "connector.told_by_code_host");
    expect(told.after).toEqual({ is: "installation", change: "deleted" });
  });

  test("differs from a delivery to a connector's URL, whose head is shown before it is read", async () => {
    const own = await connect(acme);
    const head = commit();
    await send(`codehost?connector=${own.id}`, "push", own.secret, pushBody(own, head));
    expect(await lastDelivery(acme, own)).toMatchObject({ head, ref: own.ref });
    const { items } = (await call(`/v1/connector-syncs?connectorId=${own.id}`, acme)).body;
    expect(items).toMatchObject([{ head, cause: "push" }]);
  });
});

describe("a renamed repository", () => {
  const buildCloneUrl = async ({ id }: TestConnector) =>
    (await server.platform.db.row<{ url: string }>(
      sql`select clone_url as url from connectors where id = ${id}`,
    ))!.url;

  test.each(["github.com", "git"])("does not send the token of %s to another server", async (host) => {
    // Whoever manages connectors can sign, and can call a repository so; the token is not theirs to see.
    const connector = await connect(mallory, {
      repository: `${host}/acme/handbook`,
      cloneUrl: `https://${host}/acme/handbook.git`,
    });
    const moved = {
      action: "transferred",
      repository: { full_name: "git.mallory.example/x/handbook" },
      changes: { owner: { from: { organization: { login: `${host}/acme` } } } },
    };
    const reply = await send(`codehost?connector=${connector.id}`, "repository", connector.secret, moved);
    expect(reply.status).toBe(202);
    expect(await buildCloneUrl(connector)).toBe(`https://${host}/acme/handbook.git`);
  });

  test.each(["n?w", "n#w", "n%2f", "n@w", "nëw", "n\\w"])(
    "is not followed to %s, which is not a valid name",
    async (name) => {
      const connector = await connect(acme);
      const [owner, from] = connector.repository.split("/");
      const renamed = {
        action: "renamed",
        repository: { full_name: `${owner}/${name}` },
        changes: { repository: { name: { from } } },
      };
      await send(`codehost?connector=${connector.id}`, "repository", connector.secret, renamed);
      expect(await buildCloneUrl(connector)).toBe(`https://github.com/${connector.repository}.git`);
    },
  );
});

test("an event about an installation does not show its list of repositories to an organization that follows one of them", async () => {
  const connector = await connect(mallory, { installationId: "9001" });
  const payload = {
    action: "removed",
    installation: { id: 9001 },
    repositories_removed: [{ full_name: connector.repository }, { full_name: "acme/secret-project" }],
  };
  expect(await send("codehost", "installation_repositories", instanceSecret, payload)).toMatchObject({
    status: 202,
  });
  const { items } = (await call("/v1/audit-events?limit=100", mallory)).body;
  const told = items.find(({ action }: { action: string }) => action === "connector.told_by_code_host");
  expect(told).toMatchObject({ target: { id: connector.id }, after: { change: "removed" } });
  expect(JSON.stringify(told)).not.toContain("secret-project");
});

test("an event about a repository on one server does not affect a repository with the same name on another server", async () => {
  const ours = await connect(acme, { repository: "acme/everywhere" });
  const theirs = await connect(mallory, {
    repository: "acme/everywhere",
    cloneUrl: "https://ghe.example.com/acme/everywhere.git",
  });
  const auditState = ({ id }: TestConnector) =>
    server.platform.db.row<{ status: string; name: string }>(
      sql`select status, repository as name from connectors where id = ${id}`,
    );
  const html_url = "https://github.com/Acme/Everywhere";
  const deleted = { action: "deleted", repository: { full_name: "Acme/Everywhere", html_url } };
  expect(await send("codehost", "repository", instanceSecret, deleted)).toMatchObject({ status: 202 });
  expect(await auditState(ours)).toMatchObject({ status: "disconnected" });
  expect(await auditState(theirs)).toMatchObject({ status: "active" });
  // Its own hook may come by another name of the server.
  await send(`codehost?connector=${theirs.id}`, "repository", theirs.secret, deleted);
  expect(await auditState(theirs)).toMatchObject({ status: "disconnected" });

  const [here, there] = await Promise.all(
    ["https://github.com/acme/x.git", "https://ghe.example.com/acme/x.git"].map((cloneUrl) =>
      connect(acme, { repository: "acme/x", installationId: "31", cloneUrl }),
    ),
  );
  const installation = { id: 31, html_url: "https://github.com/settings/installations/31" };
  await send("codehost", "installation", instanceSecret, { action: "deleted", installation });
  expect(await auditState(here!)).toMatchObject({ status: "disconnected" });
  expect(await auditState(there!)).toMatchObject({ status: "active" });
});

test("a secret that a code host writes into the body is never shown", async () => {
  // Gitea did so for years.
  const connector = await connect(acme, { codehost: "gitea" });
  for (const [path, secret] of [
    ["codehost", instanceSecret],
    [`codehost?connector=${connector.id}`, connector.secret],
  ] as const) {
    const head = commit();
    const body = pushBody(connector, head, { secret });
    const reply = await fetch(`${server.url}/v1/webhooks/connectors/${path}`, {
      method: "POST",
      headers: signedHeaders.gitea(secret, body),
      body,
    });
    expect(reply.status).toBe(202);
    await synced(connector, head);
    const delivery = await lastDelivery(acme, connector);
    expect(delivery).toMatchObject({ head, body: body.replace(secret, "[redacted]") });
    expect(delivery.body).toContain('"secret":"[redacted]"');
  }
});
