import type { TemplateSummary } from "@signalbox/client";
import { FileText, GitBranch, X } from "lucide-react";
import { usePermission } from "../../lib/context.tsx";
import { shortenId } from "../../lib/format.ts";
import { useFilters, usePath } from "../../lib/paths.ts";
import { useList, useRead } from "../../lib/queries.ts";
import { templates } from "../../texts/templates.ts";
import { Button, LinkButton } from "../../ui/button.tsx";
import { Empty } from "../../ui/feedback.tsx";
import { Find } from "../../ui/find.tsx";
import { Page } from "../../ui/page.tsx";
import { type Column, DataTable } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import "./templates.css";

const texts = templates;

export default function TemplatesPage() {
  const { filters, setFilters } = useFilters();
  const path = usePath();
  const mayConnect = usePermission("connectors:manage");
  const { q, tag, connectorId } = filters;
  const query = { ...(q ? { q } : {}), ...(tag ? { tag } : {}), ...(connectorId ? { connectorId } : {}) };
  const list = useList("GET /v1/templates", { query: { limit: 50, ...query } }, { everyMs: 10_000 });
  return (
    <Page name={texts.title} title={texts.title} lead={texts.lead}>
      <div className="filters">
        <Find value={q ?? ""} onChange={(next) => setFilters({ q: next })} label={texts.filters.find} />
        {tag && (
          <Button size="s" icon={X} onClick={() => setFilters({ tag: undefined })}>
            {texts.filters.clearTag(tag)}
          </Button>
        )}
        {connectorId && (
          <ConnectorFilter id={connectorId} onClear={() => setFilters({ connectorId: undefined })} />
        )}
      </div>
      <section className="card">
        <DataTable
          label={texts.title}
          what={texts.what}
          list={list}
          tall
          columns={createColumns((next) => setFilters({ tag: next }))}
          rowKey={({ id }) => id}
          to={({ id }) => ({ to: path(`/templates/${id}`) })}
          empty={
            Object.keys(query).length > 0 ? (
              <Empty icon={FileText} title={texts.empty.filteredTitle} text={texts.empty.filteredText} />
            ) : (
              <Empty
                icon={FileText}
                title={texts.empty.title}
                text={texts.empty.text}
                action={
                  mayConnect && (
                    <LinkButton to={path("/code-host/connectors")}>{texts.empty.action}</LinkButton>
                  )
                }
              />
            )
          }
        />
      </section>
    </Page>
  );
}

/** A link from a repository leads to its templates. */
function ConnectorFilter({ id, onClear }: { id: string; onClear(): void }) {
  const mayRead = usePermission("connectors:read");
  const query = useRead("GET /v1/connectors/{id}", { path: { id } }, { enabled: mayRead });
  return (
    <Button size="s" icon={X} onClick={onClear}>
      {texts.filters.clearConnector(query.data?.connector.name ?? shortenId(id))}
    </Button>
  );
}

const createColumns = (chooseTag: (tag: string) => void): Column<TemplateSummary>[] => [
  {
    head: texts.columns.name,
    isName: true,
    cell: ({ name, description }) => (
      <>
        {name}
        <span className="small t3 cut about">{description}</span>
      </>
    ),
  },
  {
    head: texts.columns.tags,
    phone: "hide",
    cell: ({ tags }) => (
      <span className="row wrap">
        {tags.map((tag) => (
          <button key={tag} type="button" className="tag tag-button" onClick={() => chooseTag(tag)}>
            {tag}
          </button>
        ))}
      </span>
    ),
  },
  {
    head: texts.columns.source,
    phone: "hide",
    cell: ({ source }) =>
      source === null ? (
        <span className="t3">{texts.byHand}</span>
      ) : (
        <span className="row">
          <GitBranch className="i s" aria-hidden />
          <span className="cut">
            {source.connectorName} <code className="t3">{source.path}</code>
          </span>
        </span>
      ),
  },
  { head: texts.columns.version, align: "r", phone: "label", cell: ({ version }) => version },
  {
    head: texts.columns.changed,
    align: "r",
    className: "under",
    cell: ({ updatedAt }) => (
      <span className="t3">
        <Time at={updatedAt} />
      </span>
    ),
  },
];
