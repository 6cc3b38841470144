import type { MemberCtx, OrgId, Platform } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import type { Refusal } from "../../platform/errors.ts";
import { keepAtMost, meterOf, overhead } from "../quotas/index.ts";
import type { Said } from "./fields.ts";
import * as store from "./store.ts";

type Needs = Pick<Platform, "bus" | "config" | "db" | "log">;

const sizeOf = ({ body, description, metadata }: Pick<Said, "body" | "description" | "metadata">) =>
  Buffer.byteLength(body) +
  Buffer.byteLength(description) +
  JSON.stringify(metadata).length +
  overhead.version;

/** Refuses one more version that there is no room for, and counts it when it is written. */
export async function checkStorage(
  ctx: MemberCtx,
  tx: Db,
  said: Pick<Said, "body" | "description" | "metadata">,
): Promise<void> {
  const meter = meterOf(ctx);
  const bytes = sizeOf(said);
  await meter.check(tx, ctx.orgId, "template_storage", bytes);
  tx.afterCommit(() => meter.add(ctx.orgId, "template_storage", bytes));
}

/** The same for what a connector found: gives the refusal, since whoever asked is not there to hear it. */
export async function takeStorage(
  platform: Needs,
  tx: Db,
  orgId: OrgId,
  found: readonly { said?: object | undefined }[],
): Promise<Refusal | undefined> {
  const meter = meterOf(platform);
  const bytes = found.reduce((sum, { said }) => sum + (said && "body" in said ? sizeOf(said as Said) : 0), 0);
  const refusal = await meter.refusal(tx, orgId, "template_storage", bytes);
  if (!refusal) tx.afterCommit(() => meter.add(orgId, "template_storage", bytes));
  return refusal;
}

/** Removes versions beyond those that the organization keeps. */
export async function removeOldVersions(
  platform: Pick<Platform, "config">,
  tx: Db,
  orgId: OrgId,
  of: Parameters<typeof store.removeOldVersions>[2],
): Promise<void> {
  await store.removeOldVersions(tx, orgId, of, await keepAtMost(platform, tx, orgId, "template_versions"));
}
