import { setTimeout as sleep } from "node:timers/promises";
import { tightenContents } from "@signalbox/command-line/folders";
import { createEgress } from "@signalbox/discovery/egress";
import { openBus } from "./bus.ts";
import { checkSecret, refuseWrongSecret } from "./canary/index.ts";
import { type Config, isLoopbackOnly } from "./config.ts";
import type { Platform } from "./context.ts";
import {
  checkServer,
  copyTemplate,
  createDb,
  createMissingDirectUrlError,
  createPooledDirectUrlError,
  type Db,
  describeUnreachableServer,
  type Engine,
  type FolderLock,
  findLockHolder,
  findPooler,
  hasDatabase,
  lockFolder,
  migrate,
  openEmbedded,
  openPostgres,
  pendingMigrations,
  splitServers,
} from "./db/index.ts";
import { OperatorError } from "./errors.ts";
import { watchPlatform } from "./gauges.ts";
import { type Job, openJobs } from "./jobs/index.ts";
import { createKeyring, type Keyring, type SealedColumn } from "./keyring.ts";
import { createLocalLimits, createQueues } from "./limits/index.ts";
import type { Log } from "./log.ts";
import { createMail } from "./mail/index.ts";
import { findMove } from "./marks/index.ts";
import { createMetrics } from "./metrics.ts";
import type { PrimaryLink } from "./processes/index.ts";
import { loadFormat } from "./reseal/index.ts";
import { createSandbox } from "./sandbox/index.ts";
import { describeSecretSource, readInstanceSecret } from "./secret-file.ts";
import { createState } from "./state.ts";
import { createTextResolver } from "./text-records.ts";
import { openTracer } from "./trace.ts";

/** The open database, without background work. */
export interface OpenDatabase {
  db: Db;
  engine: Engine;
  keyring: Keyring;
  /** Held on the data folder when the database is embedded. */
  lock: FolderLock | undefined;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  log: Log;
  /** An engine that is already open, instead of the configured one. */
  engine?: Engine;
  /** `apply` migrates; `require` refuses to work on a schema that is behind; `leave` does not look. */
  schema?: "apply" | "require" | "leave";
  /** How long to wait for a data folder that another process uses. */
  maxWaitMs?: number;
  /** Opens the database even when the secret does not match, for commands that handle this case. */
  anySecret?: boolean;
  /** How many processes of this machine use the database. */
  processes?: number;
  /** Columns that may hold sealed values. Called when the database has not recorded its secret yet. */
  sealedColumns?(): Promise<readonly SealedColumn[]>;
}

/** Another process has the data folder. */
export class FolderInUse extends OperatorError {
  constructor(dataDir: string, holder = findLockHolder(dataDir)) {
    super(
      `${dataDir} is in use by another Signalbox${holder ? ` (process ${holder.pid})` : ""}. ` +
        "Stop that one, or choose another folder with DATA_DIR.",
    );
  }
}

export async function openDatabase(
  config: Config,
  {
    log,
    engine: given,
    schema = "apply",
    maxWaitMs = 1_000,
    anySecret = false,
    sealedColumns = async () => [],
    processes = 1,
  }: DatabaseOptions,
): Promise<OpenDatabase> {
  const embedded = !config.databaseUrl && !given;
  const lock = embedded ? await waitForFolderLock(config.dataDir, maxWaitMs) : undefined;
  if (embedded && !lock) throw new FolderInUse(config.dataDir);
  let engine = given;
  try {
    if (lock) protectFolder(lock, config.dataDir, log);
    lock?.announce({ pid: process.pid });
    const keyring = createKeyring(readInstanceSecret(config), config.previousSecrets);
    engine ??= await openEngine(config, log, processes);
    const db = createDb(engine, keyring);
    const checksSecret = schema !== "leave" && !anySecret;
    const check = { source: describeSecretSource(config), sealedColumns };
    // Also before migrations, because this may be the database of another instance.
    if (checksSecret) await refuseWrongSecret({ db, keyring }, check);
    const move = schema === "leave" ? undefined : await findMove(db);
    if (move) throw move;
    await prepareSchema(db, schema, log);
    if (schema !== "leave") {
      if (checksSecret) await checkSecret({ db, keyring }, check);
      await loadFormat({ db, keyring });
    }
    const opened = engine;
    return {
      db,
      engine: opened,
      keyring,
      lock,
      async close() {
        await opened.close();
        lock?.release();
      },
    };
  } catch (error) {
    await engine?.close();
    lock?.release();
    throw (config.databaseUrl && describeUnreachableServer(config.databaseUrl, error)) || error;
  }
}

/** Makes the files of the data folder, and all files that this process creates later, private to its owner. */
function protectFolder(lock: FolderLock, dataDir: string, log: Log): void {
  process.umask(0o077);
  tightenContents(dataDir, "DATA_DIR");
  for (const warning of lock.warnings) log.warn({ dataDir }, warning);
}

/** Waits for the lock: a command may hold it for a moment, or a process may be about to end. */
async function waitForFolderLock(dataDir: string, maxWaitMs: number): Promise<FolderLock | undefined> {
  for (const started = Date.now(); Date.now() - started <= maxWaitMs; ) {
    const lock = lockFolder(dataDir);
    if (lock) return lock;
    await sleep(50);
  }
  return undefined;
}

