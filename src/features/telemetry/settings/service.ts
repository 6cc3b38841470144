import type { MemberCtx, OrgId, Platform } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { defineState } from "../../../platform/state.ts";
import { record } from "../../audit/index.ts";
import type { TelemetrySettings } from "./contract.ts";
import * as store from "./store.ts";

/** The settings of an organization that has not changed them. The table has the same defaults. */
const defaults: store.StoredSettings = {
  enabled: true,
  keepsContents: false,
  retentionDays: 90,
  prunedBefore: null,
  countedFrom: null,
};

const toSettings = ({ enabled, keepsContents, retentionDays }: store.StoredSettings): TelemetrySettings => ({
  enabled,
  keepsContents,
  retentionDays,
});

export const readSettings = async ({ db, orgId }: { db: Db; orgId: OrgId }) => ({
  settings: toSettings((await store.find(db, orgId)) ?? defaults),
});

const topic = "telemetry.settings";

export async function changeSettings(ctx: MemberCtx, settings: TelemetrySettings) {
  await ctx.db.transaction(async (tx) => {
    const before = toSettings((await store.find(tx, ctx.orgId)) ?? defaults);
    await store.save(tx, ctx.orgId, settings);
    await ctx.bus.publish(tx, topic, ctx.orgId);
    const target = { type: "telemetry_settings", id: ctx.orgId };
    await record(ctx, tx, { action: "telemetry_settings.changed", target, before, after: settings });
  });
  return { settings };
}

export interface SettingsCache {
  find(orgId: OrgId): Promise<store.StoredSettings>;
}

/** If the announcement of a change is lost, the change takes effect after this time. */
const cacheMs = 2_000;
const maxCached = 10_000;

/** Every report needs the settings, which rarely change. */
export const settingsCache = defineState({
  name: "telemetry settings",
  create: createSettingsCache,
  stop: (cache) => cache.close(),
});

function createSettingsCache({ bus, db }: Pick<Platform, "bus" | "db">): SettingsCache & { close(): void } {
  const cached = new Map<string, { read: Promise<store.StoredSettings>; at: number }>();
  const close = bus.subscribe(topic, {
    onMessage: (orgId) => void cached.delete(orgId),
    onGap: () => cached.clear(),
  });
  return {
    close,
    find(orgId) {
      const known = cached.get(orgId);
      if (known && performance.now() - known.at < cacheMs) return known.read;
      if (cached.size >= maxCached) cached.clear();
      const read = store.find(db, orgId).then((found) => found ?? defaults);
      cached.set(orgId, { read, at: performance.now() });
      read.catch(() => cached.delete(orgId));
      return read;
    },
  };
}

/** The settings by which events older than the retention are deleted. */
export const findStoredSettings = async (db: Db, orgId: OrgId): Promise<store.StoredSettings> =>
  (await store.find(db, orgId)) ?? defaults;

/** Whether telemetry that the caller reports is stored. Call it outside of a transaction. */
export const acceptsTelemetry = async ({
  orgId,
  permissions,
  state,
}: Pick<MemberCtx, "orgId" | "permissions" | "state">): Promise<boolean> =>
  permissions.has("telemetry:report") && (await state.get(settingsCache).find(orgId)).enabled;
