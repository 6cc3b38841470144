import type { Caller, MemberCtx } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { hashSecret, newToken } from "../../../platform/secrets.ts";
import { membershipFrom, type Permission } from "../../permissions/index.ts";
import * as store from "./store.ts";

export const runPrefix = "sbt_";

/** What the routes ask for that a program of a run may call. */
const forPrograms: readonly Permission[] = ["automations:create", "templates:read", "connections:use"];

/** A credential for the program of a run that the caller claims. It does no more than the caller, and ends with their key. */
export function newCredential({ caller, member }: MemberCtx): {
  credential: string;
  stored: store.StoredCredential;
} {
  const credential = newToken(runPrefix);
  const keyId = caller.credential === "key" ? caller.credentialId : (caller.madeWith ?? null);
  const permissions = forPrograms.filter((name) => member.permissions.has(name));
  return { credential, stored: { hash: hashSecret(credential), keyId, permissions } };
}

/** The program of one attempt acts for the member whose run it is, and reaches what the automation was given. */
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
