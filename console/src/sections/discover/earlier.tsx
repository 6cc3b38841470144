import { Radar } from "lucide-react";
import { formatDuration } from "../../lib/format.ts";
import { useFilters, usePath } from "../../lib/paths.ts";
import { useList } from "../../lib/queries.ts";
import { discover as texts } from "../../texts/discover.ts";
import { stateWords } from "../../texts/states.ts";
import { Empty } from "../../ui/feedback.tsx";
import { State } from "../../ui/state.tsx";
import { DataTable } from "../../ui/table.tsx";
import { Segments } from "../../ui/tabs.tsx";
import { Time } from "../../ui/time.tsx";
import type { KeptDiscovery } from "./types.ts";

const { earlier: words } = texts;
type Status = KeptDiscovery["status"];
const statuses = Object.entries(stateWords.verdict) as [Status, string][];

/** The verdicts that are kept, newest first. */
export function EarlierVerdicts() {
  const { filters, setFilters } = useFilters();
  const path = usePath();
  const status = statuses.find(([value]) => value === filters.status)?.[0];
  const list = useList("GET /v1/mcp-discoveries", { query: status ? { status } : {} }, { everyMs: 10_000 });
  return (
    <section className="below">
      <div className="filters finds">
        <h2 className="sect">{words.title}</h2>
        <span className="grow" />
        <Segments
          label={words.filter}
          value={status ?? ""}
          onChange={(value) => setFilters({ status: value })}
          options={[{ value: "", label: words.all }, ...statuses.map(([value, label]) => ({ value, label }))]}
        />
      </div>
      <div className="card">
        <DataTable
          label={words.title}
          what={words.what}
          list={list}
          rowKey={({ id }) => id}
          to={({ id, url }) => ({ to: path("/discover"), search: { url, id } })}
          empty={
            status ? (
              <Empty title={words.emptyFiltered} />
            ) : (
              <Empty icon={Radar} title={words.empty} text={words.emptyText} />
            )
          }
          columns={[
            {
              head: words.server,
              isName: true,
              className: "wide",
              cell: ({ url }) => <span className="mono cut">{url}</span>,
            },
            { head: words.verdict, cell: (row) => <State kind="verdict" value={row.status} /> },
            { head: words.by, phone: "hide", cell: ({ memberName }) => memberName ?? texts.facts.left },
            { head: words.requests, align: "r", phone: "hide", cell: ({ requests }) => requests },
            {
              head: words.took,
              align: "r",
              phone: "hide",
              cell: ({ durationMs }) => formatDuration(durationMs),
            },
            { head: words.when, align: "r", cell: ({ createdAt }) => <Time at={createdAt} /> },
          ]}
        />
      </div>
      <p className="small t3 undern">{words.note}</p>
    </section>
  );
}
