import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "./config.ts";
import { OperatorError } from "./errors.ts";

export const secretFile = (dataDir: string) => join(dataDir, "secret");

/** The instance's secret: configured, or for the embedded database made once and kept beside it. */
export function instanceSecret({ secret, dataDir }: Pick<Config, "secret" | "dataDir">): string {
  if (secret) return secret;
  const file = secretFile(dataDir);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  try {
    // `wx`: of two starts at the same moment one makes it, the other reads it.
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
