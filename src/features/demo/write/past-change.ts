import type { Change } from "../../audit/index.ts";

/** A change of the demo's history. */
export interface PastChange {
  at: number;
  /** The key of the person. Undefined when the service made the change. */
  by: string | undefined;
  change: Change;
}

export const createPastChange = (
  at: number,
  by: string | undefined,
  action: Change["action"],
  target: Change["target"],
  after?: Change["after"],
  before?: Change["before"],
): PastChange => ({ at, by, change: { action, target, after, before } });
