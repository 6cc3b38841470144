import { createBatcher } from "../../../platform/batcher.ts";
import type { Db } from "../../../platform/db/index.ts";
import { defineState } from "../../../platform/state.ts";
import { createCollectTime } from "../tokens/index.ts";
import { isAfter } from "./sequence.ts";
import * as store from "./store.ts";

/** While many workers beat, heartbeats are collected for so long and stored with one statement. */
const collectMs = 1_000;
const maxItems = 500;

/** Stores heartbeats. The result is undefined when the worker was removed in the meantime. */
export const beatBatcher = defineState({
  name: "worker beats",
  create: ({ db: anyDb }) => {
    const db = anyDb.withOptions({ work: "change", share: "workers" });
    const collect = createCollectTime(collectMs);
    const add = createBatcher<store.Beat, store.StoredBeat | undefined>({
      send: (beats) => storeBeats(db, beats),
      owner: ({ orgId }) => orgId,
      size: () => 1,
      maxItems,
      maxSize: maxItems,
      collectMs: collect.waitMs,
    });
    return (beat: store.Beat) => {
      collect.note();
      return add(beat);
    };
  },
});

async function storeBeats(db: Db, beats: readonly store.Beat[]) {
  const latest = new Map<string, store.Beat>();
  for (const beat of beats)
    if (isAfter(beat.sequence, latest.get(beat.workerId)?.sequence ?? -1)) latest.set(beat.workerId, beat);
  // In the order of their ids, so that two processes lock rows in the same order.
  const ordered = [...latest.values()].sort((a, b) => (a.workerId < b.workerId ? -1 : 1));
  const moved = await store.storeBeatsAcrossOrganizations(db, ordered);
  const stored = new Map(moved.map((one) => [one.workerId, one]));
  const unmoved = [...latest.keys()].filter((workerId) => !stored.has(workerId));
  if (unmoved.length > 0)
    for (const one of await store.listBeatsAcrossOrganizations(db, unmoved)) stored.set(one.workerId, one);
  return beats.map(({ workerId }) => stored.get(workerId));
}
