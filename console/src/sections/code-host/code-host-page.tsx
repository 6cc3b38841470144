import { useNavigate, useParams } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { type ReactNode, useState } from "react";
import { usePermission } from "../../lib/context.tsx";
import { useFilters, usePath } from "../../lib/paths.ts";
import { useList, useWhole } from "../../lib/queries.ts";
import { codeHost as texts } from "../../texts/code-host.ts";
import { LinkButton } from "../../ui/button.tsx";
import { Forbidden } from "../../ui/feedback.tsx";
import { Inspector, SplitPage } from "../../ui/page.tsx";
import { Lamp, Tag } from "../../ui/state.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { ConnectorForm } from "./connector-form.tsx";
import { ConnectorInspector } from "./connector-inspector.tsx";
import { ConnectorList } from "./connector-list.tsx";
import { DeliveryInspector } from "./delivery-inspector.tsx";
import { DeliveryList } from "./delivery-list.tsx";
import { SyncInspector } from "./sync-inspector.tsx";
import { SyncList } from "./sync-list.tsx";
import type { Setup } from "./types.ts";
import "./code-host.css";

type Tab = keyof typeof texts.tabs;

/** Connectors, the deliveries of their code hosts, and the syncs that follow from them. */
export default function CodeHostPage() {
  const params = useParams({ strict: false }) as { tab?: string; id?: string };
  const tab: Tab = params.tab === "deliveries" || params.tab === "syncs" ? params.tab : "connectors";
  const { id } = params;
  const { filters, setFilters } = useFilters();
  const path = usePath();
  const navigate = useNavigate();
  const mayManage = usePermission("connectors:manage");
  const connectors = useList("GET /v1/connectors", { query: { limit: 100 } }, { everyMs: 5_000 });
  // Deliveries, syncs and the form show names of connectors, also of those on later pages.
  useWhole(connectors);
  // The secret of a new connector is in one reply only.
  const [created, setCreated] = useState<{ id: string; setup: Setup }>();

  const base = path(`/code-host/${tab}`);
  const close = () => {
    setCreated(undefined);
    void navigate({ to: base, search: { ...filters, edit: undefined } as never });
  };
  const open = (connectorId: string) => void navigate({ to: path(`/code-host/connectors/${connectorId}`) });

  const inspect = (): ReactNode => {
    if (id === undefined) return undefined;
    if (tab === "deliveries")
      return <DeliveryInspector key={id} id={id} connectors={connectors.rows} onClose={close} />;
    if (tab === "syncs")
      return <SyncInspector key={id} id={id} connectors={connectors.rows} onClose={close} />;
    if (id === "new" && !mayManage)
      return (
        <Inspector title={texts.connect} onClose={close}>
          <Forbidden permission="connectors:manage" />
        </Inspector>
      );
    if (id === "new")
      return (
        <ConnectorForm
          onClose={close}
          onSaved={(saved, setup) => {
            if (setup) setCreated({ id: saved.id, setup });
            open(saved.id);
          }}
        />
      );
    const connector = connectors.rows.find((one) => one.id === id);
    if (filters.edit && connector && mayManage)
      return (
        <ConnectorForm
          key={id}
          connector={connector}
          onClose={() => setFilters({ edit: undefined })}
          onSaved={() => setFilters({ edit: undefined })}
        />
      );
    return (
      <ConnectorInspector
        key={id}
        id={id}
        createdSetup={created?.id === id ? created.setup : undefined}
        onClose={close}
        onEdit={() => setFilters({ edit: "1" }, { replace: false })}
      />
    );
  };

  return (
    <SplitPage
      name={texts.tabs[tab]}
      title={texts.name}
      lead={texts.lead}
      beside={
        <Tag tone="live">
          <Lamp tone="live" />
          {texts.live}
        </Tag>
      }
      crumbs={[
        { label: texts.group },
        { label: texts.name, to: path("/code-host") },
        { label: texts.tabs[tab] },
      ]}
      barActions={
        mayManage && (
          <LinkButton size="s" icon={Plus} to={path("/code-host/connectors/new")}>
            {texts.connect}
          </LinkButton>
        )
      }
      inspector={inspect()}
    >
      <Tabs
        label={texts.name}
        current={path(`/code-host/${tab}`)}
        items={(Object.keys(texts.tabs) as Tab[]).map((name) => ({
          to: path(`/code-host/${name}`),
          label: texts.tabs[name],
        }))}
      />
      {tab === "connectors" && <ConnectorList list={connectors} selected={id} />}
      {tab === "deliveries" && <DeliveryList connectors={connectors.rows} selected={id} />}
      {tab === "syncs" && <SyncList connectors={connectors.rows} selected={id} />}
    </SplitPage>
  );
}
