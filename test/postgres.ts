import { randomBytes } from "node:crypto";
import pg from "pg";

/** Where the tests find a PostgreSQL they may make databases on. */
export const postgresUrl = process.env.TEST_DATABASE_URL ?? "postgres://root@127.0.0.1:5432/postgres";

export async function isPostgresAvailable(): Promise<boolean> {
  try {
    await admin("select 1");
    return true;
  } catch {
    return false;
  }
}

async function admin(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: postgresUrl, connectionTimeoutMillis: 3_000 });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

const buildUrl = (name: string) => Object.assign(new URL(postgresUrl), { pathname: `/${name}` }).href;

export async function makeDatabase(
  prefix = "sbx_test",
  settings = "",
): Promise<{ name: string; url: string; drop(): Promise<void> }> {
  const name = `${prefix}_${randomBytes(6).toString("hex")}`;
  await admin(`create database ${name} ${settings}`);
  return { name, url: buildUrl(name), drop: () => admin(`drop database if exists ${name} with (force)`) };
}

/** A copy of a migrated database takes a tenth of a second; migrating one takes many. */
export async function cloneDatabase(template: string): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `sbx_test_${randomBytes(6).toString("hex")}`;
  for (let attempt = 0; ; attempt++) {
    try {
      await admin(`create database ${name} template ${template}`);
      // No test on a copy is about power cuts, and waiting for the disk takes much of the time.
      await admin(`alter database ${name} set synchronous_commit = off`);
      break;
    } catch (error) {
      // Another test file is copying from it at this moment.
      if (attempt > 100 || (error as { code?: string }).code !== "55006") throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  return { url: buildUrl(name), drop: () => admin(`drop database if exists ${name} with (force)`) };
}
