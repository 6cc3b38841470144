import { useParams } from "@tanstack/react-router";
import { ShieldOff } from "lucide-react";
import { PartNotFound } from "../../app/fallbacks.tsx";
import { useMe } from "../../lib/session.ts";
import { admin as texts } from "../../texts/admin.ts";
import { common } from "../../texts/common.ts";
import { LinkButton } from "../../ui/button.tsx";
import { Empty } from "../../ui/feedback.tsx";
import { Page, SplitPage, useTitle } from "../../ui/page.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { AdminLog, LogEntry } from "./log.tsx";
import { OrganizationInspector } from "./organization-inspector.tsx";
import { AdminOrganizations } from "./organizations.tsx";
import { AdminOverview } from "./overview.tsx";
import { AdminUsage } from "./usage.tsx";
import { AdminUsers } from "./users.tsx";

const parts: Record<string, () => React.ReactNode> = {
  overview: AdminOverview,
  organizations: AdminOrganizations,
  users: AdminUsers,
  usage: AdminUsage,
  log: AdminLog,
};

const inspectors: Record<string, (props: { id: string }) => React.ReactNode> = {
  organizations: OrganizationInspector,
  log: LogEntry,
};

export default function AdminPage() {
  const { tab = "overview", id } = useParams({ strict: false }) as { tab?: string; id?: string };
  const me = useMe();
  useTitle(texts.name);
  if (!me.data) return null;
  if (!me.data.isInstanceAdmin)
    return (
      <Page name={texts.name} title={texts.name}>
        <Empty
          icon={ShieldOff}
          title={texts.refused.title}
          text={
            me.data.user.emailVerified
              ? texts.refused.text
              : `${texts.refused.text} ${texts.notVerified.text}`
          }
          action={<LinkButton to="/">{common.notFound.home}</LinkButton>}
        />
      </Page>
    );
  const Part = Object.hasOwn(parts, tab) ? parts[tab] : undefined;
  const Selected = id !== undefined && Object.hasOwn(inspectors, tab) ? inspectors[tab] : undefined;
  return (
    <SplitPage
      name={texts.name}
      title={texts.title}
      lead={texts.lead}
      inspector={Selected && id !== undefined ? <Selected key={id} id={id} /> : undefined}
    >
      <Tabs
        label={texts.tabs.label}
        items={[
          { to: "/admin", label: texts.tabs.overview },
          { to: "/admin/organizations", label: texts.tabs.organizations },
          { to: "/admin/users", label: texts.tabs.users },
          { to: "/admin/usage", label: texts.tabs.usage },
          { to: "/admin/log", label: texts.tabs.log },
        ]}
      />
      {Part ? <Part /> : <PartNotFound />}
    </SplitPage>
  );
}
