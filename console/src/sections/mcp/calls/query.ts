const outcomes = ["ok", "tool_error", "refused", "failed", "cancelled", "timed_out"] as const;
export type Outcome = (typeof outcomes)[number];
export { outcomes };

export interface CallFilters {
  connectionId?: string;
  memberId?: string;
  tool?: string;
  outcome?: Outcome;
  from?: number;
}

/** The filters of the address as the API takes them. Values that it would refuse are left out. */
export function readCallFilters(filters: Record<string, string | undefined>, now: number): CallFilters {
  const { connection, member, tool, period } = filters;
  const outcome = outcomes.find((value) => value === filters.outcome);
  const isPeriod = period !== undefined && /^\d{1,12}$/.test(period);
  return {
    ...(connection ? { connectionId: connection } : {}),
    ...(member ? { memberId: member } : {}),
    ...(tool ? { tool } : {}),
    ...(outcome ? { outcome } : {}),
    ...(isPeriod ? { from: Math.max(0, now - Number(period)) } : {}),
  };
}
