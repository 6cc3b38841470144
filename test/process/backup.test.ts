import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  watch,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { findServer, sendCommand } from "../../src/platform/control.ts";
import { isPostgresAvailable, makeDatabase } from "../postgres.ts";
import {
  ada,
  adaSignIn,
  type CommandResult,
  cleanUp,
  copyFolder,
  type Env,
  freshFolder,
  type RunningServer,
  serve,
  signalbox,
} from "./kit.ts";

afterAll(cleanUp);

const secret = "a secret for the tests, long enough";
const other = "another secret for the tests, long enough";

/** An instance that runs, and an empty place for its backup. */
interface Instance {
  dataDir: string | undefined;
  env: Env;
}
const databases: { drop(): Promise<void> }[] = [];
const makeInstances: Record<string, (isEmpty: boolean) => Promise<Instance>> = {
  embedded: async (isEmpty) => ({
    dataDir: isEmpty ? freshFolder() : copyFolder(inject("preparedFolder")),
    env: {},
  }),
};
if (await isPostgresAvailable())
  makeInstances.PostgreSQL = async () => {
    const database = await makeDatabase();
    databases.push(database);
    return { dataDir: undefined, env: { DATABASE_URL: database.url, SIGNALBOX_SECRET: secret } };
  };
afterAll(async () => {
  await cleanUp();
  for (const database of databases) await database.drop();
});

