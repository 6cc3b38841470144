import { dayMs } from "../../../platform/days.ts";

const averageDays = 7;
const minDays = 3;

export interface SpendByDay {
  /** Days in UTC with a cost. They include all of this month, and the seven days before today. */
  days: readonly { day: string; costMicros: number }[];
  /** The first day with a cost. */
  firstDay: string | null;
  now: number;
}

/**
 * What the month will have cost: what is spent, plus the average of the last complete days for the time that is left.
 * The average covers the complete days since the first cost, at most seven. With fewer than three there is none.
 */
export function forecastMonth({ days, firstDay, now }: SpendByDay, budgetMicros: number | null) {
  const at = new Date(now);
  const monthStart = Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1);
  const endsAt = Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1);
  const today = Math.floor(now / dayMs) * dayMs;
  const sum = (from: number, to: number) =>
    days
      .filter(({ day }) => Date.parse(day) >= from && Date.parse(day) < to)
      .reduce((total, { costMicros }) => total + costMicros, 0);
  const spentMicros = Math.min(sum(monthStart, endsAt), Number.MAX_SAFE_INTEGER);
  const daysSinceFirst = firstDay === null ? 0 : Math.round((today - Date.parse(firstDay)) / dayMs);
  const forecastDays = Math.max(0, Math.min(averageDays, daysSinceFirst));
  const hasEnough = forecastDays >= minDays;
  const perDay = hasEnough ? sum(today - forecastDays * dayMs, today) / forecastDays : 0;
  const expected = spentMicros + (perDay * (endsAt - now)) / dayMs;
  const forecastMicros = hasEnough ? Math.min(Math.round(expected), Number.MAX_SAFE_INTEGER) : null;
  const isReachedLater =
    hasEnough && budgetMicros !== null && spentMicros < budgetMicros && expected >= budgetMicros;
  return {
    month: at.toISOString().slice(0, 7),
    endsAt,
    spentMicros,
    budgetMicros,
    forecastMicros,
    forecastDays,
    budgetReachedAt: isReachedLater
      ? Math.round(now + ((budgetMicros - spentMicros) / perDay) * dayMs)
      : null,
  };
}
