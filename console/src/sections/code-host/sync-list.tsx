import { RefreshCw } from "lucide-react";
import { useFilters, usePath } from "../../lib/paths.ts";
import { useList } from "../../lib/queries.ts";
import { codeHost as texts } from "../../texts/code-host.ts";
import { stateWords } from "../../texts/states.ts";
import { Empty } from "../../ui/feedback.tsx";
import { FilterSelect } from "../../ui/filter.tsx";
import { State } from "../../ui/state.tsx";
import { DataTable } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { Changes } from "./changes.tsx";
import { type Connector, type Sync, shortenCommit } from "./types.ts";

const { syncs: words } = texts;
const statuses = Object.entries(stateWords.sync) as [Sync["status"], string][];

interface SyncListProps {
  connectors: readonly Connector[];
  selected: string | undefined;
}

/** The syncs of all connectors, newest first. */
export function SyncList({ connectors, selected }: SyncListProps) {
  const { filters, setFilters } = useFilters();
  const path = usePath();
  const status = statuses.find(([value]) => value === filters.status)?.[0];
  const { connectorId } = filters;
  const list = useList(
    "GET /v1/connector-syncs",
    { query: { ...(status ? { status } : {}), ...(connectorId ? { connectorId } : {}) } },
    { everyMs: 3_000 },
  );
  const findName = (id: string) => connectors.find((one) => one.id === id)?.name ?? id;
  return (
    <>
      <div className="filters">
        <FilterSelect
          label={words.status}
          value={status ?? ""}
          onChange={(value) => setFilters({ status: value })}
          options={[{ value: "", label: words.all }, ...statuses.map(([value, label]) => ({ value, label }))]}
        />
        <FilterSelect
          label={words.connector}
          value={connectorId ?? ""}
          onChange={(value) => setFilters({ connectorId: value })}
          options={[
            { value: "", label: texts.deliveries.anyConnector },
            ...connectors.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
      </div>
      <div className="card">
        <DataTable
          label={texts.tabs.syncs}
          what={words.what}
          list={list}
          tall
          rowKey={({ id }) => id}
          selected={selected}
          to={({ id }) => ({ to: path(`/code-host/syncs/${id}`), search: filters })}
          empty={
            status || connectorId ? (
              <Empty title={words.emptyFiltered} />
            ) : (
              <Empty icon={RefreshCw} title={words.empty} text={words.emptyText} />
            )
          }
          columns={[
            { head: words.status, cell: (row) => <State kind="sync" value={row.status} /> },
            {
              head: words.connector,
              isName: true,
              cell: (row) => (
                <>
                  <span className="cut block">{findName(row.connectorId)}</span>
                  <span className="small t3 mono block">
                    {row.commit || row.head ? shortenCommit((row.commit ?? row.head)!) : words.none}
                  </span>
                </>
              ),
            },
            {
              head: words.changes,
              cell: (row) =>
                row.error && row.status !== "succeeded" ? (
                  <code className="bad">{row.error.code}</code>
                ) : (
                  <Changes changes={row.changes} />
                ),
            },
            { head: words.cause, phone: "hide", cell: (row) => words.causes[row.cause] },
            {
              head: words.started,
              align: "r",
              cell: ({ startedAt, createdAt }) => <Time at={startedAt ?? createdAt} />,
            },
          ]}
        />
      </div>
    </>
  );
}
