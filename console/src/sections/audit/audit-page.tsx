import { useNavigate, useParams } from "@tanstack/react-router";
import { Link2, ScrollText } from "lucide-react";
import { useState } from "react";
import { usePermission } from "../../lib/context.tsx";
import { shortenId } from "../../lib/format.ts";
import { useFilters, usePath } from "../../lib/paths.ts";
import { useList } from "../../lib/queries.ts";
import { audit as texts } from "../../texts/audit.ts";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/feedback.tsx";
import { SplitPage } from "../../ui/page.tsx";
import { type Column, DataTable } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { AuditFilters } from "./audit-filters.tsx";
import { ChainDialog } from "./chain-dialog.tsx";
import { EntryInspector } from "./entry-inspector.tsx";
import { ExportMenu } from "./export-menu.tsx";
import { createQuery, describeAction, describeActor } from "./query.ts";
import type { AuditEvent } from "./types.ts";

/** The audit log of the organization, newest first. */
export default function AuditPage() {
  const { id } = useParams({ strict: false }) as { id?: string };
  const { filters } = useFilters();
  const path = usePath();
  const navigate = useNavigate();
  const mayRead = usePermission("audit:read");
  const [isChainOpen, setIsChainOpen] = useState(false);
  const query = createQuery(filters);
  const list = useList("GET /v1/audit-events", { query }, { everyMs: 10_000 });
  const { columns: heads } = texts;
  return (
    <SplitPage
      name={texts.name}
      title={texts.name}
      lead={texts.lead}
      crumbs={[{ label: texts.group }, { label: texts.name }]}
      barActions={
        mayRead && (
          <>
            <Button look="quiet" size="s" icon={Link2} onClick={() => setIsChainOpen(true)}>
              {texts.chain.action}
            </Button>
            <ExportMenu query={query} />
          </>
        )
      }
      inspector={
        id === undefined ? undefined : (
          <EntryInspector
            key={id}
            id={id}
            onClose={() => void navigate({ to: path("/audit"), search: filters as never })}
          />
        )
      }
    >
      {mayRead && <AuditFilters />}
      <div className="card">
        <DataTable
          label={texts.name}
          what={texts.what}
          list={list}
          tall
          rowKey={(row) => row.id}
          selected={id}
          to={(row) => ({ to: path(`/audit/${row.id}`), search: filters })}
          empty={
            Object.keys(query).length > 0 ? (
              <Empty title={texts.emptyFiltered} />
            ) : (
              <Empty icon={ScrollText} title={texts.empty} text={texts.emptyText} />
            )
          }
          columns={[
            {
              head: heads.action,
              isName: true,
              cell: ({ action }) => (
                <>
                  <span className="cut block">{describeAction(action)}</span>
                  <code className="small t3 cut block">{action}</code>
                </>
              ),
            },
            {
              head: heads.who,
              cell: (row) => (
                <>
                  <span className="t cut block">{describeActor(row)}</span>
                  {row.actor.name !== null && (
                    <span className="small t3 block">{texts.credentials[row.actor.credential]}</span>
                  )}
                </>
              ),
            },
            // Beside an open entry there is no room for it.
            ...(id === undefined ? [targetColumn] : []),
            { head: heads.when, align: "r", cell: ({ at }) => <Time at={at} /> },
          ]}
        />
      </div>
      <ChainDialog open={isChainOpen} onClose={() => setIsChainOpen(false)} />
    </SplitPage>
  );
}

const targetColumn: Column<AuditEvent> = {
  head: texts.columns.target,
  cell: ({ target }) => (
    <>
      {target.name !== null && (
        <span className="t cut block" title={target.name}>
          {target.name}
        </span>
      )}
      {target.name === null && target.id !== null && !target.id.startsWith("org_") && (
        <code className="cut block id-cell" title={target.id}>
          {shortenId(target.id)}
        </code>
      )}
      <span className={`small t3 cut block${target.name === null ? "" : " no-phone"}`}>
        {describeAction(target.type)}
      </span>
    </>
  ),
};
