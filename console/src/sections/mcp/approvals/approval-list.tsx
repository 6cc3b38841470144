import { ShieldCheck } from "lucide-react";
import { useFilters, usePath } from "../../../lib/paths.ts";
import { useList } from "../../../lib/queries.ts";
import { mcp as texts } from "../../../texts/mcp.ts";
import { stateWords } from "../../../texts/states.ts";
import { Empty } from "../../../ui/feedback.tsx";
import { FilterSelect } from "../../../ui/filter.tsx";
import { State } from "../../../ui/state.tsx";
import { DataTable } from "../../../ui/table.tsx";
import { Time } from "../../../ui/time.tsx";

const { approvals: words } = texts;
const statuses = ["pending", "approved", "denied", "used", "expired"] as const;

/** Calls of destructive tools that wait for a person, and earlier ones. */
export function ApprovalList({ selected }: { selected: string | undefined }) {
  const { filters, setFilters } = useFilters();
  const path = usePath();
  const chosen = filters.status ?? "pending";
  const status = statuses.find((value) => value === chosen);
  const list = useList("GET /v1/mcp-approvals", { query: status ? { status } : {} }, { everyMs: 5_000 });
  return (
    <>
      <div className="filters">
        <FilterSelect
          label={words.status}
          value={chosen}
          onChange={(value) => setFilters({ status: value === "pending" ? undefined : value })}
          options={[
            ...statuses.map((value) => ({ value, label: stateWords.approval[value] })),
            { value: "all", label: words.all },
          ]}
        />
      </div>
      <div className="card">
        <DataTable
          label={texts.views.approvals}
          what={words.what}
          list={list}
          tall
          rowKey={({ id }) => id}
          selected={selected}
          to={({ id }) => ({ to: path("/connections/mcp"), search: { ...filters, approval: id } })}
          empty={
            status === "pending" ? (
              <Empty icon={ShieldCheck} title={words.empty} text={words.emptyText} />
            ) : (
              <Empty title={words.emptyAll} />
            )
          }
          columns={[
            {
              head: words.tool,
              isName: true,
              cell: ({ tool, connectionName }) => (
                <>
                  <code className="cut block">{tool}</code>
                  <span className="small t3 cut block">{connectionName}</span>
                </>
              ),
            },
            { head: words.status, cell: (row) => <State kind="approval" value={row.status} /> },
            { head: words.asker, phone: "hide", cell: ({ memberName }) => memberName ?? words.left },
            { head: words.when, align: "r", phone: "hide", cell: ({ createdAt }) => <Time at={createdAt} /> },
          ]}
        />
      </div>
    </>
  );
}
