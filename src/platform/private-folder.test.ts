import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readConfig } from "./config.ts";
import { lockFolder } from "./db/index.ts";
import { createLog } from "./log.ts";
import { openDatabase } from "./open.ts";

const isRoot = process.getuid?.() === 0;
if (!isRoot) console.warn("SKIPPED: tests that need a second user run as root only.");
/** The uid of another user. */
const nobody = 65534;

let parent: string;
let folder: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "signalbox-private-"));
  // Other users can reach the folder itself.
  chmodSync(parent, 0o755);
  folder = join(parent, "data");
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

const readMode = (path: string) => statSync(path).mode & 0o777;

/** Returns all files below a folder on which other users have any permission. */
function openToOthers(path: string): string[] {
  return readdirSync(path, { recursive: true, encoding: "utf8" }).filter(
    (name) => (readMode(join(path, name)) & 0o077) !== 0,
  );
}

describe("the data folder", () => {
  // It creates a database, which takes a while on a busy machine.
  test("is private to its owner with everything in it, also with a umask that lets others read", {
    timeout: 120_000,
  }, async () => {
    const before = process.umask(0);
    try {
      const database = await openDatabase(readConfig({ DATA_DIR: folder }), { log: createLog("silent") });
      const whileOpen = openToOthers(folder);
      await database.close();
      expect(readMode(folder)).toBe(0o700);
      expect(whileOpen).toEqual([]);
      expect(openToOthers(folder)).toEqual([]);
    } finally {
      process.umask(before);
    }
  });

  test("that other users could enter is made private with everything in it, and a warning is logged", async () => {
    mkdirSync(join(folder, "pg.old/base"), { recursive: true });
    writeFileSync(join(folder, "pg.old/base/1"), "x");
    for (const name of ["pg.old", "pg.old/base", "pg.old/base/1"]) chmodSync(join(folder, name), 0o777);
    writeFileSync(join(folder, "secret"), "s".repeat(40), { mode: 0o644 });
    chmodSync(folder, 0o755);
    const warnings: string[] = [];
    const log = createLog("silent");
    log.warn = ((_: object, text: string) => void warnings.push(text)) as typeof log.warn;
    const database = await openDatabase(readConfig({ DATA_DIR: folder }), { log, schema: "leave" });
    await database.close();
    expect(readMode(folder)).toBe(0o700);
    expect(openToOthers(folder)).toEqual([]);
    expect(readMode(join(folder, "pg.old/base/1"))).toBe(0o700);
    expect(warnings).toEqual([expect.stringContaining("was open to other users of this machine")]);
  });

  test("is not used through a symbolic link", () => {
    mkdirSync(join(parent, "elsewhere"));
    symlinkSync(join(parent, "elsewhere"), folder);
    expect(() => lockFolder(folder)).toThrow(/^DATA_DIR .*data is a symbolic link to .*elsewhere\. /);
  });

  test("with a symbolic link instead of a file is refused", () => {
    mkdirSync(folder, { mode: 0o700 });
    symlinkSync(join(parent, "elsewhere"), join(folder, "lock"));
    expect(() => lockFolder(folder)).toThrow(/lock is a symbolic link/);
  });

  test.skipIf(!isRoot)("that another user created is refused", () => {
    mkdirSync(folder, { mode: 0o777 });
    chownSync(folder, nobody, nobody);
    expect(() => lockFolder(folder)).toThrow(/^DATA_DIR .*data belongs to another user \(uid 65534\)/);
    expect(readdirSync(folder)).toEqual([]);
  });

  test.skipIf(!isRoot)("with a file of another user in it is refused", async () => {
    mkdirSync(folder, { mode: 0o777 });
    chmodSync(folder, 0o777);
    writeFileSync(join(folder, "secret"), "x".repeat(40));
    chownSync(join(folder, "secret"), nobody, nobody);
    await expect(
      openDatabase(readConfig({ DATA_DIR: folder }), { log: createLog("silent"), schema: "leave" }),
    ).rejects.toThrow(/secret belongs to another user \(uid 65534\)/);
  });

  test.skipIf(!isRoot)("may contain the lost+found folder of a file system", async () => {
    mkdirSync(join(folder, "lost+found"), { recursive: true, mode: 0o700 });
    chownSync(join(folder, "lost+found"), nobody, nobody);
    const opening = openDatabase(readConfig({ DATA_DIR: folder }), {
      log: createLog("silent"),
      schema: "leave",
    });
    await (await opening).close();
    expect(statSync(join(folder, "lost+found")).uid).toBe(nobody);
  });

  test.skipIf(!isRoot)("cannot be locked by another user, even when it was open to all before", () => {
    mkdirSync(folder, { mode: 0o777 });
    chmodSync(folder, 0o777);
    writeFileSync(join(folder, "lock"), "");
    chmodSync(join(folder, "lock"), 0o666);
    const hold = `
      const { DatabaseSync } = require("node:sqlite");
      const file = new DatabaseSync(${JSON.stringify(join(folder, "lock"))});
      file.exec("pragma locking_mode = exclusive; begin exclusive;");
      console.log("held");`;
    const asNobody = () =>
      spawnSync(process.execPath, ["-e", hold], { uid: nobody, gid: nobody, cwd: "/", encoding: "utf8" });
    expect(asNobody().stdout).toBe("held\n");
    const lock = lockFolder(folder);
    expect(lock).toBeDefined();
    lock!.release();
    const refused = asNobody();
    expect(refused.stdout).toBe("");
    expect(refused.stderr).toContain("unable to open database file");
    expect(() => execFileSync("ls", [folder], { uid: nobody, gid: nobody, stdio: "pipe" })).toThrow(
      /Permission denied/,
    );
  });
});