async function prepareSchema(db: Db, schema: DatabaseOptions["schema"], log: Log): Promise<void> {
  if (db.kind === "postgres") await checkServer(db);
  if (schema === "apply") {
    const applied = await migrate(db);
    if (applied.length) log.info({ applied }, "database migrated");
  }
  if (schema === "require") {
    const pending = await pendingMigrations(db);
    if (pending.length) throw new MigrationsPending(pending.length);
  }
}

/** The schema is older than the program, and this command does not migrate. */
class MigrationsPending extends OperatorError {
  constructor(count: number) {
    super(
      `The database lacks ${count} migration${count === 1 ? "" : "s"} of this version. Run \`signalbox migrate\`.`,
    );
  }
}

export interface OpenOptions extends DatabaseOptions {
  /** The public URL when the configuration leaves it to the address we listen on. */
  publicUrl: string;
  jobs: readonly Job[];
  /** False where another process does the jobs. */
  works: boolean;
  /** A database that is being opened already. */
  database?: Promise<OpenDatabase>;
  /** The primary process, when several processes serve. */
  link?: PrimaryLink | undefined;
  /** Name servers for TXT records, instead of those of the system. */
  nameServers?: readonly string[];
}

export interface OpenPlatform extends Platform {
  lock: FolderLock | undefined;
  close(graceMs?: number): Promise<void>;
}

/** Opens everything that the rooms use, in the order of dependencies. It is closed in the opposite order. */
export async function openPlatform(config: Config, options: OpenOptions): Promise<OpenPlatform> {
  const { log } = options;
  let grace = 0;
  const database = await (options.database ?? openDatabase(config, options));
  const { db, keyring, lock } = database;
  const undo: (() => unknown)[] = [() => database.close()];
  const close = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const bus = await openBus(db);
    undo.push(() => bus.close());
    const metrics = createMetrics();
    const ownLimits = createLocalLimits(metrics);
    const limits = options.link?.limits ?? ownLimits;
    options.link?.serveMetrics(metrics.read);
    undo.push(watchPlatform(metrics, database.engine, bus));
    // Closed after the jobs, so that the spans of the last ones are sent too.
    const trace = config.tracing && openTracer(config.tracing, { log, metrics });
    undo.push(() => trace?.stop(grace));
    const sandbox = createSandbox();
    undo.push(() => sandbox.close());
    const jobs = await openJobs({ db, log, definitions: options.jobs, works: options.works });
    undo.push(() => jobs.stop(grace));
    const egress = createEgress({
      allow: config.egressAllow,
      allowLoopback: isLoopbackOnly(config),
    });
    undo.push(() => egress.close());
    const platform: Platform = {
      config: { ...config, publicUrl: options.publicUrl },
      db,
      bus,
      keyring,
      jobs,
      mail: createMail({ keyring, smtpUrl: config.smtpUrl, jobs }),
      egress,
      resolveTexts: createTextResolver(options.nameServers),
      queues: createQueues(limits, ownLimits),
      limits,
      sandbox,
      state: createState(() => platform),
      metrics,
      collectMetrics: options.link?.collectMetrics ?? (async () => [{ snapshot: metrics.read() }]),
      trace,
      log,
    };
    undo.push(() => platform.state.stop());
    return {
      ...platform,
      lock,
      close: (graceMs = 5_000) => {
        grace = graceMs;
        return close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Processes share what a small PostgreSQL server allows. One process alone has 10 connections for requests. */
const choosePoolSize = (processes: number) => Math.max(4, Math.min(10, Math.ceil(20 / processes)));

async function openEngine(config: Config, log: Log, processes: number): Promise<Engine> {
  if (!config.databaseUrl) {
    if (!hasDatabase(config.dataDir)) {
      log.info(`making the embedded database in ${config.dataDir}; this takes some seconds, once`);
    }
    return openEmbedded(config.dataDir, (folder) => copyTemplate(folder));
  }
  return openServer(config.databaseUrl, config.databaseDirectUrl, {
    poolSize: config.databasePool ?? choosePoolSize(processes),
    onError: (error) => log.warn({ err: error }, "database connection"),
  });
}

/** Opens a PostgreSQL server, or a pooler in front of it. */
async function openServer(
  url: string,
  directUrl: string | undefined,
  options: Parameters<typeof openPostgres>[1],
): Promise<Engine> {
  const [first] = splitServers(url);
  // With several servers, the first may be a standby or down. Poolers have one address.
  const pooler = first === url ? await findPooler(url) : undefined;
  if (pooler?.sharesConnections && directUrl === undefined) throw createMissingDirectUrlError();
  if (directUrl !== undefined && splitServers(directUrl).length === 1) {
    const behind = await findPooler(directUrl).catch((error) => {
      throw describeUnreachableServer(directUrl, error, "DATABASE_DIRECT_URL") ?? error;
    });
    if (behind?.sharesConnections) throw createPooledDirectUrlError();
  }
  return openPostgres(url, { ...options, directUrl, pooler });
}
