import { join } from "node:path";
import { openBus } from "./bus.ts";
import { type Config, listensOnLoopbackOnly } from "./config.ts";
import type { Platform } from "./context.ts";
import {
  createDb,
  type Engine,
  type FolderLock,
  lockFolder,
  migrate,
  openPglite,
  openPostgres,
} from "./db/index.ts";
import { createEgress } from "./egress/index.ts";
import { watchPlatform } from "./gauges.ts";
import { type Job, openJobs } from "./jobs/index.ts";
import { createKeyring } from "./keyring.ts";
import type { Log } from "./log.ts";
import { createMail } from "./mail/index.ts";
import { createMetrics } from "./metrics.ts";
import { instanceSecret } from "./secret-file.ts";
import { openTracer } from "./trace.ts";

export interface OpenOptions {
  /** The public URL when the configuration leaves it to the address we listen on. */
  publicUrl: string;
  jobs: readonly Job[];
  /** False where another process does the jobs. */
  works: boolean;
  log: Log;
  /** An engine that is already open, instead of the configured one. */
  engine?: Engine;
}

export interface OpenPlatform extends Platform {
  /** Held on the data folder when the database is embedded. */
  lock: FolderLock | undefined;
  close(graceMs?: number): Promise<void>;
}

/** Another process has the data folder. */
export class FolderInUse extends Error {
  constructor(dataDir: string) {
    super(
      `${dataDir} is in use by another Signalbox. Stop that one, or choose another folder with DATA_DIR.`,
    );
  }
}

/** Everything below the rooms, in the order it depends on each other; closed in the opposite one. */
export async function openPlatform(config: Config, options: OpenOptions): Promise<OpenPlatform> {
  const { log } = options;
  const lock = config.databaseUrl || options.engine ? undefined : lockFolder(config.dataDir);
  if (!config.databaseUrl && !options.engine && !lock) throw new FolderInUse(config.dataDir);
  let grace = 0;
  const undo: (() => unknown)[] = [() => lock?.release()];
  const close = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const keyring = createKeyring(instanceSecret(config), config.previousSecrets);
    const engine = options.engine ?? (await openEngine(config, log));
    undo.push(() => engine.close());
    const db = createDb(engine);
    const applied = await migrate(db);
    if (applied.length) log.info({ applied }, "database migrated");
    const bus = await openBus(db);
    undo.push(() => bus.close());
    const metrics = createMetrics();
    undo.push(watchPlatform(metrics, engine, bus));
    // Closed after the jobs, so that the spans of the last ones are sent too.
    const trace = config.tracing && openTracer(config.tracing, { log, metrics });
    undo.push(() => trace?.stop(grace));
    const jobs = await openJobs({ db, log, definitions: options.jobs, works: options.works });
    undo.push(() => jobs.stop(grace));
    const egress = createEgress({
      allow: config.egressAllow,
      allowLoopback: listensOnLoopbackOnly(config.host),
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
      metrics,
      trace,
      log,
    };
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

async function openEngine(config: Config, log: Log): Promise<Engine> {
  if (!config.databaseUrl) return openPglite(join(config.dataDir, "pg"));
  return openPostgres(config.databaseUrl, {
    poolSize: config.databasePool,
    onError: (error) => log.warn({ err: error }, "database connection"),
  });
}
