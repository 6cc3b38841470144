import { createHash, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import {
  createDatabase,
  createWorkspace,
  joinWorkspace,
  type Reply,
  startServer,
  useServer,
  type Workspace,
} from "../../../../test/harness.ts";
import {
  addSecret,
  commit,
  insertConnector,
  pushBody,
  signedHeaders,
  type TestConnector,
} from "../../../../test/webhooks.ts";
import { sql } from "../../../platform/db/index.ts";
import { newId, newIdAt } from "../../../platform/ids.ts";
import { quotaMeter } from "../../quotas/index.ts";
import { pruneDeliveries } from "../deliveries/jobs.ts";

const instanceSecret = "the secret of the instance";
const nextSecret = "the secret that comes after it";
const server = useServer({ env: { CODEHOST_WEBHOOK_SECRET: `${instanceSecret},${nextSecret}` } });
let acme: Workspace;
let globex: Workspace;
beforeAll(async () => {
  acme = await createWorkspace(server, "Acme");
  globex = await createWorkspace(server, "Globex");
});

type Headers = Record<string, string>;

async function send(path: string, headers: Headers, body: string | Buffer): Promise<Reply> {
  const response = await fetch(`${server.url}/v1/webhooks/connectors/${path}`, {
    method: "POST",
    headers,
    body: typeof body === "string" ? body : new Uint8Array(body),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

const connect = (workspace: Workspace, options: Parameters<typeof insertConnector>[2] = {}) =>
  insertConnector(server.platform, workspace.orgId, options);

/** A push to a connector, by its own secret, as GitHub sends it. */
const push = (connector: TestConnector, { id = randomUUID() as string, body = pushBody(connector) } = {}) =>
  send(`codehost?connector=${connector.id}`, signedHeaders.github(connector.secret, body, { id }), body);

const event = (name: string, body: object, secret = instanceSecret, id = randomUUID() as string) => {
  const text = JSON.stringify(body);
  return send("codehost", signedHeaders.github(secret, text, { event: name, id }), text);
};

const syncs = (connector: TestConnector) =>
  server.platform.db.rows<{ id: string; head: string | null; cause: string; status: string }>(
    sql`select id, head, cause, status from connector_syncs where connector_id = ${connector.id} order by id`,
  );

const connectorRow = ({ id }: TestConnector) =>
  server.platform.db.row<{ status: string; reason: string | null; repository: string; cloneUrl: string }>(
    sql`select status, status_reason as reason, repository, clone_url as "cloneUrl" from connectors where id = ${id}`,
  );

const deliveries = async (workspace: Workspace, query = "") =>
  (await server.call(`/v1/webhook-deliveries?${query}`, { headers: workspace.owner.auth })).body.items;

const installationBody = JSON.stringify({ action: "deleted", installation: { id: 999_999_999 } });
const accepted = (queued: boolean) => ({ status: 202, body: { ok: true, accepted: true, queued } });
const ignored = (reason: string) => ({ status: 200, body: { ok: true, accepted: false, reason } });
const invalid = { status: 401, body: { ok: false, error: "invalid signature" } };

describe("a push to a connector's own URL", () => {
  test("is accepted, queues a job for its head, and is listed as a delivery", async () => {
    const connector = await connect(acme);
    const head = commit();
    const id = randomUUID();
    const reply = await push(connector, { id, body: pushBody(connector, head) });
    expect(reply).toMatchObject({
      status: 202,
      body: { ok: true, accepted: true, event: "push", deliveryId: id, queued: true },
    });
    expect(Object.keys(reply.body).sort()).toEqual(["accepted", "deliveryId", "event", "ok", "queued"]);
    const [sync, ...more] = await syncs(connector);
    expect({ sync, more }).toMatchObject({ sync: { head, cause: "push", status: "queued" }, more: [] });
    expect(await deliveries(acme, `connectorId=${connector.id}`)).toMatchObject([
      {
        deliveryId: id,
        scope: "connector",
        dialect: "github",
        event: "push",
        repository: connector.repository,
        ref: "refs/heads/main",
        head,
        outcome: "accepted",
        reason: null,
        repeats: 0,
        alteredAt: null,
        targets: [{ connectorId: connector.id, syncId: sync!.id }],
      },
    ]);
  });

  test.each(["github", "gitea", "forgejo"] as const)(
    "%s: is accepted only at its own address and at the common one",
    async (dialect) => {
      const connector = await connect(acme, { codehost: dialect });
      const to = async (door: string) => {
        const body = pushBody(connector);
        return send(
          `${door}?connector=${connector.id}`,
          signedHeaders[dialect](connector.secret, body),
          body,
        );
      };
      for (const door of ["codehost", dialect]) expect(await to(door)).toMatchObject(accepted(true));
      for (const door of ["github", "gitlab", "gitea", "forgejo", "bitbucket"].filter(
        (one) => one !== dialect,
      ))
        expect(await to(door)).toMatchObject(invalid);
    },
  );

  test("is verified by signature and by token from GitLab", async () => {
    const connector = await connect(acme, { codehost: "gitlab", repository: "acme/group/playbook" });
    for (const buildHeaders of [signedHeaders.gitlab, signedHeaders.gitlabToken]) {
      const body = JSON.stringify({
        object_kind: "push",
        ref: "refs/heads/main",
        after: commit(),
        project: { path_with_namespace: connector.repository },
      });
      const id = randomUUID();
      const at = `gitlab?connector=${connector.id}`;
      expect(await send(at, buildHeaders(connector.secret, body, { id }), body)).toMatchObject({
        status: 202,
        body: { event: "Push Hook", deliveryId: id, queued: true },
      });
      expect(await send(at, buildHeaders(connector.secret, `${body} `, { id }), body)).toMatchObject(
        buildHeaders === signedHeaders.gitlab ? invalid : accepted(false),
      );
      expect(await send(at, buildHeaders("another secret", body), body)).toMatchObject(invalid);
    }
  });

  test("from Bitbucket with several branches syncs only the branch that is followed", async () => {
    const connector = await connect(acme, { codehost: "bitbucket" });
    const head = commit();
    const branch = (name: string, hash: string) => ({
      new: { type: "branch", name, target: { hash } },
      old: null,
    });
    const body = JSON.stringify({
      repository: { full_name: connector.repository.toUpperCase() },
      push: { changes: [branch("feature", commit()), branch("main", head)] },
    });
    const at = `bitbucket?connector=${connector.id}`;
    expect(await send(at, signedHeaders.bitbucket(connector.secret, body), body)).toMatchObject(
      accepted(true),
    );
    expect(await syncs(connector)).toMatchObject([{ head }]);
  });

  test("is accepted as a form from GitHub", async () => {
    const connector = await connect(acme);
    const body = new URLSearchParams({ payload: pushBody(connector) }).toString();
    const headers = {
      ...signedHeaders.github(connector.secret, body),
      "content-type": "application/x-www-form-urlencoded",
    };
    expect(await send(`github?connector=${connector.id}`, headers, body)).toMatchObject(accepted(true));
    expect(await send(`github?connector=${connector.id}`, headers, `${body}&x=1`)).toMatchObject(invalid);
  });

  test("is verified by either of two secrets during a rotation, and each secret shows its last use", async () => {
    const connector = await connect(acme);
    const secondId = await addSecret(server.platform, acme.orgId, connector.id, "a second secret");
    const body = pushBody(connector);
    const at = `codehost?connector=${connector.id}`;
    const lastUse = async (id: string) =>
      (await server.platform.db.row<{ at: number | null }>(
        sql`select last_used_at as at from connector_secrets where id = ${id}`,
      ))!.at;
    expect(await send(at, signedHeaders.github("a second secret", body), body)).toMatchObject(accepted(true));
    expect(await lastUse(secondId)).toBeGreaterThan(Date.now() - 60_000);
    expect(await lastUse(connector.secretId)).toBeNull();
    expect(await send(at, signedHeaders.github(connector.secret, body), body)).toMatchObject(accepted(false));
    expect(await lastUse(connector.secretId)).toBeGreaterThan(Date.now() - 60_000);
  });

  test("is refused within a second after its secret was removed", async () => {
    const connector = await connect(acme);
    expect(await push(connector)).toMatchObject(accepted(true));
    await server.platform.db.run(sql`delete from connector_secrets where connector_id = ${connector.id}`);
    await expect.poll(() => push(connector), { timeout: 3_000 }).toMatchObject(invalid);
  });

  test("does not affect another connector of the same repository", async () => {
    const mine = await connect(acme);
    const theirs = await connect(globex, { repository: mine.repository });
    expect(await push(mine)).toMatchObject(accepted(true));
    expect(await syncs(theirs)).toEqual([]);
    expect(await deliveries(globex, `connectorId=${theirs.id}`)).toEqual([]);
  });

  test("queues one sync when the followed branch was deleted", async () => {
    const connector = await connect(acme);
    const body = pushBody(connector, "0".repeat(40), { deleted: true });
    expect(await push(connector, { body })).toMatchObject(accepted(true));
    expect(await syncs(connector)).toMatchObject([{ head: null, cause: "push" }]);
    // Whoever looks then finds what there is then.
    expect(await push(connector, { body })).toMatchObject(accepted(false));
  });
});

describe("a request that is not signed", () => {
  test("gets the same refusal for every kind of mistake", async () => {
    const connector = await connect(acme);
    const body = pushBody(connector);
    const good: Headers = signedHeaders.github(connector.secret, body);
    const without = (name: string) =>
      Object.fromEntries(Object.entries(good).filter(([key]) => key !== name));
    const wrong: [string, Headers][] = [
      [connector.id, without("x-hub-signature-256")],
      [connector.id, { ...good, "x-hub-signature-256": `sha256=${"0".repeat(64)}` }],
      [connector.id, { ...good, "x-hub-signature-256": good["x-hub-signature-256"]!.slice(0, -1) }],
      [connector.id, signedHeaders.github(instanceSecret, body)],
      [connector.id, { ...good, "x-gitea-event": "push" }],
      [connector.id, { "content-type": "application/json" }],
      [newId("con"), good],
      [newId("con"), signedHeaders.github(instanceSecret, body)],
      ["garbage", good],
      ["", good],
    ];
    for (const [id, headers] of wrong) {
      const reply = await send(`codehost?connector=${encodeURIComponent(id)}`, headers, body);
      expect({ id, status: reply.status, body: reply.body }).toEqual({ id, ...invalid });
    }
    expect(await send("codehost", good, body)).toMatchObject(invalid);
    expect(await syncs(connector)).toEqual([]);
    expect(await deliveries(acme, `connectorId=${connector.id}`)).toEqual([]);
  });

  test("reserves no delivery id", async () => {
    const connector = await connect(acme);
    const [id, body] = [randomUUID(), pushBody(connector)];
    const at = `codehost?connector=${connector.id}`;
    expect(await send(at, signedHeaders.github("wrong", body, { id }), body)).toMatchObject(invalid);
    expect(await push(connector, { id, body })).toMatchObject(accepted(true));
  });

  test("takes as long for a known connector as for an unknown one", async () => {
    const connector = await connect(acme);
    const body = pushBody(connector, commit(), { bytes: 200_000 });
    const headers = signedHeaders.github("wrong", body);
    const times: Record<string, number[]> = { [connector.id]: [], [newId("con")]: [] };
    for (let round = 0; round < 40; round++) {
      for (const [id, list] of Object.entries(times)) {
        // Lookups of one connector are at least 50 ms apart. Without the pause, chance decides which requests wait.
        await sleep(60);
        const started = performance.now();
        await send(`codehost?connector=${id}`, headers, body);
        list.push(performance.now() - started);
      }
    }
    const [known, unknown] = Object.values(times).map((list) => list.sort((a, b) => a - b)[20]!);
    expect(known! / unknown!).toBeGreaterThan(0.5);
    expect(known! / unknown!).toBeLessThan(2);
  });
});

describe("a delivery to the whole instance", () => {
  test("queues a sync for every connector of that repository and ref, with either secret", async () => {
    const mine = await connect(acme);
    const other = await connect(globex, { repository: mine.repository.toLowerCase(), codehost: "git" });
    const elsewhere = await connect(acme, { repository: mine.repository, ref: "refs/heads/next" });
    const gitlab = await connect(acme, { repository: mine.repository, codehost: "gitlab" });
    const off = await connect(acme, { repository: mine.repository, status: "disabled" });
    const head = commit();
    const body = pushBody(mine, head);
    expect(await send("codehost", signedHeaders.github(nextSecret, body), body)).toMatchObject(
      accepted(true),
    );
    expect(await syncs(mine)).toMatchObject([{ head }]);
    expect(await syncs(other)).toMatchObject([{ head }]);
    for (const one of [elsewhere, gitlab, off]) expect(await syncs(one)).toEqual([]);
    const [seen] = await deliveries(acme, `connectorId=${mine.id}`);
    expect(seen).toMatchObject({ scope: "instance", targets: [{ connectorId: mine.id }] });
    const [seenThere] = await deliveries(globex, `connectorId=${other.id}`);
    expect(seenThere).toMatchObject({ id: seen.id, targets: [{ connectorId: other.id }] });
  });

  test("that matches no connector stores nothing", async () => {
    const count = () => server.platform.db.row(sql`select count(*) from webhook_deliveries`);
    const before = await count();
    const nobody = { repository: "nobody/nothing" };
    expect(await event("push", JSON.parse(pushBody(nobody)))).toMatchObject(ignored("no matching connector"));
    expect(await event("ping", { zen: "x" })).toMatchObject(ignored("event ignored"));
    expect(await event("repository", { action: "edited" })).toMatchObject(ignored("event ignored"));
    const headers: Headers = signedHeaders.github(instanceSecret, pushBody(nobody));
    expect(await event("push", { zen: "x" })).toMatchObject(ignored("missing push metadata"));
    expect(await event("installation", { action: "deleted" })).toMatchObject(
      ignored("missing installation id"),
    );
    const body = pushBody(nobody);
    const anonymous: Headers = { ...headers, ...signedHeaders.github(instanceSecret, body) };
    delete anonymous["x-github-delivery"];
    expect(await send("codehost", anonymous, body)).toMatchObject(ignored("missing delivery id"));
    expect(await count()).toEqual(before);
  });

  test("is answered with 503 and the reason when the instance has no secret", async () => {
    const database = await createDatabase();
    const bare = await startServer(database);
    const body = pushBody({ repository: "a/b" });
    const reply = await bare.call("/v1/webhooks/connectors/codehost", {
      body,
      headers: signedHeaders.github("x", body),
    });
    expect({ status: reply.status, body: reply.body }).toEqual({
      status: 503,
      body: { ok: false, error: "webhook secret not configured" },
    });
    await bare.close();
    await database.drop();
  });
});

describe("an installation", () => {
  const withInstallation = (connector: TestConnector, id?: number) =>
    JSON.parse(pushBody(connector, commit(), id === undefined ? {} : { installation: { id } }));

  test("must match when a connector has an installation id", async () => {
    const connector = await connect(acme, { installationId: "77" });
    expect(await event("push", withInstallation(connector))).toMatchObject(
      ignored("missing installation id"),
    );
    expect(await event("push", withInstallation(connector, 78))).toMatchObject(
      ignored("no matching connector"),
    );
    expect(await event("push", withInstallation(connector, 77))).toMatchObject(accepted(true));
  });

  test("that is suspended or removed disconnects its connectors, and reconnects them when it returns", async () => {
    const connector = await connect(acme, { installationId: "501" });
    const other = await connect(acme, { installationId: "501" });
    const bystander = await connect(acme, { installationId: "502", repository: connector.repository });
    const installation = { id: 501 };
    const state = async () => [(await connectorRow(connector))!.reason, (await connectorRow(other))!.reason];
    expect(await event("installation", { action: "suspend", installation })).toMatchObject(accepted(false));
    expect(await state()).toEqual(["installation_suspended", "installation_suspended"]);
    expect(await event("push", withInstallation(connector, 501))).toMatchObject(
      ignored("no matching connector"),
    );
    expect(await event("installation", { action: "unsuspend", installation })).toMatchObject(accepted(true));
    expect(await state()).toEqual([null, null]);
    expect(await syncs(connector)).toMatchObject([{ head: null, cause: "event" }]);
    const list = [{ full_name: connector.repository.toUpperCase() }];
    const repositories = (action: string) => ({ action, installation, [`repositories_${action}`]: list });
    expect(await event("installation_repositories", repositories("removed"))).toMatchObject(accepted(false));
    expect(await state()).toEqual(["repository_removed", null]);
    expect(await event("installation_repositories", repositories("added"))).toMatchObject({ status: 202 });
    expect(await state()).toEqual([null, null]);
    expect(await event("installation", { action: "deleted", installation })).toMatchObject(accepted(false));
    expect(await state()).toEqual(["installation_deleted", "installation_deleted"]);
    // What is over does not come back by being unsuspended.
    await event("installation", { action: "unsuspend", installation });
    expect(await state()).toEqual(["installation_deleted", "installation_deleted"]);
    expect(await connectorRow(bystander)).toMatchObject({ status: "active" });
    expect(await event("installation", { action: "deleted", installation: { id: 999 } })).toMatchObject(
      ignored("no matching connector"),
    );
  });

  test("does not enable a connector that a person disabled", async () => {
    const connector = await connect(acme, { installationId: "601", status: "disabled" });
    for (const action of ["suspend", "unsuspend"])
      await event("installation", { action, installation: { id: 601 } });
    expect(await connectorRow(connector)).toMatchObject({ status: "disabled" });
    expect(await syncs(connector)).toEqual([]);
  });
});

describe("a repository", () => {
  test("that was renamed is followed under its new name and address", async () => {
    const derived = await connect(acme, { repository: "Acme/Old-Name" });
    const bare = await connect(acme, {
      repository: "acme/old-name",
      cloneUrl: "https://git.example.com/x/acme/old-name",
    });
    const own = await connect(acme, { repository: "acme/old-name", cloneUrl: "ssh://elsewhere/thing" });
    const body = {
      action: "renamed",
      repository: { full_name: "Acme/New" },
      changes: { repository: { name: { from: "old-name" } } },
    };
    expect(await event("repository", body)).toMatchObject(accepted(false));
    expect(await connectorRow(derived)).toMatchObject({
      repository: "Acme/New",
      cloneUrl: "https://github.com/Acme/New.git",
      status: "active",
    });
    expect((await connectorRow(bare))!.cloneUrl).toBe("https://git.example.com/x/Acme/New");
    expect((await connectorRow(own))!.cloneUrl).toBe("ssh://elsewhere/thing");
    expect(await push({ ...derived, repository: "acme/new" })).toMatchObject(accepted(true));
  });

  test("that is deleted disconnects its connectors, and a plain git connector only through its own webhook", async () => {
    const connector = await connect(acme, { repository: "acme/doomed" });
    const plain = await connect(globex, { repository: "acme/doomed", codehost: "git" });
    const body = { action: "deleted", repository: { full_name: "acme/doomed" } };
    expect(await event("repository", body)).toMatchObject(accepted(false));
    expect(await connectorRow(connector)).toMatchObject({
      status: "disconnected",
      reason: "repository_deleted",
    });
    expect(await connectorRow(plain)).toMatchObject({ status: "active" });
    const text = JSON.stringify(body);
    await send(
      `codehost?connector=${plain.id}`,
      signedHeaders.github(plain.secret, text, { event: "repository" }),
      text,
    );
    expect(await connectorRow(plain)).toMatchObject({ status: "disconnected" });
  });
});

describe("a repeated delivery", () => {
  test("queues nothing, and its attempts are counted", async () => {
    const connector = await connect(acme);
    const sent = { id: randomUUID(), body: pushBody(connector) };
    expect(await push(connector, sent)).toMatchObject(accepted(true));
    for (let again = 0; again < 3; again++)
      expect(await push(connector, sent)).toMatchObject(accepted(false));
    expect(await syncs(connector)).toHaveLength(1);
    expect(await deliveries(acme, `connectorId=${connector.id}`)).toMatchObject([
      { repeats: 3, alteredAt: null },
    ]);
  });

  test("that arrives twenty times at the same moment is one delivery and one job", async () => {
    const connector = await connect(acme);
    const sent = { id: randomUUID(), body: pushBody(connector) };
    const replies = await Promise.all(Array.from({ length: 20 }, () => push(connector, sent)));
    expect(replies.map(({ status }) => status)).toEqual(Array(20).fill(202));
    expect(replies.filter(({ body }) => body.queued)).toHaveLength(1);
    expect(await syncs(connector)).toHaveLength(1);
    expect(await deliveries(acme, `connectorId=${connector.id}`)).toMatchObject([{ repeats: 19 }]);
  });

  test("with different delivery ids at the same moment queues one job for the head", async () => {
    const connector = await connect(acme);
    const body = pushBody(connector);
    const replies = await Promise.all(Array.from({ length: 20 }, () => push(connector, { body })));
    expect(replies.map(({ status }) => status)).toEqual(Array(20).fill(202));
    expect(replies.filter(({ body: reply }) => reply.queued)).toHaveLength(1);
    expect(await syncs(connector)).toHaveLength(1);
    expect(await deliveries(acme, `connectorId=${connector.id}`)).toHaveLength(20);
  });

  test("with another body is flagged and queues nothing", async () => {
    const connector = await connect(acme);
    const id = randomUUID();
    await push(connector, { id });
    expect(await push(connector, { id, body: pushBody(connector) })).toMatchObject(accepted(false));
    expect(await syncs(connector)).toHaveLength(1);
    const [{ alteredAt, repeats }] = await deliveries(acme, `connectorId=${connector.id}`);
    expect(alteredAt).toBeGreaterThan(Date.now() - 60_000);
    expect(repeats).toBe(1);
  });

  describe("with another body, to the whole instance, is flagged", () => {
    const gone = (connector: TestConnector) => pushBody({ ...connector, repository: "nobody/nothing" });
    test.each([
      ["and concerns no connector", "push", gone, accepted(false)],
      ["and has no commit", "push", () => JSON.stringify({ ref: "refs/heads/main" }), accepted(false)],
      ["and concerns no installation", "installation", () => installationBody, accepted(false)],
      ["and is not JSON", "push", () => "not JSON", { status: 400 }],
    ])("%s", async (_, name, body, reply) => {
      const connector = await connect(acme);
      const sendToInstance = (text: string, event: string, id: string) =>
        send("codehost", signedHeaders.github(instanceSecret, text, { event, id }), text);
      const [id, another] = [randomUUID(), randomUUID()];
      await sendToInstance(pushBody(connector), "push", id);
      expect(await sendToInstance(body(connector), name, id)).toMatchObject(reply);
      const [delivery] = await deliveries(acme, `connectorId=${connector.id}`);
      expect(delivery).toMatchObject({ outcome: "accepted", alteredAt: expect.any(Number), repeats: 1 });
      expect(await syncs(connector)).toHaveLength(1);
      // Without an earlier delivery, nothing is stored.
      expect((await sendToInstance(body(connector), name, another)).status).not.toBe(202);
      const { db } = server.platform;
      expect(await db.rows(sql`select from webhook_delivery_keys where delivery_id = ${another}`)).toEqual(
        [],
      );
    });
  });

  test("with another body than an invalid one is flagged, and answered with a reason of the contract", async () => {
    const connector = await connect(acme);
    const id = randomUUID();
    expect((await push(connector, { id, body: "not JSON" })).status).toBe(400);
    expect(await push(connector, { id })).toMatchObject(ignored("event ignored"));
    expect(await syncs(connector)).toEqual([]);
    const [delivery] = await deliveries(acme, `connectorId=${connector.id}`);
    expect(delivery).toMatchObject({ outcome: "invalid", alteredAt: expect.any(Number), repeats: 1 });
  });

  test("is queued again when its sync had failed", async () => {
    const connector = await connect(acme);
    const sent = { id: randomUUID(), body: pushBody(connector) };
    await push(connector, sent);
    await server.platform.db.run(
      sql`update connector_syncs set status = 'failed' where connector_id = ${connector.id}`,
    );
    expect(await push(connector, { ...sent, body: `${sent.body} ` })).toMatchObject(accepted(false));
    expect(await push(connector, sent)).toMatchObject(accepted(true));
    expect(await push(connector, sent)).toMatchObject(accepted(false));
    const all = await syncs(connector);
    expect(all).toMatchObject([{ status: "failed" }, { status: "queued" }]);
    const [{ targets }] = await deliveries(acme, `connectorId=${connector.id}`);
    expect(targets).toEqual([{ connectorId: connector.id, syncId: all[1]!.id }]);
  });

  test("queues nothing for a synced head, and queues a sync when an earlier head is pushed again", async () => {
    const connector = await connect(acme);
    const [first, second] = [commit(), commit()];
    const pushed = (head: string) => push(connector, { body: pushBody(connector, head) });
    expect(await pushed(first)).toMatchObject(accepted(true));
    await server.platform.db.run(
      sql`update connector_syncs set status = 'succeeded' where connector_id = ${connector.id}`,
    );
    expect(await pushed(first)).toMatchObject(accepted(false));
    expect(await pushed(second)).toMatchObject(accepted(true));
    expect(await pushed(first)).toMatchObject(accepted(true));
  });

  test("that was ignored is evaluated again with the current settings", async () => {
    const connector = await connect(acme, { ref: "refs/heads/next" });
    const sent = { id: randomUUID(), body: pushBody({ repository: connector.repository }) };
    expect(await push(connector, sent)).toMatchObject(ignored("no matching connector"));
    await server.platform.db.run(
      sql`update connectors set ref = 'refs/heads/main' where id = ${connector.id}`,
    );
    expect(await push(connector, sent)).toMatchObject(accepted(true));
    expect(await deliveries(acme, `connectorId=${connector.id}`)).toMatchObject([
      { outcome: "accepted", reason: null, repeats: 1 },
    ]);
  });

  test("with the same delivery id at another address is another delivery", async () => {
    const [one, two] = [await connect(acme), await connect(acme)];
    const id = randomUUID();
    for (const connector of [one, two]) expect(await push(connector, { id })).toMatchObject(accepted(true));
    const body = pushBody(one);
    expect(await send("codehost", signedHeaders.github(instanceSecret, body, { id }), body)).toMatchObject(
      accepted(true),
    );
  });
});

describe("the list of deliveries shows", () => {
  test("a ping, an event without an effect, and a push without a delivery id", async () => {
    const connector = await connect(acme);
    const at = `codehost?connector=${connector.id}`;
    expect(
      await send(at, signedHeaders.github(connector.secret, "{}", { event: "ping" }), "{}"),
    ).toMatchObject(ignored("event ignored"));
    const body = pushBody(connector);
    const headers: Headers = signedHeaders.github(connector.secret, body);
    delete headers["x-github-delivery"];
    expect(await send(at, headers, body)).toMatchObject(ignored("missing delivery id"));
    expect(await deliveries(acme, `connectorId=${connector.id}&outcome=ignored`)).toMatchObject([
      {
        event: "push",
        reason: "missing delivery id",
        targets: [{ connectorId: connector.id, syncId: null }],
      },
      { event: "ping", reason: "event ignored" },
    ]);
    expect(await deliveries(acme, `connectorId=${connector.id}&event=ping`)).toHaveLength(1);
    expect(await deliveries(acme, `connectorId=${connector.id}&outcome=accepted`)).toEqual([]);
  });

  test("a signed body that is invalid, with the problem, after a reply of 400", async () => {
    const connector = await connect(acme);
    const bad = [
      "not json",
      "[]",
      '{"ref":1}',
      '{"ref":"refs/heads/main","after":"x","repository":{"full_name":"a/b"}}',
    ];
    for (const body of bad) {
      expect(await push(connector, { body })).toMatchObject({
        status: 400,
        body: { error: "invalid_request", details: [{ message: expect.any(String) }] },
      });
    }
    const seen = await deliveries(acme, `connectorId=${connector.id}`);
    expect(seen.map(({ outcome, reason }: { outcome: string; reason: string }) => [outcome, reason])).toEqual(
      [
        "The body is not JSON.",
        "The body must be a JSON object.",
        "ref: Must be text.",
        "after: Must be a commit.",
      ]
        .map((reason) => ["invalid", reason])
        .reverse(),
    );
  });

  test("headers and body without secrets, to members who manage connectors", async () => {
    const connector = await connect(acme, { codehost: "gitlab" });
    const body = JSON.stringify({
      ...{ ref: connector.ref, after: commit(), text: "a\u0000b é" },
      project: { path_with_namespace: connector.repository },
    });
    const at = `codehost?connector=${connector.id}`;
    await send(
      at,
      { ...signedHeaders.gitlabToken(connector.secret, body), authorization: "Basic eDp5" },
      body,
    );
    const bytes = Buffer.from([0xff, 0x00, 0x80]);
    await send(at, signedHeaders.gitlab(connector.secret, bytes, { event: "Note Hook" }), bytes);
    const [binary, { id }] = await deliveries(acme, `connectorId=${connector.id}`);
    const get = async (which: string, headers: Headers) =>
      (await server.call(`/v1/webhook-deliveries/${which}`, { headers })).body.delivery;
    const text = await get(id, acme.owner.auth);
    expect(text).toMatchObject({ body, bodyEncoding: "utf-8" });
    expect(text.headers).toMatchObject({
      "x-gitlab-event": "Push Hook",
      "x-gitlab-token": "[redacted]",
    });
    expect(text.headers).not.toHaveProperty("authorization");
    expect(JSON.stringify(text)).not.toContain(connector.secret);
    expect(await get(binary.id, acme.owner.auth)).toMatchObject({
      ...{ body: null, bodyEncoding: null, bodyStored: false },
      headers: { "webhook-signature": "[redacted]" },
    });
    const member = await joinWorkspace(server, acme, "member");
    expect(await get(id, member.auth)).toMatchObject({ headers: null, body: null, event: "Push Hook" });
    expect(
      (await server.call(`/v1/webhook-deliveries/${id}/replay`, { method: "POST", headers: member.auth }))
        .status,
    ).toBe(403);
  });

  test("the beginning of a long body, cut between characters", async () => {
    const connector = await connect(acme);
    const body = pushBody(connector, commit(), { text: "é".repeat(600_000) });
    await push(connector, { body });
    const [{ id, bodyBytes }] = await deliveries(acme, `connectorId=${connector.id}`);
    const { delivery } = (await server.call(`/v1/webhook-deliveries/${id}`, { headers: acme.owner.auth }))
      .body;
    expect(bodyBytes).toBe(Buffer.byteLength(body));
    expect(delivery).toMatchObject({ bodyTruncated: true, bodyEncoding: "utf-8" });
    expect(body.startsWith(delivery.body)).toBe(true);
    expect(Buffer.byteLength(delivery.body)).toBeGreaterThan(1_048_570);
  });

  test("the size and hash of an ignored or invalid delivery, and not its body", async () => {
    const connector = await connect(acme);
    const at = `codehost?connector=${connector.id}`;
    const bytesStored = async () =>
      (await server.platform.db.row<{ bytes: number }>(sql`
        select sum(octet_length(body))::int as bytes from webhook_deliveries where org_id = ${acme.orgId}`))!
        .bytes;
    const before = await bytesStored();
    const large = JSON.stringify({ zen: "x".repeat(200_000) });
    await send(at, signedHeaders.github(connector.secret, large, { event: "ping" }), large);
    const wrong = `not json ${"x".repeat(200_000)}`;
    await send(at, signedHeaders.github(connector.secret, wrong), wrong);
    const elsewhere = pushBody({ repository: connector.repository, ref: "refs/heads/x" }, commit(), {
      bytes: 200_000,
    });
    await push(connector, { body: elsewhere });
    expect(await bytesStored()).toBe(before);
    const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
    expect(await deliveries(acme, `connectorId=${connector.id}`)).toMatchObject(
      [elsewhere, wrong, large].map((body) => ({
        ...{ bodyStored: false, bodyBytes: body.length, bodySha256: sha256(body) },
      })),
    );
  });

  test("the hash of a stored body, whatever its size, and whether a repeat has another body", async () => {
    const connector = await connect(acme);
    for (const bytes of [2_000, 200_000]) {
      const id = randomUUID();
      const body = pushBody(connector, commit(), { bytes });
      expect(await push(connector, { id, body })).toMatchObject(accepted(true));
      const bodySha256 = createHash("sha256").update(body).digest("hex");
      const first = { bodyStored: true, bodyBytes: body.length, bodySha256, repeats: 0, alteredAt: null };
      const find = async () => (await deliveries(acme, `connectorId=${connector.id}&limit=1`))[0];
      expect(await find()).toMatchObject(first);
      await push(connector, { id, body });
      expect(await find()).toMatchObject({ ...first, repeats: 1 });
      await push(connector, { id, body: pushBody(connector, commit(), { bytes }) });
      expect(await find()).toMatchObject({ ...first, repeats: 2, alteredAt: expect.any(Number) });
    }
  });

  test("every delivery once, newest first, page by page", async () => {
    const connector = await connect(acme);
    for (let n = 0; n < 5; n++) await push(connector);
    const seen: string[] = [];
    for (let cursor = ""; ; ) {
      const { body } = await server.call(
        `/v1/webhook-deliveries?connectorId=${connector.id}&limit=2${cursor}`,
        {
          headers: acme.owner.auth,
        },
      );
      seen.push(...body.items.map(({ id }: { id: string }) => id));
      if (!body.nextCursor) break;
      cursor = `&cursor=${body.nextCursor}`;
    }
    expect(seen).toHaveLength(5);
    expect(seen).toEqual([...new Set(seen)].sort().reverse());
  });
});

describe("a replay", () => {
  const replay = (id: string, workspace = acme) =>
    server.call(`/v1/webhook-deliveries/${id}/replay`, { method: "POST", headers: workspace.owner.auth });

  test("queues a failed sync again, and nothing that has succeeded", async () => {
    const connector = await connect(acme);
    await push(connector);
    const [{ id }] = await deliveries(acme, `connectorId=${connector.id}`);
    expect(await replay(id)).toMatchObject({ status: 202, body: { queued: false, delivery: { id } } });
    await server.platform.db.run(
      sql`update connector_syncs set status = 'failed' where connector_id = ${connector.id}`,
    );
    const again = await replay(id);
    expect(again).toMatchObject({ status: 202, body: { queued: true, reason: null } });
    expect(again.body.delivery.targets[0].syncId).toBe((await syncs(connector))[1]!.id);
  });

  test("of a delivery to the instance affects only the caller's own connectors", async () => {
    const mine = await connect(acme);
    const theirs = await connect(globex, { repository: mine.repository });
    const body = pushBody(mine);
    await send("codehost", signedHeaders.github(instanceSecret, body), body);
    await server.platform.db.run(sql`update connector_syncs set status = 'failed'`);
    const [{ id }] = await deliveries(acme, `connectorId=${mine.id}`);
    expect(await replay(id)).toMatchObject({ body: { queued: true } });
    expect(await syncs(mine)).toHaveLength(2);
    expect(await syncs(theirs)).toHaveLength(1);
  });

  test("of an ignored delivery needs its body, which is stored only when the code host sends it again", async () => {
    const connector = await connect(acme, { ref: "refs/heads/next" });
    const sent = { id: randomUUID(), body: pushBody({ repository: connector.repository }) };
    await push(connector, sent);
    const [{ id }] = await deliveries(acme, `connectorId=${connector.id}`);
    expect(await replay(id)).toMatchObject({ status: 409, body: { error: "delivery_body_not_stored" } });
    await server.platform.db.run(
      sql`update connectors set ref = 'refs/heads/main' where id = ${connector.id}`,
    );
    expect(await push(connector, sent)).toMatchObject(accepted(true));
    expect(await deliveries(acme, `connectorId=${connector.id}`)).toMatchObject([
      { id, outcome: "accepted", bodyStored: true, bodyBytes: sent.body.length },
    ]);
    expect(await replay(id)).toMatchObject({ status: 202, body: { queued: false } });
  });

  test("of an invalid delivery is refused with 409", async () => {
    const connector = await connect(acme);
    await push(connector, { body: "not json" });
    const [{ id }] = await deliveries(acme, `connectorId=${connector.id}`);
    expect(await replay(id)).toMatchObject({ status: 409, body: { error: "delivery_invalid" } });
    expect(await replay(id, globex)).toMatchObject({
      status: 404,
      body: { error: "webhook_delivery_not_found" },
    });
  });
});

test("a body that is stored when an ignored delivery is sent again counts towards the storage quota", async () => {
  const workspace = await createWorkspace(server);
  const connector = await connect(workspace, { ref: "refs/heads/next" });
  const used = async () => {
    await server.platform.state.get(quotaMeter).flush();
    const { items } = (await server.call("/v1/organization/quotas", { headers: workspace.owner.auth })).body;
    return items.find(({ name }: { name: string }) => name === "webhook_storage").used as number;
  };
  const sent = {
    id: randomUUID(),
    body: pushBody({ repository: connector.repository }, commit(), { bytes: 20_000 }),
  };
  expect(await push(connector, sent)).toMatchObject(ignored("no matching connector"));
  const before = await used();
  await server.platform.db.run(sql`update connectors set ref = 'refs/heads/main' where id = ${connector.id}`);
  expect(await push(connector, sent)).toMatchObject(accepted(true));
  expect((await used()) - before).toBe(sent.body.length);
  // Only the request that stores the body counts it.
  await push(connector, sent);
  expect((await used()) - before).toBe(sent.body.length);
});

describe("limits of the webhook address", () => {
  test("a delivery id may have 200 characters of any kind that a header can hold", async () => {
    const connector = await connect(acme);
    expect(await push(connector, { id: "x".repeat(200) })).toMatchObject(accepted(true));
    expect(await push(connector, { id: "x".repeat(201) })).toMatchObject({
      status: 400,
      body: { error: "invalid_request", details: [{ path: ["x-github-delivery"] }] },
    });
    const odd = "é'\"\\ %00 {}";
    const reply = await push(connector, { id: odd });
    expect(reply).toMatchObject({ status: 202, body: { deliveryId: odd } });
    expect((await deliveries(acme, `connectorId=${connector.id}`))[0].deliveryId).toBe(odd);
  });

  test("a body of 25 MiB is accepted, and one byte more is refused with 413", async () => {
    const connector = await connect(acme);
    const limit = 25 * 1024 * 1024;
    const body = pushBody(connector, commit(), { bytes: limit - 100 });
    const padded = body + " ".repeat(limit - Buffer.byteLength(body));
    expect(await push(connector, { body: padded })).toMatchObject(accepted(true));
    expect(await push(connector, { body: `${padded} ` })).toMatchObject({
      status: 413,
      body: { error: "payload_too_large" },
    });
  });

  test("a body with more values than can be parsed is refused, and the list of deliveries says why", async () => {
    const connector = await connect(acme);
    const body = `{"values":[${"0,".repeat(2_100_000)}0]}`;
    const message = "The body has more than 2,000,000 values.";
    expect(await push(connector, { body })).toMatchObject({
      status: 400,
      body: { error: "invalid_request", details: [{ message }] },
    });
    expect(await deliveries(acme, `connectorId=${connector.id}`)).toMatchObject([
      { outcome: "invalid", reason: message },
    ]);
  });

  test("old deliveries are removed, in small steps, and their targets with them", async () => {
    const connector = await connect(acme);
    for (let n = 0; n < 3; n++) await push(connector);
    const [newest] = await deliveries(acme, `connectorId=${connector.id}`);
    const { db } = server.platform;
    for (const { id, deliveryId } of (await deliveries(acme, `connectorId=${connector.id}`)).slice(1)) {
      const old = newIdAt("whd", Date.now() - 91 * 86_400_000);
      await db.run(sql`update webhook_deliveries set id = ${old} where id = ${id}`);
      await db.run(sql`update webhook_delivery_keys set id = ${old} where delivery_id = ${deliveryId}`);
    }
    await pruneDeliveries(server.platform, Date.now() + 10_000);
    expect(await deliveries(acme, `connectorId=${connector.id}`)).toMatchObject([{ id: newest.id }]);
    expect(await syncs(connector)).toHaveLength(3);
    expect(await db.rows(sql`select id from webhook_delivery_keys where scope = ${connector.id}`)).toEqual([
      { id: newest.id },
    ]);
  });
});

test("workers are woken for every new sync, however it was recorded", async () => {
  const told: string[] = [];
  const forget = server.platform.bus.subscribe("connectors.sync", {
    onMessage: (id) => told.push(id),
    onGap: () => {},
  });
  const [one, two] = [await connect(acme), await connect(acme)];
  await push(one);
  await push(two, { body: pushBody(two, "0".repeat(40)) });
  await expect.poll(() => told.filter((id) => id === one.id || id === two.id).length).toBe(2);
  forget();
});
