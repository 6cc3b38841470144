import type { MachineCtx, OrgId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { notFound, unauthorized } from "../../../platform/errors.ts";
import { newId } from "../../../platform/ids.ts";
import { hashSecret, newToken } from "../../../platform/secrets.ts";
import { workerPrefix } from "./credential.ts";
import * as store from "./store.ts";

/** How long earlier tokens work after a rotation. */
export const overlapHours = 24;

export interface AddedToken {
  token: string;
  tokenId: store.WorkerTokenId;
  start: string;
}

/** Creates a token for a worker. It is shown once. */
export async function addToken(tx: Db, orgId: OrgId, workerId: store.WorkerId): Promise<AddedToken> {
  const token = newToken(workerPrefix);
  const tokenId = newId("wkt");
  const start = token.slice(0, workerPrefix.length + 6);
  await store.insert(tx, orgId, workerId, { id: tokenId, start, tokenHash: hashSecret(token) });
  return { token, tokenId, start };
}

/** A worker reaches only itself, by its id or as `self`. Any other id is unknown to it. */
export function requireSelf({ caller }: MachineCtx, id: string): store.WorkerId {
  if (id !== "self" && caller.credentialId !== id) throw notFound("worker");
  return caller.credentialId as store.WorkerId;
}

/** Refuses a worker whose token has ended since the request began. The caller has locked the worker. */
export async function recheckToken({ orgId, caller }: MachineCtx, tx: Db, workerId: store.WorkerId) {
  if (!(await store.isValid(tx, orgId, workerId, caller.madeWith ?? "")))
    throw unauthorized("invalid_token", "The token is unknown, has expired or was revoked.");
}
