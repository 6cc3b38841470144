import type { Attention } from "@signalbox/client";
import { Plus } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import "./overview.css";
import { usePermission } from "../../lib/context.tsx";
import { formatNumber, readerTimeZone } from "../../lib/format.ts";
import { locale } from "../../lib/locale.ts";
import { useFilters, usePath } from "../../lib/paths.ts";
import { useRead } from "../../lib/queries.ts";
import { overview } from "../../texts/overview.ts";
import { LinkButton } from "../../ui/button.tsx";
import { Failure, Loaded, Skeleton } from "../../ui/feedback.tsx";
import { Page } from "../../ui/page.tsx";
import { Segments } from "../../ui/tabs.tsx";
import { useNow } from "../../ui/time.tsx";
import { CareCard } from "./care-card.tsx";
import { RunCharts } from "./charts.tsx";
import { Figures } from "./figures.tsx";
import { LatelyCard } from "./lately-card.tsx";
import { RunsCard } from "./runs-card.tsx";

// Only new organizations see it.
const Checklist = lazy(() =>
  import("../entry/checklist.tsx").then((module) => ({ default: module.Checklist })),
);

const ranges = ["24h", "7d", "30d"] as const;
type Range = (typeof ranges)[number];
const labels: Record<Range, string> = {
  "24h": overview.range.day,
  "7d": overview.range.week,
  "30d": overview.range.month,
};

/** The start of a range: the full hour a day ago, or the start of a day in the reader's zone. */
function findStart(range: Range): number {
  const start = new Date();
  if (range === "24h") {
    start.setMinutes(0, 0, 0);
    return start.getTime() - 23 * 3_600_000;
  }
  start.setHours(0, 0, 0, 0);
  start.setDate(start.getDate() - (range === "7d" ? 6 : 29));
  return start.getTime();
}

export default function OverviewPage() {
  const { filters, setFilters } = useFilters();
  const path = usePath();
  const mayAutomate = usePermission("automations:create");
  const range = ranges.find((one) => one === filters.range) ?? "30d";
  const runs = useRead(
    "GET /v1/overview/runs",
    {
      query: {
        from: findStart(range),
        timeZone: readerTimeZone(),
        interval: range === "24h" ? "hour" : "day",
      },
    },
    { enabled: mayAutomate, everyMs: 15_000 },
  );
  const counts = useRead("GET /v1/overview/counts", {}, { everyMs: 5_000 });
  const attention = useRead("GET /v1/overview/attention", {}, { everyMs: 15_000 });
  return (
    <Page
      name={overview.name}
      title={attention.data ? writeTitle(attention.data) : overview.title.reading}
      lead={attention.data && <Lead attention={attention.data} />}
      actions={
        mayAutomate && (
          <Segments
            label={overview.range.label}
            value={range}
            onChange={(next) => setFilters({ range: next === "30d" ? undefined : next })}
            options={ranges.map((value) => ({ value, label: labels[value] }))}
          />
        )
      }
      barActions={
        mayAutomate && (
          <LinkButton size="s" icon={Plus} className="no-phone" to={path("/automations/new")}>
            {overview.newAutomation}
          </LinkButton>
        )
      }
    >
      <FirstSteps />
      {counts.error && !counts.data ? (
        <Failure error={counts.error} what={overview.what} onRetry={() => void counts.refetch()} />
      ) : (runs.data || runs.error || !mayAutomate) && counts.data ? (
        <Figures runs={runs.data} counts={counts.data.counts} period={overview.periods[range]!} />
      ) : (
        <Skeleton rows={2} />
      )}
      <div className="cols">
        <div className="stack">
          {mayAutomate && (
            <>
              {runs.data && <RunCharts runs={runs.data} />}
              {!runs.data && runs.error != null && (
                <Failure error={runs.error} what={overview.what} onRetry={() => void runs.refetch()} />
              )}
              <RunsCard />
            </>
          )}
        </div>
        <div className="stack">
          <Loaded query={attention} what={overview.care.what}>
            {(found) => <CareCard {...found} />}
          </Loaded>
          <LatelyCard />
        </div>
      </div>
    </Page>
  );
}

function writeTitle({ items, isTruncated }: Attention): string {
  const { none, some, numbers, more } = overview.title;
  if (items.length === 0) return none;
  const count = isTruncated
    ? more(formatNumber(items.length))
    : (numbers[items.length] ?? formatNumber(items.length));
  return some(count, items.length === 1);
}

const clock = new Intl.DateTimeFormat(locale, {
  weekday: "long",
  day: "numeric",
  month: "long",
  hour: "2-digit",
  minute: "2-digit",
});

function Lead({ attention: { errors, warnings } }: { attention: Attention }) {
  const now = useNow();
  const { none, errors: broken, warnings: soon, now: itIs } = overview.lead;
  return (
    <>
      {errors + warnings === 0 && none} {errors > 0 && broken(errors)} {warnings > 0 && soon(warnings)}{" "}
      <span className="no-phone">{itIs(clock.format(now))}</span>
    </>
  );
}

const hiddenKey = "signalbox.checklist.hidden";

/** The first steps of a new organization, until all but one are done or somebody hides them. */
function FirstSteps() {
  const [isHidden, setIsHidden] = useState(() => localStorage.getItem(hiddenKey) === "yes");
  const checklist = useRead("GET /v1/overview/checklist", {}, { enabled: !isHidden });
  if (isHidden || !checklist.data || checklist.data.done >= checklist.data.steps.length - 1) return null;
  return (
    <div className="first-steps">
      <Suspense>
        <Checklist
          onHide={() => {
            localStorage.setItem(hiddenKey, "yes");
            setIsHidden(true);
          }}
        />
      </Suspense>
    </div>
  );
}
