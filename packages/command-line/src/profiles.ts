import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { OperatorError } from "./errors.ts";

/** A server and the API key for it, as `signalbox login` stores them. */
export interface Profile {
  url: string;
  key: string;
  /** Set when login created the key; logout then ends it at the server. */
  keyId?: string;
  email?: string;
  organization?: string;
}

type Profiles = Record<string, Profile>;

export const defaultProfile = "default";

type Environment = Readonly<NodeJS.ProcessEnv>;

export function profilesFile({ XDG_CONFIG_HOME, HOME }: Environment): string {
  const home = XDG_CONFIG_HOME?.startsWith("/") ? XDG_CONFIG_HOME : join(HOME || homedir(), ".config");
  return join(home, "signalbox", "logins.json");
}

export function readProfiles(environment: Environment): Profiles {
  const file = profilesFile(environment);
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats) return {};
  if ((stats.mode & 0o077) !== 0) {
    throw new OperatorError(
      `Other users can read ${file}, which holds API keys. Run \`chmod 600 ${file}\`, and replace the keys if they may have been read.`,
    );
  }
  try {
    const { profiles } = JSON.parse(readFileSync(file, "utf8")) as { profiles: Profiles };
    for (const { url, key } of Object.values(profiles)) {
      if (typeof key !== "string" || new URL(url).origin !== url) throw new Error("not a profile");
    }
    return profiles;
  } catch (error) {
    throw new OperatorError(`${file} cannot be read. Correct it, or remove it and run \`signalbox login\`.`, {
      cause: error,
    });
  }
}

/** Stores the logins of this person. */
export function writeProfiles(environment: Environment, profiles: Profiles): void {
  const file = profilesFile(environment);
  try {
    writeFile(file, profiles);
  } catch (error) {
    throw new OperatorError(
      `${file} cannot be written: ${(error as Error).message}. Make its folder writable, or set XDG_CONFIG_HOME to another one.`,
      { cause: error },
    );
  }
}

/** Writes beside the file and renames, so that a crash leaves the old file or the new one. */
function writeFile(file: string, profiles: Profiles): void {
  const folder = dirname(file);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  if (Object.keys(profiles).length === 0) {
    rmSync(file, { force: true });
    return;
  }
  const draft = `${file}.${process.pid}.tmp`;
  rmSync(draft, { force: true });
  writeFileSync(draft, `${JSON.stringify({ version: 1, profiles }, null, 2)}\n`, { mode: 0o600, flag: "wx" });
  renameSync(draft, file);
}
