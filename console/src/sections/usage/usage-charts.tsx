import { useMemo } from "react";
import { formatCost, formatExactCost, formatNumber, formatUtcDay } from "../../lib/format.ts";
import { locale } from "../../lib/locale.ts";
import { useRead } from "../../lib/queries.ts";
import { usage as texts } from "../../texts/usage.ts";
import { ChartCard, type Series } from "../../ui/chart.tsx";
import { fillDays, type UsageRow, useUsage } from "./use-usage.ts";

const dayFormat = new Intl.DateTimeFormat(locale, {
  day: "numeric",
  month: "short",
  timeZone: "UTC",
});

interface DailyChartProps {
  rows: readonly UsageRow[];
  fromAt: number;
  measure: "cost" | "tokens";
  onDay(day: string): void;
}

export function DailyChart({ rows, fromAt, measure, onDay }: DailyChartProps) {
  const days = useMemo(() => fillDays(rows, fromAt), [rows, fromAt]);
  const points = useMemo(() => days.map(({ key }) => formatUtcDay(key!)), [days]);
  const isCost = measure === "cost";
  const series = useMemo<Series[]>(
    () =>
      isCost
        ? [{ label: texts.chart.costSeries, tone: "mark", values: days.map(({ costMicros }) => costMicros) }]
        : [
            { label: texts.chart.input, tone: "mark", values: days.map(({ inputTokens }) => inputTokens) },
            { label: texts.chart.output, tone: "ink", values: days.map(({ outputTokens }) => outputTokens) },
          ],
    [days, isCost],
  );
  const total = isCost
    ? formatCost(days.reduce((sum, { costMicros }) => sum + (costMicros ?? 0), 0))
    : formatNumber(days.reduce((sum, { inputTokens, outputTokens }) => sum + inputTokens + outputTokens, 0));
  const title = isCost ? texts.chart.cost : texts.chart.tokens;
  return (
    <ChartCard
      title={title}
      beside={<span className="t3 num">{total}</span>}
      label={texts.chart.label(title, total)}
      points={points}
      series={series}
      format={isCost ? formatCost : formatCompact}
      formatTick={isCost ? formatExactCost : undefined}
      stacked={!isCost}
      onPoint={(i) => onDay(days[i]!.key!)}
    />
  );
}

const compact = new Intl.NumberFormat(locale, { notation: "compact", maximumFractionDigits: 1 });
const formatCompact = (value: number): string => compact.format(value);

const dayMs = 24 * 3_600_000;

/** What the month has cost so far, with the line that it must not cross. */
export function MonthChart() {
  const budget = useRead("GET /v1/automation-budget", {}, { everyMs: 30_000 });
  const month = budget.data?.budget.month;
  const limit = budget.data?.budget.monthlyBudgetMicros ?? null;
  const start = month === undefined ? 0 : Date.parse(`${month}-01T00:00:00Z`);
  const { rows } = useUsage("runs", "day", start, month !== undefined && limit !== null);
  const chart = useMemo(() => {
    const first = new Date(start);
    const end = Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 1);
    const days = fillDays(rows, start);
    const count = Math.round((end - start) / dayMs);
    let sum = 0;
    const spent = Array.from({ length: count }, (_, i) => {
      if (i >= days.length) return null;
      sum += days[i]!.costMicros ?? 0;
      return sum;
    });
    return {
      points: spent.map((_, i) => dayFormat.format(start + i * dayMs)),
      series: [
        { label: texts.month.spent, tone: "ink" as const, form: "line" as const, values: spent },
        {
          label: texts.month.budget,
          tone: "care" as const,
          form: "line" as const,
          values: spent.map(() => limit),
        },
      ],
    };
  }, [rows, start, limit]);
  if (month === undefined || limit === null) return null;
  const name = new Intl.DateTimeFormat(locale, { month: "long", timeZone: "UTC" }).format(start);
  return (
    <ChartCard
      title={texts.month.title(name)}
      label={texts.month.label(formatCost(budget.data!.budget.spentMicros), formatCost(limit))}
      points={chart.points}
      series={chart.series}
      format={formatCost}
      formatTick={formatExactCost}
      height={180}
    />
  );
}
