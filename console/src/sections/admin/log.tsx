import { useNavigate, useParams } from "@tanstack/react-router";
import { useFilters } from "../../lib/paths.ts";
import { useList, useRead } from "../../lib/queries.ts";
import { admin } from "../../texts/admin.ts";
import { common } from "../../texts/common.ts";
import { Card, Pairs } from "../../ui/card.tsx";
import { Json } from "../../ui/code.tsx";
import { Empty, Loaded } from "../../ui/feedback.tsx";
import { Find } from "../../ui/find.tsx";
import { Inspector } from "../../ui/page.tsx";
import { DataTable } from "../../ui/table.tsx";
import { Id, Time } from "../../ui/time.tsx";

const texts = admin.log;

export function AdminLog() {
  const { id } = useParams({ strict: false }) as { id?: string };
  const { filters, setFilters } = useFilters();
  const { action = "" } = filters;
  const entries = useList(
    "GET /v1/admin/audit-events",
    { query: action === "" ? {} : { action } },
    { everyMs: 10_000 },
  );
  return (
    <div className="parts full">
      <div className="row wrap">
        <Find
          value={filters.action ?? ""}
          onChange={(value) => setFilters({ action: value })}
          label={texts.find}
        />
      </div>
      <Card>
        <DataTable
          label={texts.label}
          what={texts.what}
          list={entries}
          rowKey={(entry) => entry.id}
          selected={id}
          to={(entry) => ({ to: `/admin/log/${entry.id}`, search: filters })}
          columns={[
            { head: texts.action, isName: true, cell: ({ action }) => <code>{action}</code> },
            { head: texts.who, cell: ({ actor }) => actor.name ?? texts.system },
            {
              head: texts.target,
              cell: ({ target }) => target.name ?? (target.id === null ? target.type : <Id id={target.id} />),
            },
            { head: texts.when, align: "r", cell: ({ at }) => <Time at={at} /> },
          ]}
          empty={<Empty title={texts.none} text={texts.noneText} />}
        />
      </Card>
    </div>
  );
}

export function LogEntry({ id }: { id: string }) {
  const navigate = useNavigate();
  const { filters } = useFilters();
  const query = useRead("GET /v1/admin/audit-events/{id}", { path: { id } });
  return (
    <Inspector
      title={query.data?.auditEvent.action ?? texts.details}
      onClose={() => void navigate({ to: "/admin/log", search: filters as never })}
    >
      <Loaded query={query} what={texts.one}>
        {({ auditEvent: entry }) => (
          <div className="stack">
            <Pairs
              items={[
                [texts.when, <Time key="at" at={entry.at} form="date" />],
                [texts.who, entry.actor.name ?? texts.system],
                [texts.credential, entry.actor.credential],
                [
                  texts.target,
                  <span key="target" className="row wrap">
                    {entry.target.name !== null && <span className="breaks strong">{entry.target.name}</span>}
                    {entry.target.id === null ? entry.target.type : <Id id={entry.target.id} />}
                  </span>,
                ],
                [texts.address, entry.address ?? common.none],
                [
                  texts.request,
                  entry.requestId === null ? common.none : <Id key="request" id={entry.requestId} />,
                ],
                [texts.hash, <Id key="hash" id={entry.hash} />],
              ]}
            />
            {entry.before && <Json title={texts.before} value={entry.before} />}
            {entry.after && <Json title={texts.after} value={entry.after} />}
          </div>
        )}
      </Loaded>
    </Inspector>
  );
}
