import type { Ctx, Platform } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { version } from "../../../platform/version.ts";
import { countStatesAcrossOrganizations, workerStates } from "../../workers/index.ts";
import { addDays, findLastDays, maxDays, sumAcrossOrganizations } from "../usage/index.ts";
import type { Overview, WaitingWork } from "./contract.ts";
import * as store from "./store.ts";

export async function read(ctx: Ctx, { days }: { days: number }): Promise<Overview> {
  const { db } = ctx;
  const period = findLastDays(days);
  const usage = await sumAcrossOrganizations(db, period);
  const { server, migration } = await store.findVersionsAcrossOrganizations(db);
  const { runs: total, succeeded, failures, cancelled, skipped, costMicros } = usage;
  return {
    from: period.from,
    to: addDays(period.to, -1),
    organizations: await store.countOrganizationsAcrossOrganizations(db),
    members: await store.countMembersAcrossOrganizations(db),
    users: await store.countUsersAcrossOrganizations(db),
    runs: {
      ...{ total, succeeded, failed: failures, cancelled, skipped },
      ...(await store.countLiveRunsAcrossOrganizations(db)),
    },
    costMicros,
    failures,
    queue: await readQueue(ctx),
    database: await readDatabase(ctx, period.from),
    workers: { ...(await countWorkers(db)), ...(await store.countRunnersAcrossOrganizations(db)) },
    version: {
      service: version,
      node: process.version,
      database: `${db.kind === "pglite" ? "embedded PostgreSQL" : "PostgreSQL"} ${server}`,
      migration,
    },
  };
}

async function countWorkers(db: Db): Promise<Pick<Overview["workers"], "total" | "states">> {
  const counts = new Map(
    (await countStatesAcrossOrganizations(db)).map(({ state, count }) => [state, count]),
  );
  const states = Object.fromEntries(workerStates.map((state) => [state, counts.get(state) ?? 0]));
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return { total, states: states as Overview["workers"]["states"] };
}

async function readQueue({ db, jobs }: Ctx): Promise<Overview["queue"]> {
  const now = Date.now();
  const rows = await store.countWaitingRowsAcrossOrganizations(db);
  const found = [
    ...rows.filter(({ waiting, delayed }) => waiting + delayed > 0),
    ...(await jobs.countWaiting(db)),
  ];
  const items = found.map(
    ({ oldestAt, ...item }): WaitingWork => ({
      ...item,
      ageMs: oldestAt === null ? null : Math.max(0, now - oldestAt),
    }),
  );
  const ages = items.flatMap(({ ageMs }) => ageMs ?? []);
  return {
    depth: items.reduce((sum, { waiting }) => sum + waiting, 0),
    ageMs: ages.length === 0 ? null : Math.max(...ages),
    items,
  };
}

async function readDatabase({ db }: Ctx, from: string): Promise<Overview["database"]> {
  const bytes = await store.findDatabaseSizeAcrossOrganizations(db);
  const history = await store.listDatabaseSizesAcrossOrganizations(db, from);
  const first = history[0];
  return { bytes, growthBytes: first ? bytes - first.bytes : null, history };
}

export async function measureDatabase({ db }: Pick<Platform, "db">): Promise<void> {
  await store.storeDatabaseSizeAcrossOrganizations(db);
  await store.removeOldDatabaseSizesAcrossOrganizations(db, maxDays);
}
