import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findLockHolder, lockFolder } from "./folder-lock.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "signalbox-lock-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("the lock of a data folder", () => {
  test("has one holder at a time, and a new holder after its release", () => {
    const lock = lockFolder(folder)!;
    expect(lockFolder(folder)).toBeUndefined();
    lock.release();
    const next = lockFolder(folder);
    expect(next).toBeDefined();
    next!.release();
  });

  test("shows other processes who holds it, until it is released", () => {
    const lock = lockFolder(folder)!;
    expect(findLockHolder(folder)).toBeUndefined();
    lock.announce({ pid: 7, control: "/there" });
    expect(findLockHolder(folder)).toEqual({ pid: 7, control: "/there" });
    expect(statSync(join(folder, "holder.json")).mode & 0o777).toBe(0o600);
    lock.release();
    expect(findLockHolder(folder)).toBeUndefined();
  });

  test("ends when its process is killed, whatever files the process leaves", async () => {
    const program = `
      const { lockFolder } = await import(${JSON.stringify(join(import.meta.dirname, "folder-lock.ts"))});
      // A global keeps the lock: without a reference it is released by the garbage collector.
      globalThis.lock = lockFolder(${JSON.stringify(folder)});
      globalThis.lock.announce({ pid: process.pid });
      console.log("held");
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", program]);
    await once(child.stdout, "data");
    expect(lockFolder(folder)).toBeUndefined();
    expect(findLockHolder(folder)).toEqual({ pid: child.pid });
    child.kill("SIGKILL");
    await once(child, "close");
    expect(existsSync(join(folder, "holder.json"))).toBe(true);
    const lock = lockFolder(folder);
    expect(lock).toBeDefined();
    lock!.release();
  });

  test("creates the folder for its owner only", () => {
    const made = join(folder, "deep", "data");
    lockFolder(made)!.release();
    expect(statSync(made).mode & 0o777).toBe(0o700);
  });

  test("a file in place of the folder is reported in one sentence", () => {
    const file = join(folder, "file");
    writeFileSync(file, "");
    expect(() => lockFolder(file)).toThrow(/^DATA_DIR .*file cannot be used/);
  });

  test.skipIf(process.getuid?.() === 0)("a folder that is not writable is reported in one sentence", () => {
    chmodSync(folder, 0o500);
    expect(() => lockFolder(folder)).toThrow(/^DATA_DIR .* cannot be used/);
  });
});
