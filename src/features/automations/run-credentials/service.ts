import type { MemberCtx } from "../../../platform/context.ts";
import { isId } from "../../../platform/ids.ts";
import { hashSecret, newToken } from "../../../platform/secrets.ts";
import type { Permission } from "../../permissions/index.ts";
import type * as store from "./store.ts";

export const runCredentialPrefix = "sbt_";

/** The permissions of the routes that the program of a run may call. */
export const runPermissions: readonly Permission[] = [
  "automations:create",
  "templates:read",
  "connections:use",
  "mcp_connections:use",
  "telemetry:report",
  "llm_providers:use",
];

/** Creates the credential of a claimed run. It has no more rights than the caller, and ends with the caller's key. */
export function createRunCredential({ caller, member }: MemberCtx): {
  credential: string;
  stored: store.StoredCredential;
} {
  const credential = newToken(runCredentialPrefix);
  const madeWith = caller.credential === "key" ? caller.credentialId : caller.madeWith;
  const keyId = madeWith !== undefined && isId("key", madeWith) ? madeWith : null;
  const permissions = runPermissions.filter((name) => member.permissions.has(name));
  return { credential, stored: { hash: hashSecret(credential), keyId, permissions } };
}
