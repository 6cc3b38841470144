import type { Bus } from "../../../platform/bus.ts";
import type { Platform } from "../../../platform/context.ts";
import { type Db, isDatabaseDown, violatedConstraint } from "../../../platform/db/index.ts";
import * as store from "./store.ts";

/**
 * Those who report at the same moment share a commit. A report that comes while nothing is under way is
 * sent at once; those that come while the database is busy go together in the next statement. Nobody is
 * answered before their own report is committed, and none fails for another one's sake.
 */
interface Collector {
  /** Undefined when it was not simply the next one of its attempt. */
  append(report: store.Append): Promise<store.Appended | undefined>;
}

/** What goes into one statement. One is under way at a time: a second would only make both smaller. */
const maxReports = 64;
const maxChars = 1024 * 1024;

const known = new WeakMap<Bus, Collector>();

export function collectorOf(platform: Pick<Platform, "bus" | "db">): Collector {
  let collector = known.get(platform.bus);
  if (!collector) {
    collector = createCollector(platform.db);
    known.set(platform.bus, collector);
  }
  return collector;
}

interface Waiting {
  report: store.Append;
  chars: number;
  resolve(appended: store.Appended | undefined): void;
  reject(error: unknown): void;
}

function createCollector(db: Db): Collector {
  let waiting: Waiting[] = [];
  let flying = false;

  /** As many as fit into one statement, in the order in which they came. */
  function take(): Waiting[] {
    const group: Waiting[] = [];
    const rest: Waiting[] = [];
    /** Two reports of one run follow each other, so they do not travel together. */
    const runs = new Set<string>();
    let chars = 0;
    for (const one of waiting) {
      const fits = group.length < maxReports && (group.length === 0 || chars + one.chars <= maxChars);
      if (!fits || runs.has(one.report.id)) {
        rest.push(one);
        continue;
      }
      runs.add(one.report.id);
      chars += one.chars;
      group.push(one);
    }
    waiting = rest;
    return group;
  }

  async function depart(): Promise<void> {
    while (waiting.length > 0) await fly(take());
    flying = false;
  }

  async function fly(group: readonly Waiting[]): Promise<void> {
    try {
      const appended = await store.appendOfAll(
        db,
        group.map(({ report }) => report),
      );
      const byPlace = new Map(appended.map(({ place, ...one }) => [place, one]));
      for (const [i, { resolve }] of group.entries()) resolve(byPlace.get(i + 1));
    } catch (error) {
      if (group.length > 1 && !isDatabaseDown(error)) {
        // One of them is at fault, and the others have nothing to do with it.
        for (const one of group) await fly([one]);
        return;
      }
      for (const { resolve, reject } of group) {
        // The same event came twice at the same moment, and this is the later one.
        if (violatedConstraint(error) === "automation_events_pkey") resolve(undefined);
        else reject(error);
      }
    }
  }

  return {
    append(report) {
      return new Promise((resolve, reject) => {
        const chars = report.events.reduce((sum, { payload }) => sum + payload.length, 0);
        waiting.push({ report, chars, resolve, reject });
        if (flying) return;
        flying = true;
        // After this turn of the event loop: what else has arrived in it goes along.
        setImmediate(depart);
      });
    },
  };
}
