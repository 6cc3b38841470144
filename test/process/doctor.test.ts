import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, inject, test } from "vitest";
import { cleanUp, copyFolder, signalbox } from "./kit.ts";

afterAll(cleanUp);

test("`doctor --fix` makes the folder and the secret private, and removes copies of killed backups only", async () => {
  const dataDir = copyFolder(inject("preparedFolder"));
  const secret = join(dataDir, "secret");
  const [left, used] = [join(dataDir, "pg.copy-4194999"), join(dataDir, `pg.copy-${process.pid}`)];
  for (const folder of [left, used]) {
    mkdirSync(folder, { mode: 0o700 });
    writeFileSync(join(folder, "PG_VERSION"), "18", { mode: 0o600 });
  }
  chmodSync(secret, 0o644);
  chmodSync(dataDir, 0o755);
  const found = await signalbox(["doctor"], dataDir);
  expect(found.code).toBe(1);
  expect(found.stdout).toMatch(/^! data folder: .* can be entered by other users/m);
  expect(found.stdout).toMatch(/^✗ secret file: .* can be read by other users/m);
  expect(found.stdout).toMatch(/^! copies: .*pg\.copy-4194999 was left by a backup/m);
  chmodSync(secret, 0o644);
  chmodSync(dataDir, 0o755);
  const fixed = await signalbox(["doctor", "--fix"], dataDir);
  expect(fixed.stdout).toMatch(/^✓ data folder: repaired: only the owner can open /m);
  expect(fixed.stdout).toMatch(/^✓ secret file: repaired: only the owner can open /m);
  expect(fixed.stdout).toMatch(/^✓ copies: repaired: removed pg\.copy-4194999$/m);
  expect(fixed.code).toBe(0);
  expect(statSync(secret).mode & 0o777).toBe(0o600);
  expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  expect([existsSync(left), existsSync(used)]).toEqual([false, true]);
});
