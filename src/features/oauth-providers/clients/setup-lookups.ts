import { createBatcher } from "../../../platform/batcher.ts";
import { defineState } from "../../../platform/state.ts";
import * as store from "./store.ts";

/**
 * Reads providers and clients. Requests that arrive at the same time share a statement, which starts after each of them
 * arrived, and equal ones share the row.
 */
export const setupLookups = defineState({
  name: "provider setup lookups",
  create: ({ db: anyDb }) => {
    const db = anyDb.withOptions({ work: "read", share: "provider setups" });
    return createBatcher<store.SetupKey, store.Setup | undefined>({
      async send(wanted) {
        const keys = new Map(wanted.map((one) => [`${one.orgId} ${one.providerId}`, one]));
        const found = await store.listSetupsAcrossOrganizations(db, [...keys.values()]);
        const places = new Map([...keys.keys()].map((key, i) => [key, i + 1]));
        const byPlace = new Map(found.map((row) => [row.place, row]));
        return wanted.map(({ orgId, providerId }) => byPlace.get(places.get(`${orgId} ${providerId}`)!));
      },
      owner: ({ orgId }) => orgId,
      size: () => 1,
      maxItems: 64,
      maxSize: 64,
      sharesThread: db.kind === "pglite",
    });
  },
});

/** How long a setup is remembered. */
const recentMs = 60_000;
const maxRecent = 1_000;

/**
 * The setups that this process read last. They may have changed since, so they serve only a request whose statement
 * compares the version.
 */
export const recentSetups = defineState({
  name: "recent provider setups",
  create() {
    const recent = new Map<string, { row: store.Setup; until: number }>();
    const toKey = ({ orgId, providerId }: store.SetupKey) => `${orgId} ${providerId}`;
    return {
      find(key: store.SetupKey): store.Setup | undefined {
        const known = recent.get(toKey(key));
        return known && known.until > performance.now() ? known.row : undefined;
      },
      remember(key: store.SetupKey, row: store.Setup): void {
        recent.delete(toKey(key));
        // Entries are in the order in which they were read, so the first one is the oldest.
        for (const oldest of recent.keys()) {
          if (recent.size < maxRecent) break;
          recent.delete(oldest);
        }
        recent.set(toKey(key), { row, until: performance.now() + recentMs });
      },
    };
  },
});
