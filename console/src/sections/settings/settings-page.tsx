import "./settings.css";
import { useParams } from "@tanstack/react-router";
import { PartNotFound } from "../../app/fallbacks.tsx";
import { useOrganization } from "../../lib/context.tsx";
import { usePath } from "../../lib/paths.ts";
import { settings as texts } from "../../texts/settings.ts";
import { SplitPage } from "../../ui/page.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { AutomationSettings } from "./automation-settings.tsx";
import { EndpointInspector } from "./endpoint-inspector.tsx";
import { General } from "./general.tsx";
import { LeaveOrDelete } from "./leave-or-delete.tsx";
import { Mails } from "./mails.tsx";
import { Quotas } from "./quotas.tsx";
import { TelemetrySettings } from "./telemetry-settings.tsx";
import { Webhooks } from "./webhooks.tsx";

const parts: Record<string, () => React.ReactNode> = {
  general: General,
  automations: AutomationSettings,
  mails: Mails,
  webhooks: Webhooks,
  telemetry: TelemetrySettings,
  quotas: Quotas,
  leave: LeaveOrDelete,
};

export default function SettingsPage() {
  const { tab = "general", id } = useParams({ strict: false }) as { tab?: string; id?: string };
  const { name, permissions } = useOrganization();
  const path = usePath();
  const Part = Object.hasOwn(parts, tab) ? parts[tab] : undefined;
  const item = (at: string, label: string) => ({ to: path(`/settings${at}`), label });
  const has = (permission: string) => permissions.has(permission);
  return (
    <SplitPage
      name={texts.name}
      title={texts.title}
      lead={texts.lead(name)}
      inspector={tab === "webhooks" && id !== undefined ? <EndpointInspector key={id} id={id} /> : undefined}
    >
      <Tabs
        label={texts.tabs.label}
        items={[
          has("organization:read") && item("", texts.tabs.general),
          has("automations:create") && item("/automations", texts.tabs.automations),
          item("/mails", texts.tabs.mails),
          has("notifications:manage") && item("/webhooks", texts.tabs.webhooks),
          has("telemetry:report") && item("/telemetry", texts.tabs.telemetry),
          has("organization:read") && item("/quotas", texts.tabs.quotas),
          item("/leave", texts.tabs.leave),
        ]}
      />
      {Part ? <Part /> : <PartNotFound />}
    </SplitPage>
  );
}
