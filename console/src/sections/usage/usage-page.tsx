import { useNavigate } from "@tanstack/react-router";
import { Download } from "lucide-react";
import { usePermission } from "../../lib/context.tsx";
import { formatCsv, saveFile } from "../../lib/csv.ts";
import { useFilters, usePath } from "../../lib/paths.ts";
import { usage as texts } from "../../texts/usage.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Failure, Skeleton } from "../../ui/feedback.tsx";
import { Page } from "../../ui/page.tsx";
import { Select } from "../../ui/select.tsx";
import { Segments } from "../../ui/tabs.tsx";
import { BudgetsCard } from "./budgets-card.tsx";
import { DailyChart, MonthChart } from "./usage-charts.tsx";
import { toDayRange, UsageTable } from "./usage-table.tsx";
import "./usage.css";
import {
  type Dimension,
  dimensionsOf,
  findRangeStart,
  type Source,
  type UsageRow,
  useUsage,
} from "./use-usage.ts";

const ranges: Record<string, number> = { "7d": 7, "30d": 30, "90d": 90 };

export default function UsagePage() {
  const { filters, setFilters } = useFilters();
  const seesRuns = usePermission("automations:create");
  const seesTelemetry = usePermission("telemetry:report");
  const seesRunsOfAll = usePermission("usage:read");
  const seesBudgets = usePermission("llm_providers:manage");
  const path = usePath();
  const navigate = useNavigate();
  const source: Source = filters.source === "telemetry" || !seesRuns ? "telemetry" : "runs";
  const by = dimensionsOf[source].find((one) => one === filters.by) ?? "automation";
  const range = filters.range && Object.hasOwn(ranges, filters.range) ? filters.range : "30d";
  const measure = filters.measure === "tokens" ? "tokens" : "cost";
  const fromAt = findRangeStart(ranges[range]!);
  const days = useUsage(source, "day", fromAt);
  const groups = useUsage(source, by, fromAt);
  const openDay = (day: string) => void navigate({ to: path("/runs"), search: toDayRange(day) as never });
  return (
    <Page
      name={texts.title}
      title={texts.title}
      lead={texts.lead}
      actions={
        <Segments
          label={texts.range}
          value={range}
          onChange={(next) => setFilters({ range: next === "30d" ? undefined : next })}
          options={Object.keys(ranges).map((value) => ({ value, label: texts.ranges[value] }))}
        />
      }
    >
      <div className="filters">
        {seesRuns && seesTelemetry && (
          <Segments<Source>
            label={texts.source}
            value={source}
            onChange={(next) => setFilters({ source: next === "runs" ? undefined : next })}
            options={(["runs", "telemetry"] as const).map((value) => ({
              value,
              label: texts.sources[value],
            }))}
          />
        )}
        <Segments
          label={texts.measure}
          value={measure}
          onChange={(next) => setFilters({ measure: next === "cost" ? undefined : next })}
          options={(["cost", "tokens"] as const).map((value) => ({ value, label: texts.measures[value] }))}
        />
        <span className="t3 small grow">{texts.sourceHints[source]}</span>
      </div>
      <Scope source={source} />
      <div className="stack">
        {/* Days that could not be read are not days without cost. */}
        {days.rows.length === 0 && days.error != null ? (
          <Failure error={days.error} what={texts.what} onRetry={days.retry} />
        ) : days.isLoading ? (
          <Skeleton />
        ) : (
          <DailyChart rows={days.rows} fromAt={fromAt} measure={measure} onDay={openDay} />
        )}
        {/* The budget is that of everybody, so the costs of one member say nothing about it. */}
        {source === "runs" && seesRunsOfAll && <MonthChart />}
        <Card
          title={texts.dimensions[by]}
          actions={
            <>
              <Select
                label={texts.by}
                value={by}
                onChange={(next) => setFilters({ by: next === "automation" ? undefined : next })}
                options={dimensionsOf[source].map((value) => ({ value, label: texts.dimensions[value]! }))}
              />
              <Button size="s" icon={Download} onClick={() => exportCsv(source, by, groups.rows)}>
                {texts.export}
              </Button>
            </>
          }
        >
          {groups.rows.some(({ isPriced }) => !isPriced) && (
            <p className="unpriced care small">{texts.unpriced}</p>
          )}
          <UsageTable list={groups} by={by} source={source} />
        </Card>
        {seesBudgets && <BudgetsCard />}
      </div>
    </Page>
  );
}

/** Says so when the figures are only the reader's own. */
function Scope({ source }: { source: Source }) {
  const seesAll = usePermission(source === "runs" ? "usage:read" : "telemetry:read");
  if (seesAll) return null;
  return <p className="note scope">{source === "runs" ? texts.own : texts.ownTelemetry}</p>;
}

function exportCsv(source: Source, by: Dimension, rows: readonly UsageRow[]): void {
  const count = source === "runs" ? "runs" : "events";
  const head = [by, "name", "costUsd", "inputTokens", "outputTokens", count];
  const lines = rows.map((row) => [
    row.key,
    row.name,
    row.costMicros === null ? null : row.costMicros / 1_000_000,
    row.inputTokens,
    row.outputTokens,
    row.count,
  ]);
  saveFile(texts.fileName(source, by), formatCsv([head, ...lines]));
}
