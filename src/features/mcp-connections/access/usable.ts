import type { MemberCtx, OrgId, Platform } from "../../../platform/context.ts";
import { isId } from "../../../platform/ids.ts";
import { toReader } from "../find.ts";
import * as store from "../grants/index.ts";
import { type ConnectionId, fillLimits, fillPolicy, type UsableConnection } from "../model.ts";
import { openUrl } from "../sealing.ts";

/** A row of `usableColumns` with its address opened and its defaults filled in. */
export const toUsable = (
  { keyring }: Pick<Platform, "keyring">,
  orgId: OrgId,
  { sealedUrl, policy, limits, ...row }: store.UsableRow,
): UsableConnection => ({
  ...row,
  orgId,
  url: sealedUrl === null ? row.url : openUrl(keyring, { id: row.id, orgId, url: row.url }, sealedUrl),
  policy: fillPolicy(policy),
  limits: fillLimits(limits),
});

/** The enabled connections that the caller may use now. */
export async function listUsable(ctx: MemberCtx): Promise<UsableConnection[]> {
  if (!ctx.member.permissions.has("mcp_connections:use")) return [];
  const rows = await store.listUsable(ctx.db, ctx.orgId, toReader(ctx), null);
  return rows.map((row) => toUsable(ctx, ctx.orgId, row));
}

export async function findUsable(
  ctx: MemberCtx,
  connectionId: string,
): Promise<UsableConnection | undefined> {
  if (!isId("mcn", connectionId) || !ctx.member.permissions.has("mcp_connections:use")) return undefined;
  const [row] = await store.listUsable(ctx.db, ctx.orgId, toReader(ctx), connectionId);
  return row && toUsable(ctx, ctx.orgId, row);
}

/** For work that acts for nobody, such as a regular check. Undefined when it does not exist. */
export async function findConnection(
  platform: Platform,
  orgId: OrgId,
  id: ConnectionId,
): Promise<(UsableConnection & { enabled: boolean }) | undefined> {
  const row = await store.findConnection(platform.db, orgId, id);
  if (!row) return undefined;
  const { enabled, ...rest } = row;
  return { ...toUsable(platform, orgId, rest), enabled };
}
