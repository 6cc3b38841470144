import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import {
  createDb,
  type Engine,
  migrate,
  openEmbedded,
  openPostgres,
  readMigrations,
  sql,
} from "../../src/platform/db/index.ts";
import { createKeyring } from "../../src/platform/keyring.ts";
import { writeCluster } from "../cluster.ts";
import { isPostgresAvailable, makeDatabase } from "../postgres.ts";
import {
  ada,
  type CommandResult,
  cleanUp,
  copyFolder,
  type Env,
  freshFolder,
  killAll,
  serve,
  signalbox,
} from "./kit.ts";

afterAll(cleanUp);

const first = "the first secret, which is long enough";
const second = "the second secret, which is long enough";

/** Expects that the command failed with one line for the operator and printed nothing else. */
function expectRefusal({ code, stdout, stderr }: CommandResult, sentence: RegExp): void {
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(sentence);
  expect(stderr.trim().split("\n")).toHaveLength(1);
}

const starts = async (dataDir: string | undefined, env: Env) => {
  const server = await serve(dataDir, env);
  expect((await server.call("/ready")).status).toBe(200);
  expect(await server.end("SIGTERM")).toBe(0);
};

describe("an embedded instance", () => {
  let dataDir: string;
  let secret: string;
  beforeAll(async () => {
    dataDir = copyFolder(inject("preparedFolder"));
    secret = readFileSync(join(dataDir, "secret"), "utf8");
    const server = await serve(dataDir);
    expect((await server.call("/api/auth/sign-up/email", { body: ada })).status).toBe(200);
    await server.end("SIGTERM");
  });

  test("does not start with another secret in its folder", async () => {
    const file = join(dataDir, "secret");
    writeFileSync(file, first);
    const refused = await signalbox(["serve"], dataDir);
    expectRefusal(
      refused,
      /^The secret in \S+\/secret is not the secret that this database is sealed with\. /,
    );
    expect(refused.stderr).toContain("SIGNALBOX_SECRET_PREVIOUS");
    expectRefusal(await signalbox(["mail"], dataDir), /^The secret in /);
    const doctor = await signalbox(["doctor"], dataDir);
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toMatch(/^✗ secret: The secret in \S+\/secret is not the secret/m);
    writeFileSync(file, secret);
    await starts(dataDir, {});
  });

  test("does not start without its secret, and does not create a new one", async () => {
    const file = join(dataDir, "secret");
    rmSync(file);
    expectRefusal(
      await signalbox(["serve"], dataDir),
      /^\S+\/secret is missing: .* Restore it, or set SIGNALBOX_SECRET/,
    );
    expect(existsSync(file)).toBe(false);
    expectRefusal(
      await signalbox(["serve"], dataDir, { SIGNALBOX_SECRET: first }),
      /^SIGNALBOX_SECRET is not the secret that this database is sealed with\. /,
    );
    await starts(dataDir, { SIGNALBOX_SECRET: secret });
  });

  test("reads its secret from the file that SIGNALBOX_SECRET_FILE names", async () => {
    const file = join(freshFolder(), "..", "signalbox.secret");
    expectRefusal(
      await signalbox(["serve"], dataDir, { SIGNALBOX_SECRET_FILE: file }),
      /^SIGNALBOX_SECRET_FILE names \S+, which does not exist\. /,
    );
    writeFileSync(file, "short\n");
    expectRefusal(
      await signalbox(["serve"], dataDir, { SIGNALBOX_SECRET_FILE: file }),
      /^SIGNALBOX_SECRET_FILE names \S+, which contains less than 32 characters\. /,
    );
    writeFileSync(file, `${secret}\n`);
    await starts(dataDir, { SIGNALBOX_SECRET_FILE: file });
    expectRefusal(
      await signalbox(["serve"], dataDir, { SIGNALBOX_SECRET_FILE: file, SIGNALBOX_SECRET: secret }),
      /^SIGNALBOX_SECRET and SIGNALBOX_SECRET_FILE are both set\. Keep one of them\.$/m,
    );
  });

  test("refuses --accept-loss alone with a secret that opens no value", async () => {
    const mistyped = { SIGNALBOX_SECRET: `${secret}x` };
    const refused = await signalbox(["reseal", "--accept-loss"], dataDir, mistyped);
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toContain("mails.text: 0 under the current secret, 1 under a secret that is not");
    expect(refused.stderr).toMatch(
      /^None of the \d+ sealed or signed values is under a configured secret\. /m,
    );
    expect(refused.stderr).toContain("`signalbox reseal --accept-loss --lose-everything`");
    expectRefusal(await signalbox(["serve"], dataDir, mistyped), /^SIGNALBOX_SECRET is not/);
    await starts(dataDir, { SIGNALBOX_SECRET: secret });
    const alone = await signalbox(["reseal", "--lose-everything"], dataDir, mistyped);
    expect(alone).toMatchObject({ code: 2, stdout: "" });
  });

  test("starts again without a secret that is lost, once the operator has accepted the loss", async () => {
    const lost = { SIGNALBOX_SECRET: first };
    const everything = ["reseal", "--accept-loss", "--lose-everything"];
    const accepted = await signalbox(everything, dataDir, lost);
    // The sign-up mail stays sealed, and the audit log signed, with the lost secret.
    expect(accepted.code).toBe(1);
    expect(accepted.stdout).toContain(
      "mails.text: 0 under the current secret, 1 under a secret that is not configured.",
    );
    expect(accepted.stderr).toContain("put it into SIGNALBOX_SECRET_PREVIOUS and run `signalbox reseal`");
    await starts(dataDir, lost);
    expectRefusal(
      await signalbox(["serve"], dataDir, { SIGNALBOX_SECRET: secret }),
      /^SIGNALBOX_SECRET is not/,
    );
  });

  test("opens everything again when the lost secret is found", async () => {
    const found = { SIGNALBOX_SECRET: first, SIGNALBOX_SECRET_PREVIOUS: secret };
    expect(await signalbox(["reseal"], dataDir, found)).toMatchObject({ code: 0, stderr: "" });
    const { code, stdout } = await signalbox(["mail", "--last"], dataDir, { SIGNALBOX_SECRET: first });
    expect(code).toBe(0);
    expect(stdout).toContain(ada.email);
  });
});

