import type { Worker } from "@signalbox/client";
import { Server } from "lucide-react";
import { useFilters, usePath } from "../../lib/paths.ts";
import { useList } from "../../lib/queries.ts";
import { stateWords } from "../../texts/states.ts";
import { workers as texts } from "../../texts/workers.ts";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/feedback.tsx";
import { FilterSelect } from "../../ui/filter.tsx";
import { Find } from "../../ui/find.tsx";
import { State, Tag } from "../../ui/state.tsx";
import { type Column, DataTable } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";

const states = Object.keys(stateWords.worker) as Worker["state"][];

export function WorkerList({ onAdd }: { onAdd: (() => void) | undefined }) {
  const path = usePath();
  const { filters, setFilters } = useFilters();
  const state = states.find((candidate) => candidate === filters.state);
  const list = useList(
    "GET /v1/workers",
    { query: { ...(state ? { state } : {}), ...(filters.label ? { label: filters.label } : {}) } },
    { everyMs: 5_000 },
  );
  const isFiltered = state !== undefined || Boolean(filters.label);
  const columns: Column<Worker>[] = [
    {
      head: texts.columns.name,
      isName: true,
      cell: ({ name }) => <span className="cut">{name}</span>,
    },
    { head: texts.columns.state, cell: (worker) => <State kind="worker" value={worker.state} /> },
    { head: texts.columns.kind, phone: "hide", cell: ({ kind }) => texts.kinds[kind] },
    {
      head: texts.columns.labels,
      phone: "hide",
      cell: ({ labels }) => (
        <span className="row">
          {labels.map((label) => (
            <Tag key={label}>{label}</Tag>
          ))}
        </span>
      ),
    },
    { head: texts.columns.version, phone: "hide", cell: (worker) => <Version worker={worker} /> },
    { head: texts.columns.runs, align: "r", phone: "hide", cell: ({ runIds }) => runIds.length },
    {
      head: texts.columns.seen,
      align: "r",
      phone: "label",
      cell: ({ lastSeenAt }) => <Time at={lastSeenAt} />,
    },
  ];
  return (
    <>
      <div className="filters">
        <FilterSelect
          label={texts.filters.state}
          value={state ?? ""}
          onChange={(next) => setFilters({ state: next })}
          options={[
            { value: "", label: texts.filters.anyState },
            ...states.map((value) => ({ value, label: stateWords.worker[value] })),
          ]}
        />
        <span className="grow" />
        <Find
          value={filters.label ?? ""}
          onChange={(label) => setFilters({ label })}
          label={texts.filters.find}
        />
      </div>
      <section className="card">
        <DataTable
          label={texts.tabs.workers}
          what={texts.what.workers}
          list={list}
          columns={columns}
          rowKey={({ id }) => id}
          to={({ id }) => ({ to: path(`/workers/${id}`) })}
          empty={
            isFiltered ? (
              <Empty icon={Server} title={texts.empty.filtered} text={texts.empty.filteredText} />
            ) : (
              <Empty
                icon={Server}
                title={texts.empty.title}
                text={texts.empty.text}
                action={onAdd && <Button onClick={onAdd}>{texts.add.action}</Button>}
              />
            )
          }
        />
      </section>
    </>
  );
}

/** The version, and what is wrong with it. */
export const Version = ({ worker }: { worker: Worker }) => (
  <span className="row">
    <code>{worker.version ?? "–"}</code>
    {worker.freshness === "drifted" && (
      <span title={worker.desiredVersion ? texts.wants(worker.desiredVersion) : undefined}>
        <Tag tone="care">{texts.drifted}</Tag>
      </span>
    )}
    {worker.freshness === "unsupported" && <Tag tone="bad">{texts.unsupported}</Tag>}
  </span>
);
