import { accessSync, chmodSync, constants, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../platform/config.ts";
import { storedSecretPath } from "../../platform/secret-file.ts";
import { type Finding, fixable, ok, problem, warning } from "./finding.ts";

const check = "data folder";

/** Checks the data folder of an embedded database, and whether other users of the machine can read it. */
export function checkFolder({ dataDir, databaseUrl, secret, secretFile }: Config): Finding[] {
  if (databaseUrl) return [];
  const folder = statSync(dataDir, { throwIfNoEntry: false });
  if (!folder)
    return [warning(check, `${dataDir} does not exist yet`, "The first `signalbox serve` creates it.")];
  if (!folder.isDirectory())
    return [problem(check, `${dataDir} is not a folder`, "Set DATA_DIR to a folder.")];
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return [problem(check, `${dataDir} cannot be written by this user`, "Change its owner or its mode.")];
  }
  return [
    othersMayEnter(folder.mode)
      ? fixable(
          warning(check, `${dataDir} can be entered by other users of this machine`, `chmod 700 ${dataDir}`),
          () => makePrivate(dataDir, 0o700),
        )
      : ok(check, dataDir),
    ...(secret || secretFile ? [] : checkSecretFile(dataDir)),
    ...checkCopies(dataDir),
  ];
}

function checkSecretFile(dataDir: string): Finding[] {
  const file = storedSecretPath(dataDir);
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found) return [];
  return othersMayEnter(found.mode)
    ? [
        fixable(
          problem("secret file", `${file} can be read by other users of this machine`, `chmod 600 ${file}`),
          () => makePrivate(file, 0o600),
        ),
      ]
    : [ok("secret file", "only its owner can read it; keep a copy of it with your backups")];
}

const othersMayEnter = (mode: number) => (mode & 0o077) !== 0;

function makePrivate(path: string, mode: number): string {
  chmodSync(path, mode);
  return `only the owner can open ${path} now; somebody else may have read the secret before, so consider changing it`;
}

/** A backup that was killed leaves a copy of the database. */
function checkCopies(dataDir: string): Finding[] {
  const left = readdirSync(dataDir).filter((name) => {
    const pid = /^pg\.copy-(\d+)$/.exec(name)?.[1];
    return pid !== undefined && !isRunning(Number(pid));
  });
  return left.map((name) =>
    fixable(
      warning("copies", `${join(dataDir, name)} was left by a backup that was killed`, `Remove ${name}.`),
      () => {
        rmSync(join(dataDir, name), { recursive: true, force: true });
        return `removed ${name}`;
      },
    ),
  );
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
