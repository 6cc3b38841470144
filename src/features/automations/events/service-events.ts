import type { MemberCtx } from "../../../platform/context.ts";
import { overhead, quotaMeter } from "../../quotas/index.ts";
import { alreadyCompleted, parseRunId, runChanges } from "../runs/index.ts";
import type { RunEvent } from "./contract.ts";
import { formatEvent } from "./event-rows.ts";
import * as store from "./store.ts";

/** Leaves out the events of the service, and gives the others the numbers that the runner knows. */
export function numberReports<Event extends { sequence: number }>(
  events: readonly Event[],
  positions: readonly number[],
): Event[] {
  const isOfService = new Set(positions);
  return events
    .filter(({ sequence }) => !isOfService.has(sequence))
    .map((event) => ({
      ...event,
      sequence: event.sequence - positions.filter((position) => position < event.sequence).length,
    }));
}

export type ServiceEvent = Pick<RunEvent, "payload"> & {
  type: "capability_search" | "capability_execution";
};

/**
 * Adds an event to the run of the caller's run credential, after its last event. Throws `run_already_completed` when the
 * attempt of the credential has ended. When the organization's storage is full, nothing is added.
 */
export async function recordServiceEvent(ctx: MemberCtx, { type, payload }: ServiceEvent): Promise<void> {
  const { credential, credentialId, attempt } = ctx.caller;
  if (credential !== "run" || attempt === undefined)
    throw new Error("Only a run credential has a run to add events to.");
  const id = parseRunId(credentialId);
  const { text, bytes } = formatEvent(type, Date.now(), JSON.stringify(payload));
  const size = bytes + overhead.event;
  const meter = ctx.state.get(quotaMeter);
  if (await meter.findRefusal(ctx.db, ctx.orgId, "automation_storage", size)) return;
  const stored = await ctx.db.transaction(async (tx) => {
    if (!(await store.lockRunningAttempt(tx, ctx.orgId, id, attempt))) return 0;
    return store.insertServiceEvent(tx, ctx.orgId, id, attempt, text);
  });
  if (stored === 0) throw alreadyCompleted();
  meter.add(ctx.orgId, "automation_storage", size);
  ctx.state.get(runChanges).announce(ctx.db, id);
}
