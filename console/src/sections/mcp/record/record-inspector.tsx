import { usePermission } from "../../../lib/context.tsx";
import { usePath } from "../../../lib/paths.ts";
import { common } from "../../../texts/common.ts";
import { mcp as texts } from "../../../texts/mcp.ts";
import { Empty, Forbidden, Loaded } from "../../../ui/feedback.tsx";
import { Inspector } from "../../../ui/page.tsx";
import { Tabs } from "../../../ui/tabs.tsx";
import { ConnectionCalls } from "../calls/connection-calls.tsx";
import { ConnectionState } from "../state-of.tsx";
import { type ConnectionDetail, findHost } from "../types.ts";
import { AccessPart } from "./access-part.tsx";
import { OverviewPart } from "./overview-part.tsx";
import { SettingsPart } from "./settings-part.tsx";
import { ToolsPart } from "./tools-part.tsx";

const manage = "mcp_connections:manage";

interface RecordInspectorProps {
  id: string;
  tab: string | undefined;
  query: { data: ConnectionDetail | undefined; error: unknown; isPending: boolean; refetch(): unknown };
  onClose(): void;
}

/** One connection: how it is, its tools, its calls, who may use it, and its settings. */
export function RecordInspector({ id, tab = "overview", query, onClose }: RecordInspectorProps) {
  const path = usePath();
  const mayManage = usePermission(manage);
  const connection = query.data;
  const base = path(`/connections/mcp/${id}`);
  return (
    <Inspector
      title={connection?.name ?? texts.one}
      lead={
        connection && (
          <span className="row wrap">
            <ConnectionState {...connection} boxed />
            <span className="mono t3 wrap-any">{findHost(connection.url)}</span>
          </span>
        )
      }
      onClose={onClose}
    >
      <Loaded query={query} what={texts.one} rows={6}>
        {(shown) => (
          <>
            <Tabs
              label={texts.tabs.label}
              current={tab === "overview" ? base : `${base}/${tab}`}
              items={[
                { to: base, label: texts.tabs.overview },
                { to: `${base}/tools`, label: texts.tabs.tools, count: shown.toolCount },
                mayManage &&
                  shown.heldTools > 0 && {
                    to: `${base}/drift`,
                    label: texts.tabs.drift,
                    count: shown.heldTools,
                  },
                { to: `${base}/calls`, label: texts.tabs.calls },
                mayManage && { to: `${base}/access`, label: texts.tabs.access },
                mayManage && { to: `${base}/settings`, label: texts.tabs.settings },
              ]}
            />
            <Part connection={shown} tab={tab} />
          </>
        )}
      </Loaded>
    </Inspector>
  );
}

function Part({ connection, tab }: { connection: ConnectionDetail; tab: string }) {
  const mayManage = usePermission(manage);
  switch (tab) {
    case "overview":
      return <OverviewPart connection={connection} />;
    case "tools":
      return <ToolsPart connection={connection} />;
    case "calls":
      return <ConnectionCalls connectionId={connection.id} />;
    case "access":
      return <AccessPart connectionId={connection.id} />;
    case "settings":
      return mayManage ? <SettingsPart connection={connection} /> : <Forbidden permission={manage} />;
    default:
      return <Empty title={common.notFound.title} text={common.notFound.text} />;
  }
}
