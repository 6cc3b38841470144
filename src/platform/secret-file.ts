import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "./config.ts";
import { hasDatabase } from "./db/index.ts";
import { OperatorError } from "./errors.ts";

/** Where the secret of an embedded database is kept when none is configured. */
export const storedSecretPath = (dataDir: string) => join(dataDir, "secret");

type Settings = Pick<Config, "secret" | "secretFile" | "dataDir">;

/** How messages name the secret, at the beginning of a sentence. */
export function describeSecretSource({ secret, secretFile, dataDir }: Settings): string {
  return secret ? "SIGNALBOX_SECRET" : `The secret in ${secretFile ?? storedSecretPath(dataDir)}`;
}

/** Returns the instance's secret: the configured one, or for the embedded database one that is created once and stored. */
export function readInstanceSecret({ secret, secretFile, dataDir }: Settings): string {
  if (secret) return secret;
  return secretFile ? readSecret(secretFile) : readStoredSecret(dataDir);
}

function readSecret(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, "utf8").trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new OperatorError(
      code === "ENOENT"
        ? `SIGNALBOX_SECRET_FILE names ${file}, which does not exist. Restore it; for a new instance make it with \`openssl rand -base64 32\`.`
        : `SIGNALBOX_SECRET_FILE names ${file}, which cannot be read (${code}). Let the user of the service read it.`,
    );
  }
  if (text.length >= 32) return text;
  throw new OperatorError(
    `SIGNALBOX_SECRET_FILE names ${file}, which contains less than 32 characters. Create a secret with \`openssl rand -base64 32\`.`,
  );
}

function readStoredSecret(dataDir: string): string {
  const file = storedSecretPath(dataDir);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new OperatorError(
      `${file} is a symbolic link. Put the secret itself there, or set SIGNALBOX_SECRET.`,
    );
  if (hasDatabase(dataDir) && !existsSync(file))
    throw new OperatorError(
      `${file} is missing: it holds the secret that the database in ${dataDir} is sealed with. Restore it, or set SIGNALBOX_SECRET to that secret.`,
    );
  try {
    // `wx`: when two processes start at the same time, one creates the file and the other reads it.
    writeFileSync(file, randomBytes(32).toString("base64"), { mode: 0o600, flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  chmodSync(file, 0o600);
  const kept = readFileSync(file, "utf8").trim();
  if (kept.length < 32) {
    throw new OperatorError(
      `${file} is damaged: it must hold at least 32 characters. Restore it, or set SIGNALBOX_SECRET.`,
    );
  }
  return kept;
}
