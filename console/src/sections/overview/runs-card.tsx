import { CirclePlay } from "lucide-react";
import { useMemo } from "react";
import { usePath } from "../../lib/paths.ts";
import { useRead } from "../../lib/queries.ts";
import { overview } from "../../texts/overview.ts";
import { runs } from "../../texts/runs.ts";
import { Card, MoreLink } from "../../ui/card.tsx";
import { Empty, Loaded } from "../../ui/feedback.tsx";
import { Lamp, Tag } from "../../ui/state.tsx";
import { DataTable } from "../../ui/table.tsx";
import { createRunColumns } from "../runs/run-columns.tsx";
import { useRunCosts } from "../runs/use-run-costs.ts";

/** The newest runs, as they move. */
export function RunsCard() {
  const path = usePath();
  const newest = useRead("GET /v1/automation-runs", { query: { limit: 8 } }, { everyMs: 3_000 });
  const rows = newest.data?.items ?? [];
  const findCost = useRunCosts(rows, { everyMs: 5_000 });
  const columns = useMemo(() => createRunColumns({ findCost }), [findCost]);
  return (
    <Card
      title={overview.runs.title}
      beside={
        <Tag tone="live">
          <Lamp tone="live" />
          {overview.runs.live}
        </Tag>
      }
      actions={<MoreLink to={path("/runs")}>{overview.runs.all}</MoreLink>}
    >
      <Loaded query={newest} what={runs.what} rows={8}>
        {({ items }) => (
          <DataTable
            label={overview.runs.title}
            what={runs.what}
            list={{ rows: items }}
            columns={columns}
            rowKey={({ id }) => id}
            to={({ id }) => ({ to: path(`/runs/${id}`) })}
            empty={<Empty icon={CirclePlay} title={runs.empty.title} text={runs.empty.text} />}
          />
        )}
      </Loaded>
    </Card>
  );
}
