import type { CredentialType } from "../../../platform/http/index.ts";
import * as store from "./store.ts";

export const scimPrefix = "sbs_";

/**
 * The token of a directory: a machine of its organization. The credential is the connector, so that audit entries name
 * it. The caller loses access when the token ends.
 */
export const scimCredential: CredentialType = {
  kind: "scim",
  carrier: "bearer",
  prefix: scimPrefix,
  async find(db, tokenHash) {
    const found = await store.findConnectorByToken(db, tokenHash);
    if (!found) return undefined;
    const { id, connectorId, orgId, isSuspended } = found;
    return {
      credential: "scim",
      credentialId: connectorId,
      madeWith: id,
      principal: "machine",
      machine: { orgId, permissions: new Set(), isSuspended },
    };
  },
  scheme: { name: "scimAuth", description: "SCIM token, `sbs_…`, for the directory of an organization." },
};
