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

/** The embedded engine runs statements in the thread of this process, so a long statement holds up all requests. */
const maxSizes = { postgres: 2_000, pglite: 500 };

/** Storing attributes with this many characters takes as long as storing a row. */
const rowLength = 512;

/** Requests that arrive at the same time share a statement and a commit. */
export const eventBatcher = defineState({
  name: "telemetry batches",
  create: ({ db }: Platform) =>
    createBatcher<readonly store.EventRow[], Stored>({
      send: (requests) => storeEvents(db.withOptions({ work: "change" }), requests),
      // Each request has at least one event, and all events of a request are of one organization.
      owner: ([row]) => row!.orgId,
      size: measureSize,
      maxItems: 200,
      maxSize: maxSizes[db.kind],
      sharesThread: db.kind === "pglite",
    }),
});

const measureSize = (rows: readonly store.EventRow[]) =>
  rows.reduce((size, { attributes }) => size + 1 + Math.floor((attributes?.length ?? 0) / rowLength), 0);

/** What identifies an event: first what differs most, so that keys are compared quickly. */
export const createKey = ({ eventId, signal, orgId }: Pick<store.EventRow, "eventId" | "signal" | "orgId">) =>
  `${eventId} ${signal} ${orgId}`;

/** Stores the events of several requests. Each event is stored once, whichever request has it. */
export async function storeEvents(
  db: Db,
  requests: readonly (readonly store.EventRow[])[],
): Promise<Stored[]> {
  const unique = new Map<string, store.EventRow>();
  for (const rows of requests) for (const row of rows) if (!unique.has(row.key)) unique.set(row.key, row);
  const sorted = [...unique.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  const { insertedIds } = await store.insertAcrossOrganizations(db, sorted);
  const inserted = insertedIds && new Set(insertedIds);
  const isInserted = (row: store.EventRow) => inserted === null || inserted.has(row.id);
  const digests = inserted
    ? await findKnownDigests(
        db,
        sorted.filter((row) => !isInserted(row)),
      )
    : new Map<string, string>();
  return requests.map((rows) => {
    const stored: Stored = { accepted: 0, duplicates: 0, conflicts: [] };
    for (const row of rows) {
      const first = unique.get(row.key)!;
      const digest = isInserted(first) ? first.digest : digests.get(row.key);
      if (row === first && isInserted(row)) stored.accepted += 1;
      else if (digest === row.digest) stored.duplicates += 1;
      // Without a digest nothing was stored: the organization has just opted out.
      else if (digest !== undefined) stored.conflicts.push(row);
    }
    return stored;
  });
}

async function findKnownDigests(db: Db, rows: readonly store.EventRow[]): Promise<Map<string, string>> {
  const known = await store.listKnownAcrossOrganizations(db, rows);
  return new Map(known.map((row) => [createKey(row), row.digest]));
}
