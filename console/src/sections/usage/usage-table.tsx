import { ChartColumn } from "lucide-react";
import { formatNumber, formatPercent, formatUtcDay } from "../../lib/format.ts";
import { usePath } from "../../lib/paths.ts";
import type { ListResult } from "../../lib/queries.ts";
import { usage as texts } from "../../texts/usage.ts";
import { Empty } from "../../ui/feedback.tsx";
import { type Column, DataTable } from "../../ui/table.tsx";
import { Cost } from "../../ui/time.tsx";
import type { Dimension, Source, UsageRow } from "./use-usage.ts";

/** The start and end of a day in UTC, as filters of the runs. */
export const toDayRange = (day: string) => {
  const from = Date.parse(`${day}T00:00:00Z`);
  return { from, to: from + 24 * 3_600_000 };
};

/** Where a row leads, below the organization. */
function findPlace(
  by: Dimension,
  key: string | null,
): { to: string; search?: Record<string, unknown> } | undefined {
  if (key === null) return undefined;
  switch (by) {
    case "day":
      return { to: "/runs", search: toDayRange(key) };
    case "automation":
      return { to: `/automations/${key}` };
    case "member":
      return { to: "/runs", search: { memberId: key } };
    case "team":
      return { to: `/people/teams/${key}` };
    case "worker":
      return { to: `/workers/${key}` };
    case "model":
      return undefined;
  }
}

interface UsageTableProps {
  list: Omit<ListResult<unknown>, "rows"> & { rows: readonly UsageRow[] };
  by: Dimension;
  source: Source;
}

export function UsageTable({ list, by, source }: UsageTableProps) {
  const path = usePath();
  const rows =
    by === "day" ? list.rows : list.rows.toSorted((a, b) => (b.costMicros ?? 0) - (a.costMicros ?? 0));
  const total = rows.reduce((sum, { costMicros }) => sum + (costMicros ?? 0), 0);
  return (
    <DataTable
      label={texts.dimensions[by]!}
      what={texts.what}
      list={{ ...list, rows }}
      columns={createColumns(by, source, total)}
      rowKey={({ key }) => key ?? ""}
      to={(row) => {
        const place = findPlace(by, row.key);
        return place ? { ...place, to: path(place.to) } : undefined;
      }}
      empty={<Empty icon={ChartColumn} title={texts.empty.title} text={texts.empty.text} />}
    />
  );
}

const createColumns = (by: Dimension, source: Source, total: number): Column<UsageRow>[] => [
  {
    head: texts.nouns[by]!,
    isName: true,
    cell: ({ key, name }) =>
      by === "day" && key ? formatUtcDay(key) : by === "model" && key ? <code>{name}</code> : name,
  },
  { head: texts.columns.cost, align: "r", cell: ({ costMicros }) => <Cost micros={costMicros} /> },
  {
    head: texts.columns.share,
    align: "r",
    phone: "hide",
    cell: ({ costMicros }) =>
      total > 0 &&
      costMicros !== null && (
        <span className="row share">
          <progress max={1} value={costMicros / total} aria-label={texts.columns.share} />
          <span className="num">{formatPercent(costMicros / total)}</span>
        </span>
      ),
  },
  {
    head: texts.columns.input,
    align: "r",
    phone: "hide",
    cell: ({ inputTokens }) => formatNumber(inputTokens),
  },
  {
    head: texts.columns.output,
    align: "r",
    phone: "hide",
    cell: ({ outputTokens }) => formatNumber(outputTokens),
  },
  {
    head: source === "runs" ? texts.columns.runs : texts.columns.events,
    align: "r",
    phone: "hide",
    cell: ({ count }) => formatNumber(count),
  },
];
