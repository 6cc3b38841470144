import { Link } from "@tanstack/react-router";
import { ArrowLeft, List } from "lucide-react";
import { formatDuration } from "../../../lib/format.ts";
import { useChosenAt, useFilters, usePath } from "../../../lib/paths.ts";
import { useList } from "../../../lib/queries.ts";
import { mcp as texts } from "../../../texts/mcp.ts";
import { Empty } from "../../../ui/feedback.tsx";
import { State } from "../../../ui/state.tsx";
import { DataTable } from "../../../ui/table.tsx";
import { Time } from "../../../ui/time.tsx";
import { CallDetails } from "./call-details.tsx";
import { CallExport } from "./call-list.tsx";
import { CallFilterRow } from "./filter-row.tsx";
import { readCallFilters } from "./query.ts";

const { calls: words } = texts;

/** The calls of one connection, newest first, and the one that was chosen. */
export function ConnectionCalls({ connectionId }: { connectionId: string }) {
  const { filters } = useFilters();
  const path = usePath();
  const base = path(`/connections/mcp/${connectionId}/calls`);
  const { call, ...others } = filters;
  if (call)
    return (
      <>
        <div>
          <Link className="btn q s" to={base} search={others as never}>
            <ArrowLeft className="i s" aria-hidden />
            {words.back}
          </Link>
        </div>
        <CallDetails id={call} />
      </>
    );
  return <Calls connectionId={connectionId} base={base} filters={others} />;
}

interface CallsProps {
  connectionId: string;
  base: string;
  filters: Record<string, string | undefined>;
}

function Calls({ connectionId, base, filters }: CallsProps) {
  const { connectionId: _, ...query } = readCallFilters(filters, useChosenAt(filters.period));
  const list = useList(
    "GET /v1/mcp-connections/{id}/calls",
    { path: { id: connectionId }, query },
    { everyMs: 5_000 },
  );
  return (
    <>
      <div className="row top">
        <div className="grow">
          <CallFilterRow />
        </div>
        <CallExport filters={{ ...filters, connection: connectionId }} />
      </div>
      <div className="card">
        <DataTable
          label={texts.tabs.calls}
          what={words.what}
          list={list}
          tall
          rowKey={({ id }) => id}
          to={({ id }) => ({ to: base, search: { ...filters, call: id } })}
          empty={
            Object.keys(query).length > 0 ? (
              <Empty title={words.emptyFiltered} />
            ) : (
              <Empty icon={List} title={words.empty} text={words.emptyText} />
            )
          }
          columns={[
            {
              head: words.tool,
              isName: true,
              cell: ({ tool, memberName }) => (
                <>
                  <code className="cut block">{tool}</code>
                  <span className="small t3 cut block">{memberName ?? words.nobody}</span>
                </>
              ),
            },
            { head: words.outcome, cell: ({ outcome }) => <State kind="call" value={outcome} /> },
            {
              head: words.when,
              align: "r",
              cell: ({ ms, createdAt }) => (
                <>
                  <span className="block">{formatDuration(ms)}</span>
                  <span className="small t3">
                    <Time at={createdAt} />
                  </span>
                </>
              ),
            },
          ]}
        />
      </div>
    </>
  );
}
