/** Databases whose settings differ from what Signalbox needs. */
import pg from "pg";
import { afterAll, describe, expect, test } from "vitest";
import { isPostgresAvailable, makeDatabase } from "../postgres.ts";
import { ada, cleanUp, freshFolder, serve, signalbox } from "./kit.ts";

const databases: { drop(): Promise<void> }[] = [];
afterAll(async () => {
  await cleanUp();
  for (const database of databases) await database.drop();
});

const SIGNALBOX_SECRET = "a secret for the tests, long enough";
async function makeUrl(settings = ""): Promise<string> {
  const database = await makeDatabase("sbx_settings", settings);
  databases.push(database);
  return database.url;
}

const withEncoding = (encoding: string) =>
  `encoding '${encoding}' template template0 lc_collate 'C' lc_ctype 'C'`;

describe.skipIf(!(await isPostgresAvailable()))("a database", () => {
  test.each(["LATIN1", "SQL_ASCII"])("with the encoding %s is refused, with what to do", async (encoding) => {
    const env = { SIGNALBOX_SECRET, DATABASE_URL: await makeUrl(withEncoding(encoding)) };
    const { code, stdout, stderr } = await signalbox(["migrate"], undefined, env);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(`has the encoding ${encoding}; Signalbox needs UTF8.`);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    const found = await signalbox(["doctor"], undefined, env);
    expect(found.code).toBe(1);
    expect(found.stdout).toContain("create database … encoding 'UTF8'");
  });

  test("in which the role may not create tables is refused, with what to do", async () => {
    const url = new URL(await makeUrl());
    const name = url.pathname.slice(1);
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    await client.query(`create role ${name} login`);
    try {
      url.username = name;
      const env = { SIGNALBOX_SECRET, DATABASE_URL: url.href };
      for (const command of ["migrate", "serve"]) {
        const { code, stdout, stderr } = await signalbox([command], undefined, env);
        expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
        expect(stderr).toMatch(
          /^The role of the database lacks a right: permission denied[^\n]*\. Let it own the database: [^\n]*\n$/,
        );
      }
    } finally {
      await client.query(`drop role ${name}`);
      await client.end();
    }
  });

  test("whose DateStyle is not ISO gives the same times, also with settings in the URL", async () => {
    const url = `${await makeUrl()}?options=-c%20search_path%3Dpublic`;
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { pathname } = new URL(url);
    await client.query(`alter database ${pathname.slice(1)} set DateStyle = 'German'`);
    await client.end();
    const server = await serve(undefined, { SIGNALBOX_SECRET, DATABASE_URL: url });
    const { body } = await server.call("/api/auth/sign-up/email", { body: ada });
    const me = await server.call("/v1/me", { headers: { authorization: `Bearer ${body.token}` } });
    expect(me.status).toBe(200);
    expect(Math.abs(me.body.user.createdAt - Date.now())).toBeLessThan(600_000);
    expect(await server.end("SIGTERM")).toBe(0);
  });

  test("is not restored over while it is served with a name of its own in the URL", async () => {
    const DATABASE_URL = `${await makeUrl()}?application_name=ours`;
    const env = { SIGNALBOX_SECRET, DATABASE_URL };
    const server = await serve(undefined, env);
    const file = `${freshFolder()}.backup`;
    expect((await signalbox(["backup", file], undefined, env)).code).toBe(0);
    expect(await signalbox(["restore", "--replace", file], undefined, env)).toMatchObject({
      code: 1,
      stderr: "Signalbox is running on this database. Stop all its processes first.\n",
    });
    expect(await server.end("SIGTERM")).toBe(0);
  });
});
