import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { createWorkspace, useServer, type Workspace } from "../../../../test/harness.ts";
import { insertConnector, pushBody, signedHeaders, type TestConnector } from "../../../../test/webhooks.ts";
import { jobs } from "../../../app.ts";
import { type Db, sql } from "../../../platform/db/index.ts";
import { compile } from "../../../platform/db/sql.ts";
import { toNetwork } from "../../../platform/http/index.ts";
import { newId } from "../../../platform/ids.ts";
import { createLog } from "../../../platform/log.ts";
import { createRefusalLog, refusalLog } from "./collector.ts";

const server = useServer({ env: { CODEHOST_WEBHOOK_SECRET: "the secret of the instance" } });
let acme: Workspace;
beforeAll(async () => {
  acme = await createWorkspace(server);
});

type Headers = Record<string, string>;
const connect = () => insertConnector(server.platform, acme.orgId);
const send = (to: string, headers: Headers, body: string) =>
  server.call(`/v1/webhooks/connectors/${to}`, { body, headers });
const list = async ({ id }: Pick<TestConnector, "id">, query = "") =>
  server.call(`/v1/connectors/${id}/refused-deliveries${query}`, { headers: acme.owner.auth });
/** Writes the collected refusals, as a process does when it stops. */
const flush = () => server.platform.state.get(refusalLog).flush();
const refusal = (connectorId: string, address = "192.0.2.1") =>
  ({ connectorId, address, dialect: "github", reason: "signature_mismatch" }) as const;
const countRows = async () =>
  (await server.platform.db.row<{ n: number }>(sql`select count(*)::int as n from refused_deliveries`))!.n;

