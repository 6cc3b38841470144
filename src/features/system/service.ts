import { isLoopbackHost } from "@signalbox/discovery/egress";
import { isLoopbackOnly } from "../../platform/config.ts";
import type { Ctx } from "../../platform/context.ts";
import { isMigrated, readMigrations } from "../../platform/db/index.ts";
import { unauthorized } from "../../platform/errors.ts";
import type { HttpHeaders } from "../../platform/http/index.ts";
import { instanceId } from "../../platform/keyring.ts";
import { renderMetrics } from "../../platform/metrics.ts";
import { isSameSecret } from "../../platform/secrets.ts";
import { defineState } from "../../platform/state.ts";
import { version as program } from "../../platform/version.ts";
import * as store from "./store.ts";

const runCheck = async (check: () => Promise<boolean>): Promise<"ok" | "failing"> => {
  try {
    return (await check()) ? "ok" : "failing";
  } catch {
    return "failing";
  }
};

/** How many migrations this program needs. */
export const migrationCount = defineState({
  name: "migration count",
  create: () => readMigrations().length,
});

export async function readReadiness({ db, jobs, state }: Ctx) {
  const database = await runCheck(async () => (await store.ping(db)) >= 0);
  const migrations =
    database === "ok" ? await runCheck(() => isMigrated(db, state.get(migrationCount))) : "failing";
  const checks = { database, migrations, jobs: await runCheck(async () => jobs.isReady()) };
  const ready = Object.values(checks).every((check) => check === "ok");
  return ready
    ? ({ status: 200, body: { status: "ready", checks } } as const)
    : ({ status: 503, body: { status: "not_ready", checks } } as const);
}

export async function version({ db, keyring, config }: Ctx) {
  return {
    name: "signalbox" as const,
    version: program,
    instance: instanceId(keyring),
    publicUrl: config.publicUrl,
    node: process.version,
    database: `${db.kind === "pglite" ? "embedded PostgreSQL" : "PostgreSQL"} ${await store.serverVersion(db)}`,
  };
}

/**
 * Metrics are for the operator. A request needs the token, or must come from the machine itself on a loopback-only
 * instance, which refuses requests with proxy headers (see `createHostCheck`).
 */
export async function metrics(
  { config, collectMetrics, address }: Ctx,
  headers: HttpHeaders,
): Promise<string> {
  const token = /^bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1];
  const isByToken =
    config.metricsToken !== undefined && token !== undefined && isSameSecret(token, config.metricsToken);
  const isLocal = isLoopbackOnly(config) && isLoopbackHost(address);
  if (!isByToken && !isLocal) throw unauthorized();
  return renderMetrics(await collectMetrics());
}