describe.skipIf(!(await isPostgresAvailable()))("an instance on PostgreSQL", () => {
  let database: Awaited<ReturnType<typeof makeDatabase>>;
  let other: typeof database;
  beforeAll(async () => {
    [database, other] = [await makeDatabase(), await makeDatabase()];
  });
  afterAll(async () => {
    await cleanUp();
    await database.drop();
    await other.drop();
  });
  const on = (SIGNALBOX_SECRET: string, more: Env = {}): Env => ({
    DATABASE_URL: database.url,
    SIGNALBOX_SECRET,
    ...more,
  });
  const query = async (text: string) => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query(text);
    await client.end();
    return rows;
  };

  test("starts only with its own secret", async () => {
    const server = await serve(undefined, on(first));
    expect((await server.call("/api/auth/sign-up/email", { body: ada })).status).toBe(200);
    await server.end("SIGTERM");
    expectRefusal(
      await signalbox(["serve"], undefined, on(second)),
      /^SIGNALBOX_SECRET is not the secret that this database is sealed with\. /,
    );
    expectRefusal(
      await signalbox(["serve"], undefined, on("")),
      /^SIGNALBOX_SECRET must be set when DATABASE_URL is/,
    );
    expectRefusal(await signalbox(["demo"], undefined, on(second)), /^SIGNALBOX_SECRET is not/);
    await starts(undefined, on(first));
  });

  test("of a version that recorded no secret recognizes its secret by the sealed values", async () => {
    await query("delete from secret_canaries");
    expectRefusal(await signalbox(["serve"], undefined, on(second)), /^SIGNALBOX_SECRET is not/);
    expect(await query("select 1 from secret_canaries")).toEqual([]);
    await starts(undefined, on(first));
    expect(await query("select 1 from secret_canaries")).toHaveLength(1);
  });

  test("needs both secrets from the beginning of a rotation to its end", async () => {
    await starts(undefined, on(second, { SIGNALBOX_SECRET_PREVIOUS: first }));
    // Both secrets have sealed values by now, so neither is enough alone.
    for (const secret of [first, second])
      expectRefusal(
        await signalbox(["serve"], undefined, on(secret)),
        /^Some values in this database are sealed with another secret/,
      );
    const rotating = on(second, { SIGNALBOX_SECRET_PREVIOUS: first });
    expect((await signalbox(["reseal", "--check"], undefined, rotating)).code).toBe(3);
    expect(await signalbox(["reseal"], undefined, rotating)).toMatchObject({ code: 0, stderr: "" });
    await starts(undefined, on(second));
    expectRefusal(await signalbox(["serve"], undefined, on(first)), /^SIGNALBOX_SECRET is not/);
  });

  test("replicas that start together on an empty database with different secrets: one starts", async () => {
    const start = (secret: string) => serve(undefined, { DATABASE_URL: other.url, SIGNALBOX_SECRET: secret });
    const replicas = await Promise.allSettled([start(first), start(second)]);
    const failed = replicas.filter((one) => one.status === "rejected");
    expect(failed).toHaveLength(1);
    expect(String(failed[0]!.reason)).toContain(
      "SIGNALBOX_SECRET is not the secret that this database is sealed with",
    );
    const [started] = replicas.filter((one) => one.status === "fulfilled");
    expect((await started!.value.call("/ready")).status).toBe(200);
  });
});

