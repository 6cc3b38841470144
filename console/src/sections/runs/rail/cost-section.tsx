import type { AutomationUsageReport, AutomationUsageTotals } from "@signalbox/client";
import { formatCost, formatNumber, formatPercent } from "../../../lib/format.ts";
import { useRead } from "../../../lib/queries.ts";
import { runs } from "../../../texts/runs.ts";
import { Pairs } from "../../../ui/card.tsx";
import { Lamp, Tag } from "../../../ui/state.tsx";
import { Cost } from "../../../ui/time.tsx";

const texts = runs.run.cost;

interface CostSectionProps {
  usage: AutomationUsageTotals;
  reports: readonly AutomationUsageReport[];
  startedAt: number | null;
  endedAt: number | null;
  isLive: boolean;
  model: string | undefined;
}

/** What the run costs, growing while it runs. */
export function CostSection({ usage, reports, startedAt, endedAt, isLive, model }: CostSectionProps) {
  const settings = useRead("GET /v1/automation-settings", {});
  const limit = settings.data?.settings.runBudgetMicros ?? null;
  const models = [...new Set(reports.map((report) => report.model).filter((one) => one !== null))];
  return (
    <section>
      <h2>
        {texts.title}
        {isLive && (
          <Tag tone="live">
            <Lamp tone="live" />
            {runs.live}
          </Tag>
        )}
      </h2>
      <p className="cost">
        <Cost micros={usage.costMicros} decimals={4} />
      </p>
      {limit !== null && limit > 0 && usage.costMicros !== null && (
        <p className="t3 small">{texts.share(formatPercent(usage.costMicros / limit), formatCost(limit))}</p>
      )}
      {!usage.priced && <p className="care small">{texts.unpriced}</p>}
      {startedAt !== null && reports.length > 0 && (
        <CostChart reports={reports} startedAt={startedAt} endedAt={endedAt} isLive={isLive} />
      )}
      <div className="tok">
        <Pairs
          items={[
            [
              texts.input,
              <span key="in" className="num">
                {formatNumber(usage.inputTokens)}
              </span>,
            ],
            [
              texts.output,
              <span key="out" className="num">
                {formatNumber(usage.outputTokens)}
              </span>,
            ],
            (models.length > 0 || model !== undefined) && [
              texts.model,
              <code key="model">{models.length > 0 ? models.join(", ") : model}</code>,
            ],
          ]}
        />
      </div>
    </section>
  );
}

const width = 296;
const chartHeight = 64;

type CostChartProps = Pick<CostSectionProps, "reports" | "endedAt" | "isLive"> & { startedAt: number };

/** The cost over the time of the run, as steps. */
function CostChart({ reports, startedAt, endedAt, isLive }: CostChartProps) {
  const inTime = reports.toSorted((a, b) => a.reportedAt - b.reportedAt);
  const end = Math.max(endedAt ?? Date.now(), inTime.at(-1)!.reportedAt, startedAt + 1);
  const total = inTime.reduce((sum, { costMicros }) => sum + (costMicros ?? 0), 0);
  if (total === 0) return null;
  const x = (at: number) => (Math.max(0, at - startedAt) / (end - startedAt)) * width;
  const y = (micros: number) => chartHeight - 4 - (micros / total) * (chartHeight - 12);
  let sum = 0;
  let path = `M0 ${y(0)}`;
  for (const { reportedAt, costMicros } of inTime) {
    const at = x(reportedAt).toFixed(1);
    path += ` L${at} ${y(sum).toFixed(1)}`;
    sum += costMicros ?? 0;
    path += ` L${at} ${y(sum).toFixed(1)}`;
  }
  path += ` L${width} ${y(sum).toFixed(1)}`;
  const tone = isLive ? " live" : "";
  return (
    <svg
      className="chart"
      viewBox={`0 0 ${width} ${chartHeight}`}
      role="img"
      aria-label={texts.chart(formatCost(total, 4))}
    >
      <path className={`a${tone}`} d={`${path} L${width} ${chartHeight} L0 ${chartHeight} Z`} />
      <path className={`l${tone}`} d={path} />
      <line className="base" x1="0" x2={width} y1={chartHeight - 0.5} y2={chartHeight - 0.5} />
    </svg>
  );
}
