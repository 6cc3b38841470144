import type { MemberCtx } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import { notFound } from "../../platform/errors.ts";
import { isId } from "../../platform/ids.ts";
import type { Reader } from "./grants/index.ts";
import type { ConnectionId } from "./model.ts";
import * as store from "./store.ts";

/** The caller, as grants know it. */
export const toReader = ({ member, caller }: MemberCtx): Reader => ({
  memberId: member.id,
  runId: caller.credential === "run" ? caller.credentialId : null,
  seesAll: caller.credential !== "run" && member.permissions.has("mcp_connections:manage"),
});

/** A connection that the caller may see. */
export async function requireConnection(ctx: MemberCtx, db: Db, id: string): Promise<store.DetailRow> {
  const row = isId("mcn", id) ? await store.find(db, ctx.orgId, toReader(ctx), id) : undefined;
  if (!row) throw notFound("mcp_connection");
  return row;
}

/** For callers who manage connections: the id, if it is one of the organization. */
export async function requireId({ db, orgId }: MemberCtx, id: string): Promise<ConnectionId> {
  if (isId("mcn", id) && (await store.listExisting(db, orgId, [id])).length > 0) return id;
  throw notFound("mcp_connection");
}

/** Locks a connection until the transaction ends. */
export async function lockConnection({ orgId }: MemberCtx, tx: Db, id: string): Promise<store.SettingsRow> {
  const row = isId("mcn", id) ? await store.lock(tx, orgId, id) : undefined;
  if (!row) throw notFound("mcp_connection");
  return row;
}