/** The last migration before databases recorded their secrets. */
const lastWithoutCanaries = 15;

interface EarlierDatabase {
  dataDir: string | undefined;
  env: Env;
  open(): Promise<Engine>;
  drop(): Promise<void>;
}

const earlierDatabases: Record<string, () => Promise<EarlierDatabase>> = {
  embedded: async () => {
    const dataDir = freshFolder();
    await writeCluster(dataDir);
    return { dataDir, env: {}, open: () => openEmbedded(dataDir), drop: async () => {} };
  },
};
if (await isPostgresAvailable())
  earlierDatabases.PostgreSQL = async () => {
    const { url, drop } = await makeDatabase();
    const open = () => openPostgres(url, { poolSize: 1, onError: () => {} });
    return { dataDir: undefined, env: { DATABASE_URL: url }, open, drop };
  };

describe.each(Object.entries(earlierDatabases))(
  "a database (%s) of a version that recorded no secret",
  (_engine, make) => {
    let earlier: EarlierDatabase;
    const on = (SIGNALBOX_SECRET: string): Env => ({ ...earlier.env, SIGNALBOX_SECRET });
    const onDatabase = async <T>(work: (db: ReturnType<typeof createDb>) => Promise<T>): Promise<T> => {
      const engine = await earlier.open();
      try {
        return await work(createDb(engine));
      } finally {
        await engine.close();
      }
    };
    const countMigrations = () =>
      onDatabase(
        async (db) =>
          (await db.row<{ count: number }>(sql`select count(*)::int as count from schema_migrations`))!.count,
      );

    beforeAll(async () => {
      earlier = await make();
      await onDatabase((db) => migrate(db, readMigrations().slice(0, lastWithoutCanaries)));
    });
    afterAll(async () => {
      await killAll();
      await earlier.drop();
    });

    test("is not migrated by a start with another secret than that of its sealed values", async () => {
      const place = { table: "mails", row: "mail_1", column: "text" };
      const text = createKeyring(first).seal("Hello Ada", place);
      await onDatabase((db) =>
        db.run(sql`insert into mails (id, recipient, subject, text, status)
          values ('mail_1', 'ada@example.com', 'Hello', ${text}, 'kept')`),
      );
      for (const command of ["serve", "migrate", "demo"])
        expectRefusal(
          await signalbox([command], earlier.dataDir, on(second)),
          /^SIGNALBOX_SECRET is not the secret that this database is sealed with\. /,
        );
      expect(await countMigrations()).toBe(lastWithoutCanaries);
    });

    test("is not migrated by a start with another secret than that of its audit signatures", async () => {
      const signature = createKeyring(first).sign("audit chain", "the end of a chain");
      await onDatabase(async (db) => {
        await db.run(sql`delete from mails`);
        await db.run(sql`insert into audit_chains (scope, seq, previous, hash, signature)
          values ('instance', 0, '', '', ${signature})`);
      });
      expectRefusal(await signalbox(["serve"], earlier.dataDir, on(second)), /^SIGNALBOX_SECRET is not/);
      expect(await countMigrations()).toBe(lastWithoutCanaries);
    });

    test("lists pending migrations with any secret", async () => {
      const checked = await signalbox(["migrate", "--check"], earlier.dataDir, on(second));
      expect(checked).toMatchObject({ code: 3, stderr: "" });
    });

    test("is migrated without its secret once the operator has accepted the loss", async () => {
      const migrated = await signalbox(["migrate", "--accept-loss"], earlier.dataDir, on(second));
      expect(migrated).toMatchObject({
        code: 0,
        stderr: "",
        stdout: expect.stringMatching(/^Applied: entry, /),
      });
      // `serve` still refuses the secret. Only `reseal` accepts the loss of sealed values.
      expectRefusal(await signalbox(["serve"], earlier.dataDir, on(second)), /^SIGNALBOX_SECRET is not/);
    });

    test("starts with its own secret", () => starts(earlier.dataDir, on(first)));
  },
);
