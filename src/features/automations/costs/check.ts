import type { OrgId, Platform } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { checkBudgets, isMonthlyOfOrganization } from "../../llm-providers/index.ts";

/** `runs` has this job, and imports this folder, so the job is named and not imported. */
const stopOrganization = { name: "automations.stop-organization" };

/**
 * Checks budgets after costs changed that no run reports now. Beyond the monthly budget of the organization its runs are
 * stopped; beyond another budget, runs end with their next report.
 */
export async function checkChangedCosts(
  { jobs }: Pick<Platform, "jobs">,
  tx: Db,
  orgId: OrgId,
  subjectIds: readonly string[],
): Promise<void> {
  const exceeded = await checkBudgets(tx, orgId, subjectIds);
  if (exceeded?.isFirst && isMonthlyOfOrganization(exceeded)) await jobs.add(tx, stopOrganization, { orgId });
}
