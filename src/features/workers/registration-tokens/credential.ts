import type { CredentialType } from "../../../platform/http/index.ts";
import * as store from "./store.ts";

export const registrationPrefix = "sbg_";

/** Registers workers, and can do nothing else. */
export const registrationCredential: CredentialType = {
  kind: "worker_registration",
  carrier: "bearer",
  prefix: registrationPrefix,
  async find(db, tokenHash) {
    const found = await store.findByToken(db, tokenHash);
    return (
      found && {
        credential: "worker_registration",
        credentialId: found.id,
        // A secret has no id of its own.
        madeWith: found.start,
        principal: "machine",
        machine: { orgId: found.orgId, permissions: new Set(), isSuspended: found.isSuspended },
      }
    );
  },
  ending: { end: store.removeOfMembersAcrossOrganizations, countedAs: "workerRegistrationTokens" },
  scheme: {
    name: "workerRegistrationAuth",
    description: "Registration token, `sbg_…`, which a machine exchanges for a worker and its token.",
  },
};
