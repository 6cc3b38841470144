import { useParams } from "@tanstack/react-router";
import { Plus, UserPlus } from "lucide-react";
import { useState } from "react";
import { usePermission } from "../../lib/context.tsx";
import { useShortcuts } from "../../lib/keyboard.tsx";
import { useFilters, usePath } from "../../lib/paths.ts";
import { people as texts } from "../../texts/people.ts";
import { shell } from "../../texts/shell.ts";
import { Button } from "../../ui/button.tsx";
import { SplitPage } from "../../ui/page.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { Invitations } from "./invitations.tsx";
import { InviteDialog } from "./invite-dialog.tsx";
import { MemberInspector } from "./member-inspector.tsx";
import { Members } from "./members.tsx";
import { NewRoleDialog } from "./role-dialogs.tsx";
import { Roles } from "./roles.tsx";
import { NewTeamDialog } from "./team-dialogs.tsx";
import { TeamInspector } from "./team-inspector.tsx";
import { Teams } from "./teams.tsx";

type Creating = "invitation" | "team" | "role";

export default function PeoplePage() {
  const { tab = "members", id } = useParams({ strict: false }) as { tab?: string; id?: string };
  const path = usePath();
  const { filters, setFilters } = useFilters();
  const mayInvite = usePermission("members:invite");
  const mayTeam = usePermission("teams:manage");
  const mayRole = usePermission("roles:manage");
  const [chosen, setCreating] = useState<Creating>();
  // A link can ask for the form too, also while this page is open.
  const creating = chosen ?? (filters.new && mayInvite ? "invitation" : undefined);
  const { useKey } = useShortcuts();
  const own: Creating = tab === "teams" ? "team" : tab === "roles" ? "role" : "invitation";
  const may = { invitation: mayInvite, team: mayTeam, role: mayRole };
  useKey("c", () => setCreating(own), may[own]);
  const close = () => {
    setCreating(undefined);
    if (filters.new) setFilters({ new: undefined });
  };

  return (
    <SplitPage
      name={texts.title}
      crumbs={[{ label: shell.groups.organization }, { label: texts.title }]}
      title={texts.title}
      lead={texts.lead}
      actions={
        <>
          {mayInvite && (
            <Button icon={UserPlus} onClick={() => setCreating("invitation")}>
              {texts.invite.action}
            </Button>
          )}
          {tab === "teams" && mayTeam && (
            <Button icon={Plus} onClick={() => setCreating("team")}>
              {texts.team.new}
            </Button>
          )}
          {tab === "roles" && mayRole && (
            <Button icon={Plus} onClick={() => setCreating("role")}>
              {texts.roles.new}
            </Button>
          )}
        </>
      }
      inspector={
        id === undefined ? undefined : tab === "teams" ? (
          <TeamInspector key={id} id={id} />
        ) : tab === "members" ? (
          <MemberInspector key={id} id={id} />
        ) : undefined
      }
    >
      <Tabs
        label={texts.tabs.label}
        items={[
          { to: path("/people/members"), label: texts.tabs.members },
          mayInvite && { to: path("/people/invitations"), label: texts.tabs.invitations },
          { to: path("/people/teams"), label: texts.tabs.teams },
          { to: path("/people/roles"), label: texts.tabs.roles },
        ]}
        current={path(`/people/${tab}`)}
      />
      {tab === "invitations" ? (
        <Invitations onInvite={() => setCreating("invitation")} />
      ) : tab === "teams" ? (
        <Teams selected={id} onCreate={mayTeam ? () => setCreating("team") : undefined} />
      ) : tab === "roles" ? (
        <Roles />
      ) : (
        <Members selected={id} />
      )}
      <InviteDialog open={creating === "invitation"} onClose={close} />
      <NewTeamDialog open={creating === "team"} onClose={close} />
      <NewRoleDialog open={creating === "role"} onClose={close} />
    </SplitPage>
  );
}
