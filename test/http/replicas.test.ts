/** Several processes on one PostgreSQL are one service. The embedded database has one process by design. */
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import {
  createDb,
  migrate,
  openPostgres,
  pendingMigrations,
  readMigrations,
  sql,
} from "../../src/platform/db/index.ts";
import { newId } from "../../src/platform/ids.ts";
import { type Job, job } from "../../src/platform/jobs/index.ts";
import {
  createDatabase,
  createKey,
  createMcpToken,
  createRole,
  createWorkspace,
  joinWorkspace,
  openTestPlatform,
  signIn,
  signUp,
  startServer,
  type TestDatabase,
  type TestServer,
} from "../harness.ts";
import { makeDatabase } from "../postgres.ts";
import { connectDirectory } from "../scim.ts";
import { insertConnector, pushBody, signedHeaders } from "../webhooks.ts";

const onPostgres = inject("engine") === "postgres";

describe.skipIf(!onPostgres)("two replicas on one database (PostgreSQL only)", () => {
  let database: TestDatabase;
  let here: TestServer;
  let there: TestServer;
  beforeAll(async () => {
    database = await createDatabase();
    here = await startServer(database);
    there = await startServer(database);
  });
  afterAll(async () => {
    await Promise.all([here?.close(), there?.close()]);
    await database?.drop();
  });

  const loseNotifications = () =>
    here.platform.db.rows(sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'signalbox listen' and datname = current_database()`);

  /** Until the other replica refuses; more than a second is too late. */
  async function millisecondsUntil(refuses: () => Promise<boolean>): Promise<number> {
    const started = performance.now();
    while (!(await refuses())) {
      if (performance.now() - started > 5_000) return Number.POSITIVE_INFINITY;
      await pause(10);
    }
    return performance.now() - started;
  }

  test("a session and a key from one replica are valid at the other", async () => {
    const acme = await createWorkspace(here);
    const key = await createKey(there, acme.owner);
    for (const server of [here, there]) {
      expect((await server.call("/v1/organization", { headers: acme.owner.auth })).status).toBe(200);
      expect((await server.call("/v1/organization", { headers: key.auth })).status).toBe(200);
    }
  });

  test("an organization created at one replica is the active one at the other", async () => {
    const ada = await signUp(here);
    expect((await there.call("/v1/me", { headers: ada.auth })).body.activeOrganizationId).toBeNull();
    const made = await here.call("/v1/organizations", { body: { name: "New" }, headers: ada.auth });
    await expect
      .poll(async () => (await there.call("/v1/me", { headers: ada.auth })).body.activeOrganizationId)
      .toBe(made.body.organization.id);
  });

  test("sign-in attempts at both replicas count together", async () => {
    const ada = await signUp(here);
    const statuses: number[] = [];
    for (let i = 0; i < 12; i++) {
      const body = { email: ada.email, password: `wrong ${i}` };
      statuses.push((await (i % 2 ? here : there).call("/api/auth/sign-in/email", { body })).status);
    }
    expect(statuses).toEqual([...Array(10).fill(401), 429, 429]);
  });

  test("a request sent to both replicas at the same moment with one Idempotency-Key acts once", async () => {
    const acme = await createWorkspace(here);
    const headers = { ...acme.owner.auth, "idempotency-key": "both" };
    const replies = await Promise.all(
      [here, there, here, there].map((server) =>
        server.call("/v1/api-keys", { body: { name: "both" }, headers }),
      ),
    );
    expect(new Set(replies.map(({ body }) => body.key)).size).toBe(1);
  });

  test("a webhook secret works at every replica after its 201, and at none a second after its 204", async () => {
    const acme = await createWorkspace(here);
    const connector = await insertConnector(here.platform, acme.orgId);
    const path = `/v1/webhooks/connectors/codehost?connector=${connector.id}`;
    const deliver = async (server: TestServer, secret: string) => {
      const body = pushBody(connector);
      return (await server.call(path, { body, headers: signedHeaders.github(secret, body) })).status;
    };
    const secrets = `/v1/connectors/${connector.id}/webhook-secrets`;
    const { auth: headers } = acme.owner;
    for (let round = 0; round < 10; round++) {
      // Both replicas cache the connector's secrets while bad signatures arrive.
      for (const server of [here, there]) expect(await deliver(server, "not a secret of it")).toBe(401);
      const noise = deliver(there, "not a secret of it");
      const added = await here.call(secrets, { method: "POST", headers });
      expect(added.status).toBe(201);
      const statuses = await Promise.all(
        [there, here].map((server) => deliver(server, added.body.webhookSecret)),
      );
      expect(statuses).toEqual([202, 202]);
      expect(await noise).toBe(401);
      const { id } = added.body.secret;
      expect((await here.call(`${secrets}/${id}`, { method: "DELETE", headers })).status).toBe(204);
      expect(await deliver(here, added.body.webhookSecret)).toBe(401);
      const late = await millisecondsUntil(
        async () => (await deliver(there, added.body.webhookSecret)) === 401,
      );
      expect(late).toBeLessThan(1_000);
    }
  });

  test("a connector created at one replica accepts its first delivery at the other, which refused it before", async () => {
    const acme = await createWorkspace(here);
    const id = newId("con");
    const path = `/v1/webhooks/connectors/codehost?connector=${id}`;
    const secret = "a secret of the new connector";
    const body = pushBody({ repository: "acme/new" });
    const deliver = async () =>
      (await there.call(path, { body, headers: signedHeaders.github(secret, body) })).status;
    expect(await deliver()).toBe(401);
    await insertConnector(here.platform, acme.orgId, { id, repository: "acme/new", secret });
    expect(await deliver()).toBe(202);
  });

  /** Each way to lose access, done at one replica while the other has just been asked. */
  const endings: Record<
    string,
    () => Promise<{ end: () => Promise<unknown>; refused: () => Promise<boolean> }>
  > = {
    "a key that is removed": async () => {
      const acme = await createWorkspace(here);
      const key = await createKey(here, acme.owner);
      return {
        end: () => here.call(`/v1/api-keys/${key.id}`, { method: "DELETE", headers: acme.owner.auth }),
        refused: async () => (await there.call("/v1/me", { headers: key.auth })).status === 401,
      };
    },
    "a session that signs out": async () => {
      const ada = await signUp(here);
      return {
        end: () => here.call("/api/auth/sign-out", { method: "POST", headers: ada.auth }),
        refused: async () => (await there.call("/v1/me", { headers: ada.auth })).status === 401,
      };
    },
    "a key whose member is removed": async () => {
      const acme = await createWorkspace(here);
      const member = await joinWorkspace(here, acme, "member");
      const key = await createKey(here, member);
      return {
        end: () =>
          here.call(`/v1/members/${member.memberId}`, { method: "DELETE", headers: acme.owner.auth }),
        refused: async () => (await there.call("/v1/me", { headers: key.auth })).status === 401,
      };
    },
    "a member who is removed": async () => {
      const acme = await createWorkspace(here);
      const member = await joinWorkspace(here, acme, "member");
      return {
        end: () =>
          here.call(`/v1/members/${member.memberId}`, { method: "DELETE", headers: acme.owner.auth }),
        refused: async () => (await there.call("/v1/organization", { headers: member.auth })).status === 403,
      };
    },
    "a member whom the directory deactivates": async () => {
      const acme = await createWorkspace(here);
      const member = await joinWorkspace(here, acme, "member");
      const directory = await connectDirectory(here, acme);
      const { id } = (await directory.createUser(member.email)).body;
      return {
        end: () => directory.patch(`/Users/${id}`, { op: "replace", path: "active", value: false }),
        refused: async () => (await there.call("/v1/organization", { headers: member.auth })).status === 403,
      };
    },
    "a key whose member the directory removes": async () => {
      const acme = await createWorkspace(here);
      const member = await joinWorkspace(here, acme, "member");
      const key = await createKey(here, member);
      const directory = await connectDirectory(here, acme);
      const { id } = (await directory.createUser(member.email)).body;
      return {
        end: () => directory.call(`/Users/${id}`, { method: "DELETE" }),
        refused: async () => (await there.call("/v1/me", { headers: key.auth })).status === 401,
      };
    },
    "a SCIM token that is ended": async () => {
      const acme = await createWorkspace(here);
      const directory = await connectDirectory(here, acme);
      const { auth: headers } = acme.owner;
      return {
        end: () => here.call("/v1/scim/token", { body: { endEarlierTokens: true }, headers }),
        refused: async () => (await there.call("/scim/v2/Users", { headers: directory.auth })).status === 401,
      };
    },
    "a role that loses its permissions": async () => {
      const acme = await createWorkspace(here);
      const role = await createRole(here, acme.owner, ["organization:read"]);
      const member = await joinWorkspace(here, acme, role.id);
      return {
        end: () =>
          here.call(`/v1/roles/${role.id}`, {
            method: "PATCH",
            body: { permissions: [] },
            headers: acme.owner.auth,
          }),
        refused: async () => (await there.call("/v1/organization", { headers: member.auth })).status === 403,
      };
    },
    "a role that is taken away": async () => {
      const acme = await createWorkspace(here);
      const admin = await joinWorkspace(here, acme, "admin");
      return {
        end: () =>
          here.call(`/v1/members/${admin.memberId}`, {
            method: "PATCH",
            body: { role: "member" },
            headers: acme.owner.auth,
          }),
        refused: async () => {
          const change = { method: "PATCH", body: {}, headers: admin.auth };
          return (await there.call("/v1/organization", change)).status === 403;
        },
      };
    },
    "an MCP token that is removed": async () => {
      const acme = await createWorkspace(here);
      const token = await createMcpToken(here, acme.owner);
      return {
        end: () => here.call(`/v1/mcp/tokens/${token.id}`, { method: "DELETE", headers: acme.owner.auth }),
        refused: async () => (await there.call("/v1/me", { headers: token.auth })).status === 401,
      };
    },
    "a key that is rotated": async () => {
      const acme = await createWorkspace(here);
      const key = await createKey(here, acme.owner);
      return {
        end: () => here.call(`/v1/api-keys/${key.id}/rotate`, { body: {}, headers: acme.owner.auth }),
        refused: async () => (await there.call("/v1/me", { headers: key.auth })).status === 401,
      };
    },
    "a session that is ended from another": async () => {
      const ada = await signUp(here);
      const other = await signIn(here, ada);
      return {
        end: () => here.call("/v1/me/sessions/end-others", { method: "POST", headers: ada.auth }),
        refused: async () => (await there.call("/v1/me", { headers: other })).status === 401,
      };
    },
    "an account that is deleted": async () => {
      const ada = await signUp(here);
      return {
        end: () => here.call("/v1/me", { method: "DELETE", body: { confirm: ada.email }, headers: ada.auth }),
        refused: async () => (await there.call("/v1/me", { headers: ada.auth })).status === 401,
      };
    },
    "an organization that is deleted": async () => {
      const acme = await createWorkspace(here);
      const bob = await joinWorkspace(here, acme, "member");
      const { slug } = (await here.call("/v1/organization", { headers: bob.auth })).body.organization;
      return {
        end: () =>
          here.call("/v1/organization", {
            method: "DELETE",
            body: { confirm: slug },
            headers: acme.owner.auth,
          }),
        refused: async () => (await there.call("/v1/organization", { headers: bob.auth })).status === 403,
      };
    },
  };

  test.each(Object.entries(endings))("%s is refused at the other within a second", async (_, prepare) => {
    const { end, refused } = await prepare();
    expect(await refused()).toBe(false);
    await end();
    expect(await millisecondsUntil(refused)).toBeLessThan(1_000);
  });

  test.each(Object.entries(endings))(
    "%s is refused within a second even when the announcement is lost",
    async (_, prepare) => {
      const { end, refused } = await prepare();
      expect(await refused()).toBe(false);
      await loseNotifications();
      await end();
      expect(await millisecondsUntil(refused)).toBeLessThan(1_000);
    },
  );

  test("a removal is effective at its own replica as soon as it is answered", async () => {
    const acme = await createWorkspace(here);
    for (let i = 0; i < 20; i++) {
      const key = await createKey(here, acme.owner);
      await here.call("/v1/me", { headers: key.auth });
      await here.call(`/v1/api-keys/${key.id}`, { method: "DELETE", headers: acme.owner.auth });
      expect((await here.call("/v1/me", { headers: key.auth })).status).toBe(401);
    }
  });

  test("bus messages arrive again after the connection was lost", async () => {
    const heard: string[] = [];
    let gaps = 0;
    const stop = there.platform.bus.subscribe("test", {
      onMessage: (payload) => heard.push(payload),
      onGap: () => gaps++,
    });
    await loseNotifications();
    await expect.poll(() => gaps, { timeout: 3_000 }).toBeGreaterThan(0);
    await here.platform.bus.publish(here.platform.db, "test", "hello again");
    await expect.poll(() => heard).toEqual(["hello again"]);
    stop();
  });

  test("a connection that is lost inside a transaction fails that transaction only", async () => {
    const { db } = here.platform;
    const lost = db.transaction(async (tx) => {
      const self = await tx.row<{ pid: number }>(sql`select pg_backend_pid() as pid`);
      await there.platform.db.run(sql`select pg_terminate_backend(${self!.pid})`);
      await pause(200);
      await tx.run(sql`select 1`);
    });
    await expect(lost).rejects.toThrow();
    const idle = db.transaction(async (tx) => {
      const self = await tx.row<{ pid: number }>(sql`select pg_backend_pid() as pid`);
      await there.platform.db.run(sql`select pg_terminate_backend(${self!.pid})`);
      await pause(200);
    });
    await expect(idle).rejects.toThrow();
    expect((await here.call("/ready")).status).toBe(200);
  });
});

describe.skipIf(!onPostgres)("a schema (PostgreSQL only: the embedded one has a single process)", () => {
  async function withEmptyDatabase(work: (database: TestDatabase) => Promise<void>) {
    const empty = await makeDatabase();
    try {
      await work({ kind: "postgres", ...empty });
    } finally {
      await empty.drop();
    }
  }

  test("is migrated once by replicas that start together on an empty database", async () => {
    await withEmptyDatabase(async (database) => {
      const servers = await Promise.all([1, 2, 3].map(() => startServer(database, { role: "all" })));
      try {
        for (const server of servers) expect((await server.call("/ready")).status).toBe(200);
        const migrated = servers.filter(({ logLines }) =>
          logLines.some((line) => line.includes("database migrated")),
        );
        expect(migrated).toHaveLength(1);
        const rows = await servers[0]!.platform.db.rows<{ version: number }>(
          sql`select version from schema_migrations order by version`,
        );
        expect(rows.map(({ version }) => version)).toEqual(readMigrations().map(({ version }) => version));
        await createWorkspace(servers[2]!);
      } finally {
        await Promise.all(servers.map((server) => server.close()));
      }
    });
  });

  test("that a newer program migrated is refused, and the error says what to do", async () => {
    await withEmptyDatabase(async ({ url }) => {
      const engine = await openPostgres(url!, { onError: () => {} });
      const db = createDb(engine);
      await migrate(db);
      await db.run(
        sql`insert into schema_migrations (version, name, checksum) values (9999, 'from_the_future', 'x')`,
      );
      await expect(migrate(db)).rejects.toThrow(
        /9999 \(from_the_future\).*newer Signalbox.*Start that version/s,
      );
      await expect(pendingMigrations(db)).rejects.toThrow(/newer Signalbox/);
      await engine.close();
    });
  });

  test("whose history differs is refused, and a failed migration leaves no changes", async () => {
    await withEmptyDatabase(async ({ url }) => {
      const engine = await openPostgres(url!, { onError: () => {} });
      const db = createDb(engine);
      const migrations = readMigrations();
      const next = { version: migrations.length + 1, name: "halfway", checksum: "x" };
      const broken = [...migrations, { ...next, text: "create table halfway (a int); select 1 / 0;" }];
      await expect(migrate(db, broken)).rejects.toThrow(/division by zero/);
      expect(await db.row(sql`select to_regclass('halfway') as t, to_regclass('users') as u`)).toEqual({
        t: null,
        u: null,
      });
      await migrate(db);
      await db.run(sql`update schema_migrations set checksum = 'edited' where version = 1`);
      await expect(migrate(db)).rejects.toThrow(
        /Migration 1 \(foundation\) differs.*Restore the original file/s,
      );
      await engine.close();
    });
  });
});

describe.skipIf(!onPostgres)("work across replicas (PostgreSQL only)", () => {
  const ran: { by: string; minute: number }[] = [];
  const kinds = (by: string) => {
    const everyMinute = job({
      name: "test.every-minute",
      schedule: "* * * * *",
      handle: async () => void ran.push({ by, minute: Math.floor(Date.now() / 60_000) }),
    });
    const shared = job<{ n: number }>({
      name: "test.shared",
      handle: async (_platform, { n }) => {
        shareOut.push({ by, n });
        await pause(20);
      },
    });
    return { everyMinute, shared, all: [everyMinute, shared] as readonly Job[] };
  };
  const shareOut: { by: string; n: number }[] = [];
  let database: TestDatabase;
  const platforms: Awaited<ReturnType<typeof openTestPlatform>>[] = [];
  const a = kinds("a");
  beforeAll(async () => {
    database = await createDatabase();
    for (const by of ["a", "b"]) {
      const { all } = kinds(by);
      const platform = await openTestPlatform(database, { jobs: all, works: true });
      platforms.push(platform);
      await platform.jobs.work(platform, all);
    }
  });
  afterAll(async () => {
    await Promise.all(platforms.map((platform) => platform.close(500)));
    await database?.drop();
  });

  test("every job runs once, and both replicas run some", async () => {
    const [first] = platforms;
    for (let n = 0; n < 40; n++) await first!.jobs.add(first!.db, a.shared, { n });
    await expect.poll(() => shareOut.length, { timeout: 10_000 }).toBe(40);
    await pause(200);
    expect(shareOut.map(({ n }) => n).sort((x, y) => x - y)).toEqual(Array.from({ length: 40 }, (_, n) => n));
    expect(new Set(shareOut.map(({ by }) => by))).toEqual(new Set(["a", "b"]));
  });

  test("a scheduled job runs once for each time it was due", async () => {
    await expect.poll(() => ran.length, { timeout: 120_000, interval: 250 }).toBeGreaterThan(0);
    // Long enough for the other replica to find it due as well.
    await pause(45_000);
    const minutes = ran.map(({ minute }) => minute);
    expect(ran.length).toBeLessThanOrEqual(Math.max(...minutes) - Math.min(...minutes) + 1);
  }, 200_000);
});

describe.skipIf(!onPostgres)("roles (PostgreSQL only: the embedded database has one process)", () => {
  let database: TestDatabase;
  const servers: Partial<Record<"api" | "worker", TestServer>> = {};
  beforeAll(async () => {
    database = await createDatabase();
  });
  afterAll(async () => {
    await Promise.all(Object.values(servers).map((server) => server.close()));
    await database?.drop();
  });

  test("`api` adds jobs and does not run them; `worker` runs them and serves only pages for operators", async () => {
    // Nobody listens there; a delivery is tried and fails, which is how we see that it was tried.
    const token = "a-token-for-the-metrics";
    const env = {
      SMTP_URL: "smtp://127.0.0.1:9",
      PUBLIC_URL: "http://signalbox.test",
      METRICS_TOKEN: token,
    };
    servers.api = await startServer(database, { role: "api", env });
    const ada = await signUp(servers.api);
    const tried = async () =>
      (await servers.api!.platform.db.row<{ error: string | null }>(
        sql`select error from mails where recipient = ${ada.email}`,
      ))!.error;
    await pause(3_000);
    expect(await tried()).toBeNull();
    servers.worker = await startServer(database, { role: "worker", env });
    await expect.poll(tried, { timeout: 8_000 }).toMatch(/ECONNREFUSED/);

    for (const path of ["/health", "/ready", "/version", "/metrics"]) {
      const headers = { authorization: `Bearer ${token}` };
      expect((await servers.worker.call(path, { headers })).status).toBe(200);
    }
    for (const path of ["/v1/me", "/v1/organizations", "/api/auth/sign-in/email"]) {
      expect(await servers.worker.call(path, { headers: ada.auth })).toMatchObject({
        status: 404,
        body: { error: "route_not_found" },
      });
    }
    expect((await servers.api.call("/v1/me", { headers: ada.auth })).status).toBe(200);
  });
});
