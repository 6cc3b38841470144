import { useParams } from "@tanstack/react-router";
import { useOrganization } from "../../lib/context.tsx";
import { usePath } from "../../lib/paths.ts";
import { access as texts } from "../../texts/access.ts";
import { shell } from "../../texts/shell.ts";
import { SplitPage } from "../../ui/page.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { ApiKeys } from "./api-keys.tsx";
import { ConnectorInspector } from "./connector-inspector.tsx";
import { McpTokens } from "./mcp-tokens.tsx";
import { Scim } from "./scim.tsx";
import { Sso } from "./sso.tsx";

const tabs = [
  ["keys", "api_keys:create"],
  ["mcp-tokens", "mcp_tokens:create"],
  ["sso", "sso:read"],
  ["scim", "scim:read"],
] as const;
const labels = {
  keys: texts.tabs.keys,
  "mcp-tokens": texts.tabs.mcpTokens,
  sso: texts.tabs.sso,
  scim: texts.tabs.scim,
};

export default function AccessPage() {
  const { tab: chosen, id } = useParams({ strict: false }) as { tab?: string; id?: string };
  const path = usePath();
  const { permissions } = useOrganization();
  // The first part that the role may see.
  const tab = chosen ?? tabs.find(([, permission]) => permissions.has(permission))?.[0] ?? "keys";
  return (
    <SplitPage
      name={texts.title}
      crumbs={[{ label: shell.groups.organization }, { label: texts.title }]}
      title={texts.title}
      lead={texts.lead}
      inspector={tab === "sso" && id !== undefined ? <ConnectorInspector key={id} id={id} /> : undefined}
    >
      <Tabs
        label={texts.tabs.label}
        current={path(`/access/${tab}`)}
        items={tabs.map(
          ([name, permission]) =>
            permissions.has(permission) && { to: path(`/access/${name}`), label: labels[name] },
        )}
      />
      {tab === "mcp-tokens" ? (
        <McpTokens />
      ) : tab === "sso" ? (
        <Sso selected={id} />
      ) : tab === "scim" ? (
        <Scim />
      ) : (
        <ApiKeys />
      )}
    </SplitPage>
  );
}
