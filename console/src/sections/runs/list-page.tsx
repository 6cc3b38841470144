import { CirclePlay } from "lucide-react";
import { useMemo } from "react";
import { usePermission } from "../../lib/context.tsx";
import { useChosenAt, useFilters, usePath } from "../../lib/paths.ts";
import { useList } from "../../lib/queries.ts";
import { runs } from "../../texts/runs.ts";
import { LinkButton } from "../../ui/button.tsx";
import { Empty } from "../../ui/feedback.tsx";
import { Page } from "../../ui/page.tsx";
import { Lamp, Tag } from "../../ui/state.tsx";
import { DataTable } from "../../ui/table.tsx";
import { createRunColumns } from "./run-columns.tsx";
import { RunFilters, readRunQuery } from "./run-filters.tsx";
import { useRunCosts } from "./use-run-costs.ts";

export default function RunsPage() {
  const { filters } = useFilters();
  const path = usePath();
  const seesAll = usePermission("automations:manage");
  const query = readRunQuery(filters, useChosenAt(filters.range));
  const list = useList("GET /v1/automation-runs", { query: { ...query, limit: 50 } }, { everyMs: 5_000 });
  const findCost = useRunCosts(list.rows, query);
  const columns = useMemo(() => createRunColumns({ findCost, withMember: seesAll }), [findCost, seesAll]);
  const isFiltered = Object.keys(query).length > 0;
  return (
    <Page
      name={runs.title}
      title={runs.title}
      lead={runs.lead}
      beside={
        <Tag tone="live">
          <Lamp tone="live" />
          {runs.live}
        </Tag>
      }
    >
      <RunFilters />
      <section className="card">
        <DataTable
          label={runs.title}
          what={runs.what}
          list={list}
          columns={columns}
          rowKey={({ id }) => id}
          to={({ id }) => ({ to: path(`/runs/${id}`) })}
          empty={
            isFiltered ? (
              <Empty icon={CirclePlay} title={runs.empty.filteredTitle} text={runs.empty.filteredText} />
            ) : (
              <Empty
                icon={CirclePlay}
                title={runs.empty.title}
                text={runs.empty.text}
                action={<LinkButton to={path("/automations")}>{runs.empty.action}</LinkButton>}
              />
            )
          }
        />
      </section>
    </Page>
  );
}
