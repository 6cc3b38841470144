import type { Bus } from "../../../platform/bus.ts";
import type { Platform } from "../../../platform/context.ts";
import { type Db, violatedConstraint } from "../../../platform/db/index.ts";
import { createTogether } from "../../../platform/together.ts";
import * as store from "./store.ts";

/** Those who report at the same moment share a commit. Undefined: it was not simply the next of its attempt. */
type Append = (report: store.Append) => Promise<store.Appended | undefined>;

const known = new WeakMap<Bus, Append>();

export function collectorOf(platform: Pick<Platform, "bus" | "db">): Append {
  let append = known.get(platform.bus);
  if (!append) {
    // Statements write reports of several organizations, so all reports use one share of the database.
    append = createCollector(platform.db.under({ work: "change", share: "reports" }));
    known.set(platform.bus, append);
  }
  return append;
}

const createCollector = (db: Db): Append =>
  createTogether({
    async send(reports) {
      const appended = await store.appendOfAll(db, reports);
      const byPlace = new Map(appended.map(({ place, ...one }) => [place, one]));
      return reports.map((_, i) => byPlace.get(i + 1));
    },
    failed(error) {
      // The same event came twice at the same moment, and this is the later one.
      if (violatedConstraint(error) === "automation_events_pkey") return undefined;
      throw error;
    },
    // Two reports of one run follow each other.
    keyOf: ({ id }) => id,
    sizeOf: ({ events }) => events.reduce((sum, { payload }) => sum + payload.length, 0),
    maxItems: 64,
    maxSize: 1024 * 1024,
  });
