import type { Caller, MemberCtx } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { hashSecret, newToken } from "../../../platform/secrets.ts";
import { membershipFrom, type Permission } from "../../permissions/index.ts";
import * as store from "./store.ts";

export const runPrefix = "sbt_";

/** The permissions of the routes that the program of a run may call. */
const forPrograms: readonly Permission[] = ["automations:create", "templates:read", "connections:use"];

/** Creates the credential of a claimed run. It has no more rights than the caller, and ends with the caller's key. */
export function newCredential({ caller, member }: MemberCtx): {
  credential: string;
  stored: store.StoredCredential;
} {
  const credential = newToken(runPrefix);
  const keyId = caller.credential === "key" ? caller.credentialId : (caller.madeWith ?? null);
  const permissions = forPrograms.filter((name) => member.permissions.has(name));
  return { credential, stored: { hash: hashSecret(credential), keyId, permissions } };
}

/** The program acts for the member who owns the run. It reaches only this run and its templates and connections. */
export async function resolveRun(db: Db, tokenHash: string): Promise<Caller | undefined> {
  const row = await store.findRunByToken(db, tokenHash);
  if (!row) return undefined;
  return {
    credential: "run",
    credentialId: row.runId,
    holder: row.holder,
    userId: row.userId,
    member: membershipFrom(row, row.permissions ?? forPrograms),
    limitedTo: new Set([row.runId, ...row.templateIds, ...row.connectionIds]),
  };
}
