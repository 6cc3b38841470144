import type { OrgId, Platform } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { checkBudgets, isMonthlyOfOrganization } from "../../llm-providers/index.ts";
import * as store from "./store.ts";

/** `runs` has this job, and imports this folder, so the job is named and not imported. */
const stopOrganization = { name: "automations.stop-organization" };

/**
 * Queues the stop of all runs while the monthly budget of the organization is exceeded. It does not depend on who was
 * notified: after a correction or a changed limit, the same budget can be exceeded again in the same month.
 */
export async function stopRuns({ jobs }: Pick<Platform, "jobs">, tx: Db, orgId: OrgId): Promise<void> {
  // Runs are locked one by one in a job, because locking them here could cause a deadlock.
  if (await store.hasRunsToStop(tx, orgId)) await jobs.add(tx, stopOrganization, { orgId });
}

/**
 * Checks budgets after costs changed that no run reports now. Beyond the monthly budget of the organization its runs are
 * stopped; beyond another budget, runs end with their next report.
 */
export async function checkChangedCosts(
  platform: Pick<Platform, "jobs">,
  tx: Db,
  orgId: OrgId,
  subjectIds: readonly string[],
): Promise<void> {
  const exceeded = await checkBudgets(tx, orgId, subjectIds);
  if (exceeded && isMonthlyOfOrganization(exceeded)) await stopRuns(platform, tx, orgId);
}
