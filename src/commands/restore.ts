import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { refuseWrongSecret } from "../platform/canary/index.ts";
import type { Config } from "../platform/config.ts";
import { findServer } from "../platform/control.ts";
import { readMigrations } from "../platform/db/index.ts";
import { OperatorError } from "../platform/errors.ts";
import { describeSecretSource, storedSecretPath } from "../platform/secret-file.ts";
import {
  checkFile,
  type FileSummary,
  lockTarget,
  prepareTarget,
  readFile,
  refreshStatistics,
  refuseUnknownSchema,
  stopWith,
  writeSnapshot,
} from "../platform/snapshot/index.ts";
import { readArguments, UsageError } from "./arguments.ts";
import { exit, type Io } from "./io.ts";
import { passphraseOptions, readPassphrase } from "./passphrase.ts";

const help = `
Usage: signalbox restore <file> [--check] [--key-file <file> | --passphrase] [--replace] [--accept-loss] [--json]

Puts a backup into the configured database (DATABASE_URL, or DATA_DIR for the embedded one), whichever of the two
it comes from. Stop the service first. The whole file is checked before anything is changed; then everything
happens in one transaction, so a restore that fails or is killed changes nothing. A backup of an earlier version is
migrated to this one. SIGNALBOX_SECRET, or the file DATA_DIR/secret, must be the secret of the instance.

Options:
  --check             changes nothing: checks the file and says what it contains
  --key-file <file>   the key that the backup was encrypted with
  --passphrase        asks for the passphrase, or reads it from the first line of stdin
  --replace           removes what is in the database now
  --accept-loss       the secret is lost for good: restores without it. Then run \`signalbox reseal --accept-loss\`
  --json              the result as JSON

Examples:
  signalbox restore --check signalbox-2026-11-16.backup
  DATABASE_URL=postgres://… signalbox restore signalbox-2026-11-16.backup
`;

export async function restore(args: string[], io: Io): Promise<number> {
  const { values, words } = readArguments(args, {
    help,
    words: 1,
    options: {
      ...passphraseOptions,
      check: { type: "boolean" },
      replace: { type: "boolean" },
      "accept-loss": { type: "boolean" },
      json: { type: "boolean" },
    },
  });
  if (words[0] === undefined) throw new UsageError("Name the file to restore.");
  const file = resolve(words[0]);
  const passphrase = await readPassphrase(values, { isNew: false, ...io });
  const summary = await checkFile(file, passphrase);
  refuseUnknownSchema(summary.manifest);
  if (io.signal.aborted) throw createStop();
  if (!values.check) {
    const config = io.config();
    refuseMissingSecret(config);
    refuseRunningServer(config);
    const { db, keyring } = await io.database({ create: true, anySchema: true });
    const { columnsUnderSecret, jobs } = await import("../app.ts");
    const mayReplace = values.replace ?? false;
    await prepareTarget(db, { mayReplace, jobs });
    await db.withOptions({ work: "unlimited" }).transaction(async (tx) => {
      await lockTarget(tx, mayReplace);
      await writeSnapshot(tx, stopWith(io.signal, readFile(file, passphrase), createStop));
      if (!values["accept-loss"]) {
        const source = describeSecretSource(config);
        await refuseWrongSecret(
          { db: tx, keyring },
          { source, sealedColumns: async () => columnsUnderSecret },
        );
      }
      if (io.signal.aborted) throw createStop();
    });
    await refreshStatistics(db);
  }
  const { manifest, rows, tables } = summary;
  const result = {
    restored: !values.check,
    tables,
    rows,
    createdAt: manifest.createdAt,
    from: manifest.engine,
  };
  if (values.json) io.out(JSON.stringify({ ...result, version: manifest.product }));
  else io.out(describeResult(summary, result.restored));
  return exit.ok;
}

const createStop = () => new OperatorError("Stopped. Nothing was changed.");

function describeResult({ manifest, rows, tables }: FileSummary, isRestored: boolean): string {
  const { engine, product, createdAt, migrations } = manifest;
  const from = engine === "pglite" ? "the embedded database" : "PostgreSQL";
  const what = `${rows} rows of ${tables} tables of ${from}, written by Signalbox ${product} on ${new Date(createdAt).toISOString()}`;
  if (isRestored) return `Restored ${what}.`;
  const later = readMigrations().length - migrations.length;
  return `The backup is complete: ${what}.${later > 0 ? ` Restoring it applies ${later} later migrations.` : ""}`;
}

/** A new secret must not be created: it could not open anything in the backup. */
function refuseMissingSecret({ secret, secretFile, dataDir }: Config): void {
  if (secret || secretFile || existsSync(storedSecretPath(dataDir))) return;
  throw new OperatorError(
    `The secret of the instance is missing. Put it into ${storedSecretPath(dataDir)}, or set SIGNALBOX_SECRET or SIGNALBOX_SECRET_FILE.`,
  );
}

function refuseRunningServer({ databaseUrl, dataDir }: Config): void {
  if (!databaseUrl && findServer(dataDir))
    throw new OperatorError(`Signalbox is running on ${dataDir}. Stop it, then restore.`);
}
