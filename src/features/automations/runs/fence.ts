import { conflict } from "../../../platform/errors.ts";
import type { Run } from "./contract.ts";

/** What decides whether a report counts. Read under the lock of the run's row, by the database's clock. */
export interface LeaseState {
  status: Run["status"];
  attempt: number;
  holder: string | null;
  /** The lease has not ended. */
  live: boolean;
  /** The run ended without a report: what its last holder still sends is late. */
  fenced: boolean;
}

export const isOver = ({ status }: Pick<Run, "status">) => status !== "queued" && status !== "running";

/** A lost lease is given another attempt; lost again, the run has failed. */
export const maxAttempts = 2;

/**
 * What a report for `attempt` by `holder` meets.
 * - `holds`: it counts.
 * - `claimable`: nobody has the run, and this would be its next attempt.
 * - `over`: the run ended by a report, or before anybody had it.
 * - `lost`: the attempt belongs, or belonged, to a lease that the reporter does not have.
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
      : `The lease of attempt ${attempt} is not yours or has ended. Stop working on this run; what you sent was kept beside it.`,
    more,
  );

export const alreadyCompleted = (more: Record<string, unknown> = {}) =>
  conflict("run_already_completed", "The run has ended, nothing can be added to it. Start a new run.", more);

export const resultConflict = () =>
  conflict(
    "terminal_result_conflict",
    "The run has already ended with a different report. The first one stands.",
  );
