import { createBatcher } from "../../platform/batcher.ts";
import { defineState } from "../../platform/state.ts";
import { definePersonalCredential } from "../credentials/index.ts";
import { keyPrefix } from "./service.ts";
import * as store from "./store.ts";

/** Keys that are looked up at the same time share a statement, which starts after each of the requests arrived. */
export const keyLookups = defineState({
  name: "API key lookups",
  create: ({ db: anyDb }) => {
    const db = anyDb.withOptions({ work: "read" });
    return createBatcher<string, store.FoundKey | undefined>({
      async send(hashes) {
        const found = new Map((await store.findKeysByToken(db, hashes)).map((key) => [key.hash, key]));
        return hashes.map((hash) => found.get(hash));
      },
      size: () => 1,
      maxItems: 100,
      maxSize: 100,
    });
  },
});

export const keyCredential = definePersonalCredential({
  kind: "key",
  carrier: "x-api-key",
  prefix: keyPrefix,
  lookup: async (db, hash) => (await store.findKeysByToken(db, [hash]))[0],
  createLookup: (state) => {
    const find = state.get(keyLookups);
    // The embedded database takes the statements of all networks by turns. One for several networks has no turn.
    return async (db, hash) =>
      db.kind === "postgres" ? find(hash) : (await store.findKeysByToken(db, [hash]))[0];
  },
  recordUse: store.recordKeyUseAcrossOrganizations,
  ending: { end: store.removeKeysAcrossOrganizations, countedAs: "apiKeys" },
});