describe("a refused delivery", () => {
  test("is shown to people who may read the connector, with time, address, dialect and reason", async () => {
    const connector = await connect();
    const body = pushBody(connector);
    const good: Headers = signedHeaders.github(connector.secret, body);
    const { "x-hub-signature-256": signature, ...unsigned } = good;
    const to = `codehost?connector=${connector.id}`;
    const late: Headers = {
      "content-type": "application/json",
      "webhook-id": randomUUID(),
      "webhook-timestamp": String(Math.floor(Date.now() / 1000) - 3_600),
      "webhook-signature": `v1,${Buffer.alloc(32).toString("base64")}`,
    };
    const wrong: [string, Headers, string | null, string][] = [
      [to, signedHeaders.github("another secret", body), "github", "signature_mismatch"],
      [to, unsigned, "github", "signature_missing"],
      [to, { ...good, "x-hub-signature-256": signature!.slice(0, -1) }, "github", "signature_malformed"],
      [to, late, "gitlab", "timestamp_out_of_range"],
      [to, { ...late, "webhook-id": "" }, "gitlab", "signature_missing"],
      [to, { "content-type": "application/json" }, null, "unknown_code_host"],
      [`gitlab?connector=${connector.id}`, good, "github", "other_code_host"],
    ];
    const started = Date.now();
    for (const [path, headers] of wrong)
      expect(await send(path, headers, body)).toMatchObject({
        status: 401,
        body: { ok: false, error: "invalid signature" },
      });
    expect((await send(to, good, body)).status).toBe(202);
    await vi.waitFor(
      async () => expect((await list(connector)).body.items).toHaveLength(wrong.length),
      10_000,
    );
    const { items } = (await list(connector)).body;
    expect(items).toEqual(
      wrong.reverse().map(([, , dialect, reason]) => ({
        id: expect.stringMatching(/^rfd_/),
        address: "127.0.0.1",
        dialect,
        reason,
        refusedAt: expect.any(Number),
      })),
    );
    for (const { refusedAt } of items) {
      expect(refusedAt).toBeGreaterThanOrEqual(started);
      expect(refusedAt).toBeLessThanOrEqual(Date.now());
    }
    const first = (await list(connector, "?limit=3")).body;
    const rest = (await list(connector, `?cursor=${first.nextCursor}`)).body;
    expect([...first.items, ...rest.items]).toEqual(items);
    expect(rest.nextCursor).toBeNull();
  });

  test("has its own reason for a connector without secrets", async () => {
    const connector = await connect();
    await server.platform.db.run(sql`delete from connector_secrets where connector_id = ${connector.id}`);
    const body = pushBody(connector);
    await send(`codehost?connector=${connector.id}`, signedHeaders.github(connector.secret, body), body);
    await flush();
    expect((await list(connector)).body.items).toMatchObject([{ reason: "no_webhook_secret" }]);
  });

  test("to the whole instance, or to a connector that is not there, leaves no trace", async () => {
    const before = await countRows();
    const body = pushBody({ repository: "acme/playbook" });
    const headers = signedHeaders.github("another secret", body);
    for (const to of ["codehost", `codehost?connector=${newId("con")}`, "codehost?connector=garbage"])
      expect((await send(to, headers, body)).status).toBe(401);
    await flush();
    expect(await countRows()).toBe(before);
    const metrics = await server.call("/metrics");
    expect(metrics.body).toMatch(
      /^webhook_deliveries_refused_total\{scope="instance",reason="signature_mismatch"\} \d+$/m,
    );
  });

  test("is not shown to another organization", async () => {
    const connector = await connect();
    const globex = await createWorkspace(server, "Globex");
    const path = `/v1/connectors/${connector.id}/refused-deliveries`;
    expect(await server.call(path, { headers: globex.owner.auth })).toMatchObject({
      status: 404,
      body: { error: "connector_not_found" },
    });
    expect((await list({ id: "garbage" })).status).toBe(404);
  });

  test("is kept even when another network sends many more", async () => {
    const [connector, other] = [await connect(), await connect()];
    const log = createRefusalLog(server.platform.db, server.platform.log);
    const note = (address: string, { id } = connector) => log.note(refusal(id, address));
    const countByNetwork = async (of = connector) => {
      const counts: Record<string, number> = {};
      for (const { address } of (await list(of, "?limit=100")).body.items) {
        const network = toNetwork(address);
        counts[network] = (counts[network] ?? 0) + 1;
      }
      return counts;
    };
    note("192.0.2.10");
    await log.flush();
    // One host can use a whole /64, and each flood is larger than what is kept.
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 60; i++) note(`2001:db8:0:1::${(round * 60 + i + 1).toString(16)}`);
      note("192.0.2.10");
      note("2001:db8:0:2::1");
      await log.flush();
      expect(await countByNetwork()).toEqual({
        "2001:db8:0:1::/64": 25,
        "2001:db8:0:2::/64": round + 1,
        "192.0.2.10": round + 2,
      });
    }
    const { items } = (await list(connector, "?limit=100")).body;
    const flooding = items.filter(({ address }: { address: string }) => address.startsWith("2001:db8:0:1:"));
    expect(flooding[0].address).toBe("2001:db8:0:1::91");

    // Two networks leave room for a third. Each IPv4 address counts as a network, and so does `unknown`.
    for (const address of ["198.51.100.1", "198.51.100.2", "unknown", "198.51.100.1", "198.51.100.2"]) {
      for (let i = 0; i < 40; i++) note(address, other);
      await log.flush();
      note("fe80::1%eth0", other);
    }
    for (let i = 0; i < 40; i++) for (const n of [1, 2]) note(`198.51.100.${n}`, other);
    note("fe80::2%eth1", other);
    await log.flush();
    const counts = await countByNetwork(other);
    expect(counts["fe80::/64"]).toBe(6);
    expect(counts.unknown).toBeGreaterThanOrEqual(14);
    expect(Object.values(counts).reduce((sum, count) => sum + count)).toBe(50);
  });

  test("is one of the last 50, and is deleted when it is old or its connector is removed", async () => {
    const [connector, other] = [await connect(), await connect()];
    const body = "{}";
    const headers = signedHeaders.github("another secret", body);
    await send(`codehost?connector=${other.id}`, headers, body);
    const log = createRefusalLog(server.platform.db, createLog("silent"));
    for (let i = 0; i < 60; i++) log.note(refusal(connector.id, `192.0.2.${i % 10}`));
    await log.flush();
    for (let i = 0; i < 60; i++) log.note(refusal(connector.id, `192.0.2.${i % 10}`));
    await log.flush();
    await send(`codehost?connector=${connector.id}`, { "x-event-key": "repo:push" }, body);
    await flush();
    const { items } = (await list(connector, "?limit=100")).body;
    expect(items).toHaveLength(50);
    expect(items[0]).toMatchObject({ dialect: "bitbucket", reason: "signature_missing" });
    expect((await list(other)).body.items).toHaveLength(1);

    await server.platform.db.run(sql`
      update refused_deliveries set refused_at = now() - interval '91 days' where connector_id = ${other.id}`);
    const oldest = sql`select id from refused_deliveries where connector_id = ${other.id}`;
    await server.platform.db.run(
      sql`update refused_deliveries set id = 'rfd_0' || substr(id, 6) where id in (${oldest})`,
    );
    await jobs.find(({ name }) => name === "webhooks.prune")!.handle(server.platform, {});
    expect((await list(other)).body.items).toEqual([]);
    expect((await list(connector)).body.items).toHaveLength(50);
    await server.call(`/v1/connectors/${connector.id}`, { method: "DELETE", headers: acme.owner.auth });
    const left = sql`select 1 from refused_deliveries where connector_id = ${connector.id}`;
    expect(await server.platform.db.rows(left)).toEqual([]);
  });
});

