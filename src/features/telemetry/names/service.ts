import type { OrgId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { defineState } from "../../../platform/state.ts";
import { toDay } from "../days.ts";
import type { TelemetryRecord } from "../record.ts";
import * as store from "./store.ts";

/** How many different names an organization can have per day. Others become `other`. */
const maxNames = { type: 200, model: 200, tool: 500 } as const;
type Kind = keyof typeof maxNames;

/** What names beyond the limit become. */
const otherName = "other";

interface NameSet {
  names: Set<string>;
  /** Its names are complete: nothing can be added any more. */
  isFull: boolean;
}

const maxCachedSets = 5_000;

/** The names that this process has seen. A name that was admitted stays admitted, so nothing needs to be announced. */
export const knownNames = defineState<Map<string, NameSet>>({
  name: "telemetry names",
  create: () => new Map(),
});

/** Replaces types, models and tools beyond the limits of their day. */
export async function limitNames<Record extends Named>(
  cache: Map<string, NameSet>,
  db: Db,
  orgId: OrgId,
  records: readonly Record[],
): Promise<Record[]> {
  const missing = new Map<string, store.NameRow & { max: number }>();
  for (const record of records)
    for (const [kind, name] of listNames(record)) {
      const day = toDay(record.at);
      if (!isDecided(cache, orgId, day, kind, name))
        missing.set(`${day} ${kind} ${name}`, { day, kind, name, max: maxNames[kind] });
    }
  if (missing.size > 0) await admitNames(cache, db, orgId, [...missing.values()]);
  const limit = (record: Record, kind: Kind, name: string) =>
    cache.get(createKey(orgId, toDay(record.at), kind))?.names.has(name) ? name : otherName;
  return records.map((record) => ({
    ...record,
    type: limit(record, "type", record.type),
    model: record.model === null ? null : limit(record, "model", record.model),
    toolName: record.toolName === null ? null : limit(record, "tool", record.toolName),
  }));
}

type Named = Pick<TelemetryRecord, "at" | "type" | "model" | "toolName">;

const listNames = ({ type, model, toolName }: Named): [Kind, string][] => [
  ["type", type],
  ...(model === null ? [] : [["model", model] as [Kind, string]]),
  ...(toolName === null ? [] : [["tool", toolName] as [Kind, string]]),
];

const createKey = (orgId: OrgId, day: string, kind: string) => `${orgId} ${day} ${kind}`;

function isDecided(
  cache: Map<string, NameSet>,
  orgId: OrgId,
  day: string,
  kind: Kind,
  name: string,
): boolean {
  const set = cache.get(createKey(orgId, day, kind));
  return set !== undefined && (set.isFull || set.names.has(name));
}

async function admitNames(
  cache: Map<string, NameSet>,
  db: Db,
  orgId: OrgId,
  names: readonly (store.NameRow & { max: number })[],
): Promise<void> {
  const sets = [...new Map(names.map(({ day, kind }) => [`${day} ${kind}`, { day, kind }])).values()];
  const stored = await db.transaction(async (tx) => {
    await store.lockNames(tx, orgId);
    await store.insertUpTo(tx, orgId, names);
    return store.list(tx, orgId, sets);
  });
  if (cache.size + sets.length > maxCachedSets) cache.clear();
  for (const { day, kind } of sets) {
    const own = stored.filter((row) => row.day === day && row.kind === kind).map(({ name }) => name);
    cache.set(createKey(orgId, day, kind), {
      names: new Set(own),
      isFull: own.length >= maxNames[kind as Kind],
    });
  }
}
