import { createBatcher } from "../../../platform/batcher.ts";
import type { Caller } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import type { CredentialType } from "../../../platform/http/index.ts";
import { defineState } from "../../../platform/state.ts";
import { createCollectTime } from "./collect-time.ts";
import * as store from "./store.ts";

export const workerPrefix = "sbw_";

/** While many workers beat, their tokens are looked up together. A lookup for each would cost more than the beat. */
export const tokenLookups = defineState({
  name: "worker token lookups",
  create: ({ db }) => {
    const collect = createCollectTime(50);
    const find = createBatcher<string, Caller | undefined>({
      send: (hashes) => findCallers(db.withOptions({ work: "read", share: "workers" }), hashes),
      owner: () => null,
      size: () => 1,
      maxItems: 500,
      maxSize: 500,
      collectMs: collect.waitMs,
    });
    return (hash: string) => {
      collect.note();
      return find(hash);
    };
  },
});

async function findCallers(db: Db, hashes: readonly string[]): Promise<(Caller | undefined)[]> {
  const found = new Map((await store.findWorkersByToken(db, hashes)).map((one) => [one.hash, one]));
  return hashes.map((hash) => {
    const token = found.get(hash);
    return token && createCaller(token);
  });
}

/** The credential is the worker, so that audit entries name it; the token is what the caller ends with. */
const createCaller = ({ id, workerId, orgId, isSuspended }: Omit<store.FoundToken, "hash">): Caller => ({
  credential: "worker",
  credentialId: workerId,
  madeWith: id,
  principal: "machine",
  machine: { orgId, permissions: new Set(), isSuspended },
});

/** The token of one worker, which reaches only the routes of that worker. */
export const workerCredential: CredentialType = {
  kind: "worker",
  carrier: "bearer",
  prefix: workerPrefix,
  find: async (db, hash) => (await findCallers(db, [hash]))[0],
  createFind: (state) => {
    const find = state.get(tokenLookups);
    return (_, hash) => find(hash);
  },
  ending: { end: store.endRunnersAcrossOrganizations },
  scheme: { name: "workerAuth", description: "Worker token, `sbw_…`, for one worker." },
};
