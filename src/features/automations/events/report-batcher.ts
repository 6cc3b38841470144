import { createBatcher } from "../../../platform/batcher.ts";
import { type Db, violatedConstraint } from "../../../platform/db/index.ts";
import { defineState } from "../../../platform/state.ts";
import { rangeOfRecentRuns } from "./run-numbers.ts";
import * as store from "./store.ts";

/**
 * Stores event reports that arrive at the same time with one commit. The result is undefined when the events are not
 * simply the next ones of their attempt, or their run is older than a week or two.
 */
export const eventReportBatcher = defineState({
  name: "event report batcher",
  // Statements write event reports of several organizations, so all of them use one share of the database.
  create: ({ db }) => createReportBatcher(db.withOptions({ work: "change", share: "reports" })),
});

const createReportBatcher = (db: Db) =>
  createBatcher<store.EventReportGroup, store.StoredEventReportGroup | undefined>({
    async send(reports) {
      const stored = await store.insertEventReportsAcrossOrganizations(
        db,
        reports,
        rangeOfRecentRuns(Date.now()),
      );
      const byPosition = new Map(stored.map(({ position, ...report }) => [position, report]));
      return reports.map((_, i) => byPosition.get(i + 1));
    },
    onFailure(error) {
      // The same event was reported twice at the same time, and the other report was stored first.
      if (/^automation_events_\w*pkey$/.test(violatedConstraint(error) ?? "")) return undefined;
      throw error;
    },
    key: ({ id }) => id,
    owner: ({ orgId }) => orgId,
    size: ({ rows }) => rows.reduce((sum, { events }) => sum + events.length, 0),
    maxItems: 64,
    maxSize: 1024 * 1024,
    sharesThread: db.kind === "pglite",
  });
