import { definePersonalCredential } from "../../credentials/index.ts";
import { runnerPrefix } from "./service.ts";
import * as store from "./store.ts";

/** Its id is that of the runner and not of the token: a run is held by the machine, whichever token it sends. */
export const runnerCredential = definePersonalCredential({
  kind: "runner",
  carrier: "bearer",
  prefix: runnerPrefix,
  lookup: store.findRunnerByToken,
  describe: ({ keyId }) => (keyId ? { madeWith: keyId } : {}),
  recordUse: store.recordRunnerUseAcrossOrganizations,
  ending: { end: store.removeRunnerTokensAcrossOrganizations, countedAs: "runnerTokens", isDependent: true },
  scheme: { name: "runnerAuth", description: "Runner token, `sbr_…`, for twelve hours." },
});
