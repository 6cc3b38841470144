import type { MemberCtx, OrgId, Platform } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import type { Refusal } from "../../platform/errors.ts";
import { findCountLimit, findKeepLimit, overhead, quotaMeter } from "../quotas/index.ts";
import { limits, type TemplateContent } from "./fields.ts";
import type { Write } from "./files/index.ts";
import * as store from "./store.ts";

type StoragePlatform = Pick<Platform, "bus" | "config" | "db" | "log" | "state">;

const countBytes = ({
  body,
  description,
  metadata,
}: Pick<TemplateContent, "body" | "description" | "metadata">) =>
  Buffer.byteLength(body) +
  Buffer.byteLength(description) +
  Buffer.byteLength(JSON.stringify(metadata)) +
  overhead.version;

/** Refuses a version that exceeds the storage quota. Counts the version after the commit. */
export async function checkStorage(
  ctx: MemberCtx,
  tx: Db,
  content: Pick<TemplateContent, "body" | "description" | "metadata">,
): Promise<void> {
  const meter = ctx.state.get(quotaMeter);
  const bytes = countBytes(content);
  await meter.check(tx, ctx.orgId, "template_storage", bytes);
  tx.afterCommit(() => meter.add(ctx.orgId, "template_storage", bytes));
}

/** Checks and counts the storage of versions from files. It returns the refusal, because no caller waits for a reply. */
export async function reserveStorage(
  platform: StoragePlatform,
  tx: Db,
  orgId: OrgId,
  writes: readonly Write[],
): Promise<Refusal | undefined> {
  const meter = platform.state.get(quotaMeter);
  const bytes = writes.reduce((sum, { content }) => sum + content.json.byteLength + overhead.version, 0);
  const refusal = await meter.findRefusal(tx, orgId, "template_storage", bytes);
  if (!refusal) tx.afterCommit(() => meter.add(orgId, "template_storage", bytes));
  return refusal;
}

/** How many templates a sync may leave in the organization. */
export const findMaxTemplates = async (platform: Pick<Platform, "config">, tx: Db, orgId: OrgId) =>
  Math.min(limits.perOrganization, await findCountLimit(platform, tx, orgId, "templates"));

/** Deletes the versions beyond the quota `template_versions`. */
export async function removeOldVersions(
  platform: Pick<Platform, "config">,
  tx: Db,
  orgId: OrgId,
  of: Parameters<typeof store.removeOldVersions>[2],
): Promise<void> {
  await store.removeOldVersions(tx, orgId, of, await findKeepLimit(platform, tx, orgId, "template_versions"));
}
