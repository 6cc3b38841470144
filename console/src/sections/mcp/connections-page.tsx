import { useNavigate, useParams } from "@tanstack/react-router";
import { FileInput, Plus, TerminalSquare } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { usePermission } from "../../lib/context.tsx";
import { useShortcuts } from "../../lib/keyboard.tsx";
import { useFilters, usePath } from "../../lib/paths.ts";
import { useList, useRead } from "../../lib/queries.ts";
import { mcp as texts } from "../../texts/mcp.ts";
import { Button, LinkButton } from "../../ui/button.tsx";
import { Find } from "../../ui/find.tsx";
import { SplitPage } from "../../ui/page.tsx";
import { Segments } from "../../ui/tabs.tsx";
import { AddPanel } from "./add/add-panel.tsx";
import { useDraft } from "./add/draft.ts";
import { ApprovalInspector } from "./approvals/approval-inspector.tsx";
import { ApprovalList } from "./approvals/approval-list.tsx";
import { CallInspector } from "./calls/call-details.tsx";
import { CallExport, CallList } from "./calls/call-list.tsx";
import { ClientDialog } from "./client-dialog.tsx";
import { ConnectionList } from "./connection-list.tsx";
import { DriftInspector } from "./drift/drift-inspector.tsx";
import { EndpointNote } from "./endpoint-note.tsx";
import { ImportDialog } from "./import/import-dialog.tsx";
import { RecordActions } from "./record/record-actions.tsx";
import { RecordInspector } from "./record/record-inspector.tsx";
import { needsCare } from "./types.ts";
import "./mcp.css";

const views = ["all", "care", "approvals", "calls"] as const;

/** MCP servers that agents reach through this instance: how they are, what they offer, and what was called. */
export default function ConnectionsPage() {
  const { id, tab } = useParams({ strict: false }) as { id?: string; tab?: string };
  const { filters, setFilters } = useFilters();
  const path = usePath();
  const navigate = useNavigate();
  const mayManage = usePermission("mcp_connections:manage");
  const { useKey } = useShortcuts();
  const [shown, setShown] = useState<"client" | "import">();
  const draft = useDraft();
  const view = views.find((name) => name === filters.view) ?? "all";
  const isAdding = filters.new === "server" && mayManage && id === undefined;
  const base = path("/connections/mcp");
  const list = useList("GET /v1/mcp-connections", { query: { limit: 100 } }, { everyMs: 10_000 });
  const waiting = useRead(
    "GET /v1/mcp-approvals",
    { query: { status: "pending", limit: 100 } },
    { everyMs: 10_000 },
  );
  const open = useRead(
    "GET /v1/mcp-connections/{id}",
    { path: { id: id ?? "" } },
    { enabled: id !== undefined, everyMs: 10_000 },
  );
  const selected = open.data?.connection.id === id ? open.data?.connection : undefined;
  // Somebody who looks for a connection looks in all of them.
  useEffect(() => {
    if (list.hasMore && (filters.find || view === "care")) list.keepLoading();
  });
  const isWhole = !list.isLoading && !list.hasMore && !list.error;
  const close = () => {
    const { new: _, call: __, approval: ___, url: ____, discovery: _____, ...rest } = filters;
    void navigate({ to: base, search: rest as never });
  };
  const add = () => void navigate({ to: base, search: { new: "server" } as never });
  useKey("c", add, mayManage);

  const inspect = (): ReactNode => {
    if (isAdding) return <AddPanel draft={draft} onClose={close} />;
    if (id !== undefined && tab === "drift")
      return (
        <DriftInspector
          key={id}
          id={id}
          connection={selected}
          onClose={() => void navigate({ to: `${base}/${id}` })}
        />
      );
    if (id !== undefined)
      return (
        <RecordInspector key={id} id={id} tab={tab} query={{ ...open, data: selected }} onClose={close} />
      );
    if (view === "calls" && filters.call) return <CallInspector id={filters.call} onClose={close} />;
    if (view === "approvals" && filters.approval)
      return <ApprovalInspector key={filters.approval} id={filters.approval} onClose={close} />;
    return undefined;
  };
  const inspector = inspect();
  return (
    <SplitPage
      name={selected ? `${selected.name} · ${texts.name}` : texts.name}
      title={texts.name}
      lead={texts.lead(isWhole ? list.rows.length : undefined)}
      crumbs={[
        { label: texts.group },
        ...(selected
          ? [
              { label: texts.name, to: base },
              { label: selected.name, to: `${base}/${id}` },
            ]
          : [{ label: texts.name, to: base }]),
        ...(selected && tab === "drift" ? [{ label: texts.drift.name }] : []),
      ]}
      barActions={
        selected ? (
          <RecordActions connection={selected} />
        ) : (
          <>
            {view === "calls" && <CallExport filters={filters} />}
            {mayManage && (
              <Button
                look="quiet"
                size="s"
                icon={FileInput}
                aria-label={texts.import}
                onClick={() => setShown("import")}
              >
                <span className="no-phone">{texts.import}</span>
              </Button>
            )}
            <Button
              look="quiet"
              size="s"
              icon={TerminalSquare}
              aria-label={texts.addToClient}
              onClick={() => setShown("client")}
            >
              <span className="no-phone">{texts.addToClient}</span>
            </Button>
          </>
        )
      }
      actions={
        mayManage &&
        !isAdding && (
          <LinkButton
            icon={Plus}
            look={inspector === undefined && list.rows.length > 0 ? "primary" : "secondary"}
            to={base}
            search={{ new: "server" }}
          >
            {texts.add}
          </LinkButton>
        )
      }
      inspector={inspector}
    >
      <div className="filters finds">
        <Segments
          label={texts.views.label}
          value={view}
          onChange={(value) => {
            const next = value === "all" ? {} : { view: value };
            void navigate({ to: base, search: next as never });
          }}
          options={views.map((name) => ({
            value: name,
            label: texts.views[name],
            ...(name === "all" && isWhole ? { count: list.rows.length } : {}),
            ...(name === "care" && isWhole ? { count: list.rows.filter(needsCare).length } : {}),
            ...(name === "approvals" && waiting.data?.items.length
              ? { count: waiting.data.items.length }
              : {}),
          }))}
        />
        {(view === "all" || view === "care") && (
          <>
            <span className="grow no-phone" />
            <Find value={filters.find ?? ""} onChange={(value) => setFilters({ find: value })} />
          </>
        )}
      </div>
      {view === "approvals" ? (
        <ApprovalList selected={filters.approval} />
      ) : view === "calls" ? (
        <CallList connections={list.rows} selected={filters.call} />
      ) : (
        <>
          <ConnectionList list={list} view={view} selected={id} onAdd={mayManage ? add : undefined} />
          <EndpointNote onSnippets={() => setShown("client")} />
        </>
      )}
      {shown === "client" && <ClientDialog onClose={() => setShown(undefined)} />}
      {shown === "import" && (
        <ImportDialog
          onClose={() => setShown(undefined)}
          onDecide={(decision) => {
            setShown(undefined);
            draft.start(decision);
            add();
          }}
        />
      )}
    </SplitPage>
  );
}
