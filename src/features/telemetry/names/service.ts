import type { OrgId, Platform } from "../../../platform/context.ts";
import { dayMs, toDay } from "../../../platform/days.ts";
import type { Db } from "../../../platform/db/index.ts";
import { defineState } from "../../../platform/state.ts";
import { countDays } from "../days.ts";
import type { TelemetryRecord } from "../record.ts";
import * as store from "./store.ts";

/** How many different names an organization can have per day. Others become `other`. */
const maxNames = { type: 200, model: 200, tool: 500 } as const;
export type Kind = keyof typeof maxNames;

/** What names beyond the limit become. */
const otherName = "other";

interface NameSet {
  /** Names that were admitted; not all of them unless it is full. */
  names: Set<string>;
  /** Its names are complete: nothing can be added any more. */
  isFull: boolean;
}
type NamesOfDay = Record<Kind, NameSet>;

/** Replaces a name beyond the limit of its day. */
export type LimitName = (kind: Kind, at: number, name: string) => string;

interface KnownNames {
  /**
   * Admits the names of the records, in a transaction of its own: a name stays admitted when its request fails later.
   * Returns a function that limits them.
   */
  admit(orgId: OrgId, records: readonly Named[]): Promise<LimitName>;
  /**
   * Returns a function that limits the names of the records without admitting any. For days whose names another process
   * may have admitted, they are read in the transaction of the caller.
   */
  recall(tx: Db, orgId: OrgId, records: readonly Named[]): Promise<LimitName>;
}
type Named = Pick<TelemetryRecord, "at" | "type" | "model" | "toolName">;

const maxCachedDays = 5_000;

/** The names that this process has seen. A name that was admitted stays admitted, so nothing needs to be announced. */
export const knownNames = defineState({ name: "telemetry names", create: createKnownNames });

function createKnownNames({ db: platformDb }: Pick<Platform, "db">): KnownNames {
  const db = platformDb.withOptions({ work: "change" });
  const cache = new Map<string, NamesOfDay>();
  const admitting = new Map<OrgId, Promise<unknown>>();

  function findDay(orgId: OrgId, day: number): NamesOfDay {
    const key = `${orgId} ${day}`;
    let names = cache.get(key);
    if (!names) {
      if (cache.size >= maxCachedDays) cache.clear();
      names = { type: createSet(), model: createSet(), tool: createSet() };
      cache.set(key, names);
    }
    return names;
  }

  async function admitNames(orgId: OrgId, asked: readonly AskedName[]): Promise<void> {
    const rows = asked.map(({ day, kind, name }) => ({
      day: toDay(day * dayMs),
      kind,
      name,
      max: maxNames[kind],
    }));
    const admitted = await store.admit(db, orgId, rows);
    const isAdmitted = new Set(admitted.map(({ day, kind, name }) => `${day} ${kind} ${name}`));
    const full = new Map<NameSet, Omit<store.NameRow, "name">>();
    for (const [i, { set, name }] of asked.entries()) {
      const { day, kind } = rows[i]!;
      if (isAdmitted.has(`${day} ${kind} ${name}`)) set.names.add(name);
      else full.set(set, { day, kind });
    }
    for (const [set, { day, kind }] of full) {
      for (const { name } of await store.list(db, orgId, day, kind)) set.names.add(name);
      set.isFull = true;
    }
  }

  function createFinder(orgId: OrgId): FindNames {
    const days = new Map<number, NamesOfDay>();
    return (at) => {
      const day = countDays(at);
      let names = days.get(day);
      if (!names) {
        names = findDay(orgId, day);
        days.set(day, names);
      }
      return names;
    };
  }

  return {
    async admit(orgId, records) {
      const findNames = createFinder(orgId);
      for (;;) {
        const asked = listUndecided(records, findNames);
        if (asked.length === 0) break;
        const earlier = admitting.get(orgId);
        // Requests of the same moment often bring the same new names.
        if (earlier) await earlier.catch(() => {});
        else {
          const admission = admitNames(orgId, asked).finally(() => admitting.delete(orgId));
          admitting.set(orgId, admission);
          await admission;
        }
      }
      return createLimit(findNames);
    },
    async recall(tx, orgId, records) {
      const findNames = createFinder(orgId);
      const asked = listUndecided(records, findNames);
      if (asked.length > 0) {
        const rows = asked.map(({ day, kind, name }) => ({ day: toDay(day * dayMs), kind, name }));
        for (const { position } of await store.listAdmitted(tx, orgId, rows)) {
          const { set, name } = asked[position - 1]!;
          set.names.add(name);
        }
      }
      return createLimit(findNames);
    },
  };
}

type FindNames = (at: number) => NamesOfDay;

const createLimit =
  (findNames: FindNames): LimitName =>
  (kind, at, name) =>
    findNames(at)[kind].names.has(name) ? name : otherName;

const createSet = (): NameSet => ({ names: new Set(), isFull: false });

interface AskedName {
  set: NameSet;
  day: number;
  kind: Kind;
  name: string;
}

/** The names that are neither known nor beyond a limit that is reached. */
function listUndecided(records: readonly Named[], findNames: FindNames): AskedName[] {
  const asked = new Map<string, AskedName>();
  const add = (names: NamesOfDay, at: number, kind: Kind, name: string | null) => {
    if (name === null) return;
    const set = names[kind];
    if (set.isFull || set.names.has(name)) return;
    const day = countDays(at);
    asked.set(`${day} ${kind} ${name}`, { set, day, kind, name });
  };
  for (const { at, type, model, toolName } of records) {
    const names = findNames(at);
    add(names, at, "type", type);
    add(names, at, "model", model);
    add(names, at, "tool", toolName);
  }
  return [...asked.values()];
}
