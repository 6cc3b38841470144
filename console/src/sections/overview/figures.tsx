import type { OverviewCounts, OverviewRuns } from "@signalbox/client";
import { Link } from "@tanstack/react-router";
import { ArrowUpRight } from "lucide-react";
import type { ReactNode } from "react";
import { formatCost, formatNumber } from "../../lib/format.ts";
import { locale } from "../../lib/locale.ts";
import { usePath } from "../../lib/paths.ts";
import { overview } from "../../texts/overview.ts";
import { Lamp } from "../../ui/state.tsx";

const texts = overview.figures;

interface FiguresProps {
  runs: OverviewRuns | undefined;
  counts: OverviewCounts | undefined;
  period: string;
}

/** Four figures. Each leads to the list that it counts. */
export function Figures({ runs, counts, period }: FiguresProps) {
  return (
    <section className="card kpis" aria-label={texts.label(period)}>
      {runs && <RunFigures runs={runs} period={period} />}
      {counts?.runs && (
        <Figure
          to="/runs"
          search={{ status: "queued,running" }}
          label={
            <>
              <Lamp tone={counts.runs.running > 0 ? "live" : "none"} pulse={counts.runs.running > 0} />
              {texts.now}
            </>
          }
          value={formatNumber(counts.runs.running)}
          beside={texts.running(formatNumber(counts.runs.queued))}
        >
          {counts.workers && (
            <span className="sub">
              {texts.workers(formatNumber(counts.workers.present), formatNumber(counts.workers.total))}
            </span>
          )}
        </Figure>
      )}
    </section>
  );
}

function RunFigures({
  runs: { period: sums, before, month, costScope },
  period,
}: {
  runs: OverviewRuns;
  period: string;
}) {
  const unsuccessful = sums.failed + sums.skipped + sums.cancelled;
  const ended = sums.succeeded + unsuccessful;
  const range = { from: sums.start, to: sums.end };
  const share = month.budgetMicros ? month.spentMicros / month.budgetMicros : undefined;
  const monthName = new Intl.DateTimeFormat(locale, { month: "long", timeZone: "UTC" }).format(
    new Date(`${month.month}-01T00:00:00Z`),
  );
  return (
    <>
      <Figure
        to="/runs"
        search={range}
        label={texts.runs}
        value={formatNumber(sums.runs)}
        beside={ended > 0 && texts.succeeded(`${((sums.succeeded / ended) * 100).toFixed(1)}%`)}
      >
        <span className="sub no-phone">{texts.before(formatNumber(before.runs), period)}</span>
      </Figure>
      <Figure
        to="/runs"
        search={{ status: "failed,skipped,cancelled", ...range }}
        label={texts.unsuccessful}
        value={formatNumber(unsuccessful)}
      >
        <span className="sub">
          {unsuccessful === 0 ? (
            texts.none
          ) : (
            <>
              <span className="bad">{texts.failed(formatNumber(sums.failed))}</span>
              {" · "}
              <span className="care">{texts.skipped(formatNumber(sums.skipped))}</span>
              {sums.cancelled > 0 && ` · ${texts.cancelled(formatNumber(sums.cancelled))}`}
            </>
          )}
        </span>
      </Figure>
      <Figure
        to="/usage"
        label={costScope === "own" ? texts.ownCost(monthName) : texts.cost(monthName)}
        value={formatCost(month.spentMicros)}
        beside={month.budgetMicros !== null && texts.of(formatCost(month.budgetMicros))}
      >
        {share !== undefined && (
          <progress
            className={share >= 0.8 ? "care" : ""}
            max={1}
            value={Math.min(1, share)}
            aria-label={texts.spent}
          />
        )}
        <span className="sub">
          {month.forecastMicros === null
            ? texts.noForecast
            : texts.forecast(formatCost(month.forecastMicros))}
        </span>
      </Figure>
    </>
  );
}

interface FigureProps {
  to: string;
  search?: Record<string, unknown>;
  label: ReactNode;
  value: string;
  beside?: ReactNode;
  children?: ReactNode;
}

function Figure({ to, search = {}, label, value, beside, children }: FigureProps) {
  const path = usePath();
  return (
    <Link className="kpi" to={path(to)} search={search as never}>
      <span className="label">
        {label}
        <ArrowUpRight className="i s" aria-hidden />
      </span>
      <span className="fig">
        {value}
        {beside && <small>{beside}</small>}
      </span>
      {children}
    </Link>
  );
}
