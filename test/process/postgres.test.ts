import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isPostgresAvailable, makeDatabase } from "../postgres.ts";
import { ada, adaSignIn, cleanUp, serve, signalbox } from "./kit.ts";

// `npm test` reports once that there is no PostgreSQL.
describe.skipIf(!(await isPostgresAvailable()))("on PostgreSQL", () => {
  let database: Awaited<ReturnType<typeof makeDatabase>>;
  let env: Record<string, string>;
  beforeAll(async () => {
    database = await makeDatabase();
    env = { DATABASE_URL: database.url, SIGNALBOX_SECRET: "a secret for the tests, long enough" };
  });
  afterAll(async () => {
    await cleanUp();
    await database.drop();
  });

  test("an API and a worker start together on an empty database, and a command works while they run", async () => {
    expect((await signalbox(["migrate", "--check"], undefined, env)).code).toBe(3);
    const [api, worker] = await Promise.all([
      serve(undefined, env, ["--role", "api"]),
      serve(undefined, env, ["--role", "worker"]),
    ]);
    expect((await api.call("/api/auth/sign-up/email", { body: ada })).status).toBe(200);
    expect((await worker.call("/ready")).status).toBe(200);
    expect((await worker.call("/api/auth/sign-in/email", { body: adaSignIn })).status).toBe(404);
    const mail = await signalbox(["mail", "--last"], undefined, env);
    expect(mail.stdout).toContain(`To: ${ada.email}`);
    expect((await api.call("/version")).body.instance).toBe((await worker.call("/version")).body.instance);
    expect(await Promise.all([api.end("SIGTERM"), worker.end("SIGINT")])).toEqual([0, 0]);
  });

  test("a database that a newer version migrated is refused with one sentence", async () => {
    const { default: pg } = await import("pg");
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query(
      "insert into schema_migrations (version, name, checksum) values (9999, 'from_the_future', 'x')",
    );
    await client.end();
    const { code, stdout, stderr } = await signalbox(["serve"], undefined, env);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(
      /^The database has migration 9999 \(from_the_future\)[^\n]*migrated by a newer Signalbox[^\n]*\n$/,
    );
    const doctor = await signalbox(["doctor"], undefined, env);
    expect(doctor.stdout).toMatch(/^✗ migrations: The database has migration 9999/m);
  });

  test("an unknown database or password is reported in one sentence", async () => {
    const url = Object.assign(new URL(database.url), { pathname: "/sbx_no_such_database" });
    const { code, stderr } = await signalbox(["migrate"], undefined, { ...env, DATABASE_URL: url.href });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^There is no database sbx_no_such_database at [^\n]*\n$/);
  });
});
