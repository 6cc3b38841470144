import { definePersonalCredential } from "../../credentials/index.ts";
import { runnerPrefix } from "./service.ts";
import * as store from "./store.ts";

/** The id is that of the runner and not of the token, because a runner holds a run with any of its tokens. */
export const runnerCredential = definePersonalCredential({
  kind: "runner",
  carrier: "bearer",
  prefix: runnerPrefix,
  lookup: store.findRunnerByToken,
  describe: ({ madeWith, takesNoWork }) => ({
    ...(madeWith === null ? {} : { madeWith }),
    ...(takesNoWork ? { takesNoWork } : {}),
  }),
  recordUse: store.recordRunnerUseAcrossOrganizations,
  ending: { end: store.removeRunnerTokensAcrossOrganizations, countedAs: "runnerTokens", isDependent: true },
  scheme: { name: "runnerAuth", description: "Runner token, `sbr_…`, for twelve hours." },
});
