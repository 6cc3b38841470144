import { conflict } from "../../../platform/errors.ts";
import type { Run } from "./contract.ts";

/** Decides whether a report is accepted. It is read while the run's row is locked, with the database's clock. */
export interface LeaseState {
  status: Run["status"];
  attempt: number;
  holder: string | null;
  /** The lease has not ended. */
  live: boolean;
  /** The run ended without a report, so a report of its last holder is late. */
  fenced: boolean;
}

export const isOver = ({ status }: Pick<Run, "status">) => status !== "queued" && status !== "running";

/** After a lost lease the run gets another attempt. After the second lost lease it fails. */
export const maxAttempts = 2;

/**
 * Checks whether `holder` may report for `attempt`.
 * - `holds`: the report is accepted.
 * - `claimable`: no holder has the run, and `attempt` is its next attempt.
 * - `over`: the run ended with a report, or before it was claimed.
 * - `lost`: the reporter does not have the lease of the attempt.
 */
export function checkFence(
  run: LeaseState,
  attempt: number,
  holder: string,
): "holds" | "claimable" | "over" | "lost" {
  if (run.status === "running") {
    if (run.live) return attempt === run.attempt && holder === run.holder ? "holds" : "lost";
    return attempt === run.attempt + 1 && run.attempt < maxAttempts ? "claimable" : "lost";
  }
  if (run.status === "queued") return attempt === run.attempt + 1 ? "claimable" : "lost";
  return attempt < run.attempt || (attempt === run.attempt && run.fenced) ? "lost" : "over";
}

export const leaseLost = (run: LeaseState, attempt: number, more: Record<string, unknown> = {}) =>
  conflict(
    "runner_lease_lost",
    attempt > run.attempt
      ? `Attempt ${attempt} has not begun: the run has had ${run.attempt}. Claim the run first.`
      : `The lease of attempt ${attempt} is not yours or has ended. Stop working on this run. What you sent is kept as a late report, if there is room.`,
    more,
  );

export const alreadyCompleted = (more: Record<string, unknown> = {}) =>
  conflict("run_already_completed", "The run has ended, nothing can be added to it. Start a new run.", more);

export const resultConflict = ({ status, hasReport }: { status: Run["status"]; hasReport: boolean }) =>
  conflict(
    "terminal_result_conflict",
    hasReport
      ? "The run has already ended with a different report. The first one stands."
      : `The run ended (${status}) before this attempt began, so it takes no report. Start a new run.`,
  );
