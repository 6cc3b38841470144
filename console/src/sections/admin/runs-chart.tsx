import { formatUtcDay } from "../../lib/format.ts";
import { admin } from "../../texts/admin.ts";
import { ChartCard } from "../../ui/chart.tsx";
import { Loaded } from "../../ui/feedback.tsx";
import { useUsageByDay } from "./usage-by-day.ts";

const texts = admin.usage;

/** Runs by day and outcome. */
export function RunsChart({ days }: { days: number }) {
  const usage = useUsageByDay(days);
  return (
    <Loaded query={usage} what={texts.what}>
      {({ items }) => {
        const ordered = items.toSorted((a, b) => a.start.localeCompare(b.start));
        return (
          <ChartCard
            title={texts.runs}
            label={texts.runs}
            points={ordered.map(({ start }) => formatUtcDay(start))}
            stacked
            series={[
              { label: texts.succeeded, tone: "mark", values: ordered.map(({ succeeded }) => succeeded) },
              { label: texts.failed, tone: "bad", values: ordered.map(({ failures }) => failures) },
              {
                label: texts.other,
                tone: "care",
                values: ordered.map(({ cancelled, skipped }) => cancelled + skipped),
              },
            ]}
          />
        );
      }}
    </Loaded>
  );
}
