import { createBatcher } from "../../platform/batcher.ts";
import type { Db } from "../../platform/db/index.ts";
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
      owner: () => null,
      size: () => 1,
      maxItems: 100,
      maxSize: 100,
    });
  },
});

const findKey = async (db: Db, hash: string) => (await store.findKeysByToken(db, [hash]))[0];

export const keyCredential = definePersonalCredential({
  kind: "key",
  carrier: "x-api-key",
  prefix: keyPrefix,
  lookup: findKey,
  createLookup: (state) => {
    const findTogether = state.get(keyLookups);
    // The embedded database runs the statements of different networks in turns. A statement for several networks would
    // belong to none of them.
    return (db, hash) => (db.kind === "postgres" ? findTogether(hash) : findKey(db, hash));
  },
  recordUse: store.recordKeyUseAcrossOrganizations,
  keep: store.keepAcrossOrganizations,
  ending: { end: store.removeKeysAcrossOrganizations, countedAs: "apiKeys" },
});
