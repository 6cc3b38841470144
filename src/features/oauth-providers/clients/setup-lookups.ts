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
    });
  },
});
