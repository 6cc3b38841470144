import { createBatcher } from "../../../platform/batcher.ts";
import type { Platform } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { defineState } from "../../../platform/state.ts";
import * as store from "./store.ts";

/** What became of the events of one request. */
export interface Stored {
  accepted: number;
  duplicates: number;
  /** Events with the id of another event. They are not stored. */
  conflicts: store.EventRow[];
}

/** Requests that arrive at the same time share a statement and a commit. */
export const eventBatcher = defineState({
  name: "telemetry batches",
  create: ({ db }: Platform) =>
    createBatcher<readonly store.EventRow[], Stored>({
      send: (requests) => storeEvents(db.withOptions({ work: "change" }), requests),
      size: (rows) => rows.length,
      maxItems: 200,
      maxSize: 2_000,
    }),
});

const createKey = ({ orgId, signal, eventId }: Omit<store.KnownEvent, "digest">) =>
  `${orgId} ${signal} ${eventId}`;

/** Stores the events of several requests. Each event is stored once, whichever request has it. */
export async function storeEvents(
  db: Db,
  requests: readonly (readonly store.EventRow[])[],
): Promise<Stored[]> {
  const unique = new Map<string, store.EventRow>();
  for (const row of requests.flat()) if (!unique.has(createKey(row))) unique.set(createKey(row), row);
  const sorted = [...unique].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  const inserted = new Set((await store.insertAcrossOrganizations(db, sorted)).map(({ id }) => id));
  const others = sorted.filter(({ id }) => !inserted.has(id));
  const digests = new Map(
    sorted.filter(({ id }) => inserted.has(id)).map((row) => [createKey(row), row.digest.toString("hex")]),
  );
  if (others.length > 0)
    for (const known of await store.listKnownAcrossOrganizations(db, others))
      digests.set(createKey(known), known.digest);
  return requests.map((rows) => {
    const stored: Stored = { accepted: 0, duplicates: 0, conflicts: [] };
    for (const row of rows) {
      const digest = digests.get(createKey(row));
      if (inserted.has(row.id)) stored.accepted += 1;
      else if (digest === row.digest.toString("hex")) stored.duplicates += 1;
      // Without a digest nothing was stored: the organization has just opted out.
      else if (digest !== undefined) stored.conflicts.push(row);
    }
    return stored;
  });
}
