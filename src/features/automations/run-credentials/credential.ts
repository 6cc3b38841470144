import { definePersonalCredential } from "../../credentials/index.ts";
import { runCredentialPrefix, runPermissions } from "./service.ts";
import * as store from "./store.ts";

/** The program acts for the member who owns the run. It reaches only this run and its resources. */
export const runCredential = definePersonalCredential({
  kind: "run",
  carrier: "bearer",
  prefix: runCredentialPrefix,
  lookup: store.findRunByToken,
  limit: ({ permissions }) => permissions ?? runPermissions,
  describe: ({ id, attempt, holder, templateIds, connectionIds, modelProviderId }) => ({
    attempt,
    holder,
    limitedTo: new Set([id, ...templateIds, ...connectionIds, ...(modelProviderId ? [modelProviderId] : [])]),
  }),
  // It ends with a row of the attempt, which nobody announces.
  cached: false,
  ending: { end: store.endRunCredentialsAcrossOrganizations },
  scheme: { name: "runAuth", description: "Run credential, `sbt_…`, for one attempt of a run." },
});
