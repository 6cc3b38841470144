import type { OrgId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { announce } from "../../notifications/index.ts";
import type { Run } from "./contract.ts";
import * as store from "./store.ts";

/** Ends a run, and announces it if it failed. A run that was stopped because it ran too long counts as failed. */
export async function endRun(
  tx: Db,
  orgId: OrgId,
  id: store.RunId,
  ending: store.Ending,
): Promise<Run | undefined> {
  const run = await store.endRun(tx, orgId, id, ending);
  if (run && (run.status === "failed" || run.reason === "timed_out")) {
    const { automationId, memberId, attempt, trigger, reason, reasonDetail: message } = run;
    const fact = { runId: id, automationId, memberId, attempt, trigger, reason, message };
    await announce(tx, orgId, { type: "run.failed", ...fact });
  }
  return run;
}
