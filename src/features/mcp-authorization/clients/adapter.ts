import type { Db } from "../../../platform/db/index.ts";
import * as store from "./store.ts";

/** Where the library finds clients, and stores those that register. `db` is the database of the current request. */
export const createClientAdapter = (db: () => Db) => ({
  upsert: async (id: string, metadata: object) => {
    await store.upsertAcrossOrganizations(db(), {
      id,
      registration: "dynamic",
      metadata,
      freshSeconds: null,
    });
  },
  find: async (id: string) => (await store.findAcrossOrganizations(db(), id))?.metadata,
  consume: async () => {},
  destroy: async () => {},
  revokeByGrantId: async () => {},
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
});
