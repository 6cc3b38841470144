import type { OverviewRuns } from "@signalbox/client";
import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { formatClock, formatCost, formatDay, formatExactCost, formatNumber } from "../../lib/format.ts";
import { usePath } from "../../lib/paths.ts";
import { overview } from "../../texts/overview.ts";
import { ChartCard, type Series } from "../../ui/chart.tsx";

const texts = overview.chart;

/** Runs and costs over time. A click on a bar opens its runs. */
export function RunCharts({ runs }: { runs: OverviewRuns }) {
  const navigate = useNavigate();
  const path = usePath();
  const { items, interval, period } = runs;
  const points = useMemo(
    () => items.map(({ start }) => (interval === "hour" ? formatClock(start) : formatDay(start))),
    [items, interval],
  );
  const series = useMemo<Series[]>(() => {
    const all: Series[] = [
      { label: texts.succeeded, tone: "mark", values: items.map(({ succeeded }) => succeeded) },
      { label: texts.skipped, tone: "care", values: items.map(({ skipped }) => skipped) },
      { label: texts.failed, tone: "bad", values: items.map(({ failed }) => failed) },
      { label: texts.cancelled, tone: "ink", values: items.map(({ cancelled }) => cancelled) },
      { label: texts.open, tone: "live", values: items.map(({ queued, running }) => queued + running) },
    ];
    return all.filter(({ values }, i) => i < 3 || values.some((value) => value !== 0));
  }, [items]);
  const costs = useMemo<Series[]>(
    () => [{ label: texts.cost, tone: "mark", values: items.map(({ costMicros }) => costMicros) }],
    [items],
  );
  const openRuns = (i: number) => {
    const { start, end } = items[i]!;
    void navigate({ to: path("/runs"), search: { from: start, to: end } as never });
  };
  return (
    <>
      <ChartCard
        title={interval === "hour" ? texts.hour : texts.day}
        label={texts.label(formatNumber(period.runs), formatNumber(period.failed))}
        points={points}
        series={series}
        format={formatNumber}
        stacked
        onPoint={openRuns}
      />
      <ChartCard
        title={interval === "hour" ? texts.costHour : texts.costDay}
        label={texts.costLabel(formatCost(period.costMicros))}
        points={points}
        series={costs}
        format={formatCost}
        formatTick={formatExactCost}
        onPoint={openRuns}
        height={140}
      />
    </>
  );
}