describe("a flood of bad signatures", () => {
  /** A database that counts and records its statements instead of running them. */
  function countingDb() {
    const written: unknown[][] = [];
    let statements = 0;
    const { db } = server.platform;
    const run: Db["run"] = async (statement) => {
      statements++;
      for (const value of compile(statement).values)
        if (typeof value === "string" && value.startsWith("[")) written.push(JSON.parse(value));
      return 1;
    };
    return { db: { ...db, run }, written, statements: () => statements };
  }
  test("is written with two statements, and takes at most half of the stored refusals of a connector", async () => {
    const { db, written, statements } = countingDb();
    const log = createRefusalLog(db, createLog("silent"));
    const id = newId("con");
    for (let i = 0; i < 100_000; i++) log.note(refusal(id));
    await log.flush();
    expect(statements()).toBe(2);
    expect(written[0]).toHaveLength(25);
    await log.flush();
    expect(statements()).toBe(2);
  });

  test("from one network with invented connector ids leaves space for others and uses bounded memory", async () => {
    const { db, written } = countingDb();
    const log = createRefusalLog(db, createLog("silent"));
    for (let i = 0; i < 5_000; i++) log.note(refusal(newId("con"), `2001:db8::${(i % 9_999) + 1}`));
    const mine = newId("con");
    for (let i = 0; i < 60; i++) for (const n of [7, 8, 9]) log.note(refusal(mine, `192.0.2.${n}`));
    await log.flush();
    expect(written[0]!.length).toBeLessThanOrEqual(1_000);
    const ofMine = (written[0] as { connectorId: string }[]).filter(
      ({ connectorId }) => connectorId === mine,
    );
    // Three networks share what is kept, and leave an equal part for a fourth.
    expect(ofMine.length).toBeGreaterThanOrEqual(36);
    expect(ofMine.length).toBeLessThan(50);
  });

  test("adds only a few microseconds to each refusal", () => {
    const log = createRefusalLog(countingDb().db, createLog("silent"));
    const ids = Array.from({ length: 100 }, () => newId("con"));
    const started = performance.now();
    for (let i = 0; i < 50_000; i++) log.note(refusal(ids[i % 100]!));
    expect((performance.now() - started) / 50_000).toBeLessThan(0.05);
  });
});
