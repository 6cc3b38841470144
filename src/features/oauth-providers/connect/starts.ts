import { createBatcher } from "../../../platform/batcher.ts";
import { defineState } from "../../../platform/state.ts";
import * as store from "./store.ts";

/**
 * Stores attempts. Those that start at the same time share a statement and a commit. The outcome is false when the client
 * changed since it was read, or the member was removed.
 */
export const attemptBatcher = defineState({
  name: "connect attempts",
  create: ({ db: anyDb }) => {
    const db = anyDb.withOptions({ work: "change", share: "connect attempts" });
    return createBatcher<store.NewAttempt, boolean>({
      async send(attempts) {
        const stored = await store.insertAcrossOrganizations(db, attempts);
        if (stored === attempts.length) return attempts.map(() => true);
        const ids = await store.listExistingAcrossOrganizations(
          db,
          attempts.map(({ id }) => id),
        );
        return attempts.map(({ id }) => ids.has(id));
      },
      owner: ({ orgId }) => orgId,
      size: () => 1,
      maxItems: 64,
      maxSize: 64,
      sharesThread: db.kind === "pglite",
    });
  },
});
