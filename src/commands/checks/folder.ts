import { accessSync, constants, statSync } from "node:fs";
import type { Config } from "../../platform/config.ts";
import { storedSecretPath } from "../../platform/secret-file.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

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
      ? warning(check, `${dataDir} can be entered by other users of this machine`, `chmod 700 ${dataDir}`)
      : ok(check, dataDir),
    ...(secret || secretFile ? [] : checkSecretFile(dataDir)),
  ];
}

function checkSecretFile(dataDir: string): Finding[] {
  const file = storedSecretPath(dataDir);
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found) return [];
  return othersMayEnter(found.mode)
    ? [problem("secret file", `${file} can be read by other users of this machine`, `chmod 600 ${file}`)]
    : [ok("secret file", "only its owner can read it; keep a copy of it with your backups")];
}

const othersMayEnter = (mode: number) => (mode & 0o077) !== 0;
