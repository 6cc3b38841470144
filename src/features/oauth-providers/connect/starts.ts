import { createBatcher } from "../../../platform/batcher.ts";
import { defineState } from "../../../platform/state.ts";
import * as store from "./store.ts";

/** Stores attempts. Those that start at the same time share a statement and a commit. */
export const attemptBatcher = defineState({
  name: "connect attempts",
  create: ({ db: anyDb }) => {
    const db = anyDb.withOptions({ work: "change", share: "connect attempts" });
    return createBatcher<store.NewAttempt, void>({
      async send(attempts) {
        await store.insertAcrossOrganizations(db, attempts);
        return [];
      },
      owner: ({ orgId }) => orgId,
      size: () => 1,
      maxItems: 64,
      maxSize: 64,
    });
  },
});