describe.each(Object.entries(makeInstances))("a running instance (%s)", (name, make) => {
  let source: Instance;
  let server: RunningServer;
  let file: string;
  beforeAll(async () => {
    source = await make(false);
    server = await serve(source.dataDir, source.env);
    expect((await server.call("/api/auth/sign-up/email", { body: ada })).status).toBe(200);
    const folder = dirname(freshFolder());
    file = join(folder, "signalbox.backup");
  });

  test("is backed up while it serves, with a passphrase", async () => {
    const passphrase = "correct horse battery\n";
    const args = ["backup", "--passphrase", "--json", file];
    const { code, stdout, stderr } = await signalbox(args, source.dataDir, source.env, passphrase);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({ file, encrypted: true });
    expect((await server.call("/api/auth/sign-in/email", { body: adaSignIn })).status).toBe(200);
    expect(readFileSync(file, "latin1")).not.toContain(ada.email);
    if (source.dataDir)
      expect(readdirSync(source.dataDir).filter((one) => one.startsWith("pg.copy"))).toEqual([]);
    const again = await signalbox(["backup", file], source.dataDir, source.env);
    expect(again).toMatchObject({ code: 1, stderr: `${file} exists already. Choose another name.\n` });
  });

  test.runIf(name === "embedded")("does not mix its copy with one that a killed backup left", async () => {
    const left = join(source.dataDir!, "pg.copy-7");
    mkdirSync(left);
    writeFileSync(join(left, "left"), "");
    const order = { command: "backup", args: ["--copy-for", "7"] };
    const signal = new AbortController().signal;
    expect(await sendCommand(findServer(source.dataDir!)!, order, { out() {}, err() {}, signal })).toBe(0);
    const copied = readdirSync(left);
    rmSync(left, { recursive: true });
    expect(copied).toContain("pg_wal");
    expect(copied).not.toContain("left");
  });

  test.runIf(name === "embedded")("keeps no copy for a backup that was stopped meanwhile", async () => {
    const changes: (string | null)[] = [];
    const watcher = watch(source.dataDir!, (_event, changed) => changes.push(changed));
    const body = JSON.stringify({ command: "backup", args: ["--copy-for", "8"] });
    const socket = connect(findServer(source.dataDir!)!);
    socket.write(`POST /orders HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`, () =>
      socket.destroy(),
    );
    await expect.poll(() => changes, { timeout: 10_000 }).toContain("pg.copy-8");
    watcher.close();
    await expect.poll(() => existsSync(join(source.dataDir!, "pg.copy-8")), { timeout: 10_000 }).toBe(false);
  });

  test("is backed up once when two commands write to one file at the same time", async () => {
    const twice = join(dirname(file), "twice.backup");
    const abandoned = `${twice}.0.unfinished`;
    writeFileSync(abandoned, "left by a killed backup");
    utimesSync(abandoned, 0, 0);
    const back = () => signalbox(["backup", twice], source.dataDir, source.env);
    const both = await Promise.all([back(), back()]);
    expect(both.map(({ code }) => code).sort()).toEqual([0, 1]);
    expect(both.map(({ stderr }) => stderr).sort()).toEqual([
      "",
      `${twice} exists already. Choose another name.\n`,
    ]);
    expect(await signalbox(["restore", "--check", twice])).toMatchObject({ code: 0 });
    expect(readdirSync(dirname(twice)).filter((name) => name.endsWith(".unfinished"))).toEqual([]);
  });

  test("shows the backup in `doctor`", async () => {
    const { stdout } = await signalbox(["doctor"], source.dataDir, source.env);
    expect(stdout).toMatch(/^✓ backup: the last one is from /m);
  });

  test("is not restored over while it serves", async () => {
    const args = ["restore", "--replace", "--passphrase", file];
    const { code, stderr } = await signalbox(args, source.dataDir, source.env, "correct horse battery\n");
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Signalbox is running on /);
    expect((await server.call("/api/auth/sign-in/email", { body: adaSignIn })).status).toBe(200);
  });

  test("is restored into an empty database, which refuses another secret and keeps its data", async () => {
    const target = await make(true);
    const restore = (env: Env, ...options: string[]) =>
      signalbox(
        ["restore", "--passphrase", ...options, file],
        target.dataDir,
        env,
        "correct horse battery\n",
      );
    if (target.dataDir) {
      const missing = await restore(target.env);
      expect(missing.stderr).toMatch(/^The secret of the instance is missing\. /);
      expect(existsSync(join(target.dataDir, "secret"))).toBe(false);
    }
    const wrong = await restore({ ...target.env, SIGNALBOX_SECRET: other });
    expect(wrong.stderr).toMatch(/^SIGNALBOX_SECRET is not the secret that this database is sealed with/);
    if (target.dataDir) {
      mkdirSync(target.dataDir, { recursive: true, mode: 0o700 });
      cpSync(join(source.dataDir!, "secret"), join(target.dataDir, "secret"));
    }
    const checked = await restore(target.env, "--check");
    expect(checked.stdout).toMatch(/^The backup is complete: \d+ rows of \d+ tables /);
    // Of two at the same time, one restores, and the other one does not replace it.
    const [restored, refused] = (await Promise.all([restore(target.env), restore(target.env)])).toSorted(
      (one, another) => Number(one.code) - Number(another.code),
    ) as [CommandResult, CommandResult];
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(restored).toMatchObject({ code: 0, stderr: "" });
    expect(restored.stdout).toMatch(/^Restored \d+ rows /);
    expect((await restore(target.env)).stderr).toMatch(/^The database is not empty\. Nothing was changed\./);
    const copy = await serve(target.dataDir, target.env);
    expect((await copy.call("/api/auth/sign-in/email", { body: adaSignIn })).status).toBe(200);
    const mail = await signalbox(["mail", "--last"], target.dataDir, target.env);
    expect(mail.stdout).toContain(`To: ${ada.email}`);
    expect(await copy.end("SIGTERM")).toBe(0);
  });

  test(`that has stopped is backed up too (${name})`, async () => {
    expect(await server.end("SIGTERM")).toBe(0);
    const path = `${file}.offline`;
    const { code, stdout } = await signalbox(["backup", path], source.dataDir, source.env);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Wrote \d+ rows of \d+ tables to /);
    expect((await signalbox(["restore", "--check", path], source.dataDir, source.env)).code).toBe(0);
  });
});
