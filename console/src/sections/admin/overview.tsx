import type { Reply } from "../../lib/api.ts";
import { formatBytes, formatCost, formatDuration, formatNumber, formatUtcDay } from "../../lib/format.ts";
import { useRead } from "../../lib/queries.ts";
import { admin } from "../../texts/admin.ts";
import { Card, Pairs } from "../../ui/card.tsx";
import { ChartCard } from "../../ui/chart.tsx";
import { Empty, Loaded } from "../../ui/feedback.tsx";
import { DataTable } from "../../ui/table.tsx";
import "./admin.css";
import { Figure } from "./figure.tsx";
import { Period, useDays } from "./period.tsx";
import { RunsChart } from "./runs-chart.tsx";

const texts = admin.overview;
type Overview = Reply<"GET /v1/admin/overview">;

export function AdminOverview() {
  const days = useDays();
  const overview = useRead("GET /v1/admin/overview", { query: { days } }, { everyMs: 10_000 });
  return (
    <div className="parts full">
      <Period />
      <Loaded query={overview} what={texts.what} rows={8}>
        {(data) => (
          <>
            <Figures data={data} />
            <div className="duo">
              <RunsChart days={days} />
              <DatabaseChart history={data.database.history} />
            </div>
            <div className="duo">
              <Queue items={data.queue.items} />
              <Facts data={data} />
            </div>
          </>
        )}
      </Loaded>
    </div>
  );
}

function Figures({ data: { organizations, users, runs, costMicros, queue, database } }: { data: Overview }) {
  const { growthBytes } = database;
  const growth =
    growthBytes === null
      ? texts.noGrowth
      : growthBytes >= 0
        ? texts.growth(formatBytes(growthBytes))
        : texts.shrink(formatBytes(-growthBytes));
  return (
    <div className="figures">
      <Figure
        label={texts.organizations}
        value={formatNumber(organizations.total)}
        hint={texts.organizationsHint(organizations.active, organizations.suspended)}
        to="/admin/organizations"
      />
      <Figure
        label={texts.users}
        value={formatNumber(users.total)}
        hint={texts.usersHint(users.activeLastWeek)}
        to="/admin/users"
      />
      <Figure
        label={texts.runs}
        value={formatNumber(runs.total)}
        hint={texts.runsHint(runs.failed)}
        to="/admin/usage"
      />
      <Figure label={texts.cost} value={formatCost(costMicros)} hint={texts.costHint} to="/admin/usage" />
      <Figure
        label={texts.waiting}
        value={formatNumber(queue.depth)}
        hint={queue.ageMs === null ? texts.nothingWaits : texts.waitingHint(formatDuration(queue.ageMs))}
      />
      <Figure label={texts.database} value={formatBytes(database.bytes)} hint={growth} />
    </div>
  );
}

const DatabaseChart = ({ history }: { history: Overview["database"]["history"] }) => (
  <ChartCard
    title={texts.databaseChart}
    label={texts.databaseChart}
    points={history.map(({ day }) => formatUtcDay(day))}
    series={[{ label: texts.size, tone: "ink", form: "line", values: history.map(({ bytes }) => bytes) }]}
    format={formatBytes}
  />
);

const Queue = ({ items }: { items: Overview["queue"]["items"] }) => (
  <Card title={texts.queue}>
    <DataTable
      label={texts.queueLabel}
      what={texts.queueLabel}
      list={{ rows: items }}
      rowKey={({ name }) => name}
      columns={[
        { head: texts.kind, cell: ({ name }) => <code>{name}</code> },
        { head: texts.now, align: "r", phone: "label", cell: ({ waiting }) => formatNumber(waiting) },
        { head: texts.delayed, align: "r", phone: "label", cell: ({ delayed }) => formatNumber(delayed) },
        {
          head: texts.oldest,
          align: "r",
          cell: ({ ageMs }) => ageMs !== null && formatDuration(ageMs),
        },
      ]}
      empty={<Empty title={texts.queueEmpty} text={texts.queueEmptyText} />}
    />
  </Card>
);

const Facts = ({ data: { users, members, workers, version } }: { data: Overview }) => (
  <div className="stack">
    <Card title={texts.people} padded>
      <Pairs
        items={[
          [texts.verified, texts.of(users.verified, users.total)],
          [texts.secondFactor, texts.of(users.withSecondFactor, users.total)],
          [
            texts.members,
            `${formatNumber(members.active)}${members.deactivated > 0 ? ` · ${texts.deactivated(members.deactivated)}` : ""}`,
          ],
          [texts.workers, formatNumber(workers.total)],
          [texts.runners, texts.of(workers.runnersSeen, workers.runners)],
        ]}
      />
    </Card>
    <Card title={texts.versions} padded>
      <Pairs
        items={[
          [texts.service, <code key="service">{version.service}</code>],
          [texts.node, <code key="node">{version.node}</code>],
          [texts.postgres, <code key="postgres">{version.database}</code>],
          [texts.migration, <code key="migration">{version.migration}</code>],
        ]}
      />
    </Card>
  </div>
);
