import { formatCost, formatExactCost, formatNumber, formatUtcDay } from "../../lib/format.ts";
import { useList } from "../../lib/queries.ts";
import { admin } from "../../texts/admin.ts";
import { Card } from "../../ui/card.tsx";
import { ChartCard } from "../../ui/chart.tsx";
import { Empty, Loaded } from "../../ui/feedback.tsx";
import { DataTable } from "../../ui/table.tsx";
import "./admin.css";
import { Figure } from "./figure.tsx";
import { Period, useDays } from "./period.tsx";
import { RunsChart } from "./runs-chart.tsx";
import { useUsageByDay } from "./usage-by-day.ts";

const texts = admin.usage;
const dayMs = 24 * 3_600_000;

export function AdminUsage() {
  const days = useDays();
  const usage = useUsageByDay(days);
  return (
    <div className="parts full">
      <Period />
      <Loaded query={usage} what={texts.what} rows={8}>
        {({ items, totals }) => {
          const ordered = items.toSorted((a, b) => a.start.localeCompare(b.start));
          const points = ordered.map(({ start }) => formatUtcDay(start));
          return (
            <>
              <div className="figures">
                <Figure label={admin.overview.runs} value={formatNumber(totals.runs)} />
                <Figure label={admin.overview.failed} value={formatNumber(totals.failures)} />
                <Figure label={admin.overview.cost} value={formatCost(totals.costMicros)} />
                <Figure label={texts.inputTokens} value={formatNumber(totals.inputTokens)} />
                <Figure label={texts.outputTokens} value={formatNumber(totals.outputTokens)} />
                <Figure label={texts.unpriced} value={formatNumber(totals.unpricedReports)} />
              </div>
              <RunsChart days={days} />
              <div className="duo">
                <ChartCard
                  title={texts.cost}
                  label={texts.cost}
                  points={points}
                  series={[
                    { label: texts.cost, tone: "mark", values: ordered.map(({ costMicros }) => costMicros) },
                  ]}
                  format={(micros) => formatCost(micros)}
                  formatTick={(micros) => formatExactCost(micros)}
                />
                <ChartCard
                  title={texts.tokens}
                  label={texts.tokens}
                  points={points}
                  stacked
                  series={[
                    {
                      label: texts.input,
                      tone: "mark",
                      values: ordered.map(({ inputTokens }) => inputTokens),
                    },
                    {
                      label: texts.output,
                      tone: "live",
                      values: ordered.map(({ outputTokens }) => outputTokens),
                    },
                  ]}
                  format={formatNumber}
                />
              </div>
            </>
          );
        }}
      </Loaded>
      <ByOrganization days={days} />
    </div>
  );
}

function ByOrganization({ days }: { days: number }) {
  const today = Math.floor(Date.now() / dayMs) * dayMs;
  const usage = useList("GET /v1/admin/usage", {
    query: { from: today - (days - 1) * dayMs, interval: "month", groupBy: "organization", limit: 100 },
  });
  return (
    <Card title={texts.byOrganization}>
      <DataTable
        label={texts.byOrganizationLabel}
        what={texts.what}
        list={usage}
        rowKey={({ organizationId, start }) => `${organizationId} ${start}`}
        to={({ organizationId }) => ({ to: `/admin/organizations/${organizationId}` })}
        columns={[
          {
            head: texts.organization,
            isName: true,
            cell: ({ organizationName }) => organizationName ?? texts.deleted,
          },
          { head: texts.month, phone: "hide", cell: ({ start }) => start.slice(0, 7) },
          { head: admin.overview.runs, align: "r", phone: "label", cell: ({ runs }) => formatNumber(runs) },
          {
            head: texts.failed,
            align: "r",
            phone: "hide",
            cell: ({ failures }) => formatNumber(failures),
          },
          { head: admin.overview.cost, align: "r", cell: ({ costMicros }) => formatCost(costMicros) },
          {
            head: texts.inputTokens,
            align: "r",
            phone: "hide",
            cell: ({ inputTokens }) => formatNumber(inputTokens),
          },
          {
            head: texts.outputTokens,
            align: "r",
            phone: "hide",
            cell: ({ outputTokens }) => formatNumber(outputTokens),
          },
        ]}
        empty={<Empty title={texts.empty} text={texts.emptyText} />}
      />
    </Card>
  );
}
