import { useState } from "react";
import type { Reply } from "../../../lib/api.ts";
import { usePermission } from "../../../lib/context.tsx";
import { useAction, useList, useRead, useWhole } from "../../../lib/queries.ts";
import { mcp as texts } from "../../../texts/mcp.ts";
import { Button } from "../../../ui/button.tsx";
import { Loaded } from "../../../ui/feedback.tsx";
import { CheckField, Form } from "../../../ui/form.tsx";
import { PickList } from "../../../ui/pick-list.tsx";
import { useToast } from "../../../ui/toast.tsx";
import { changed } from "../types.ts";

const { access: words } = texts;
const read = "GET /v1/mcp-connections/{id}/access" as const;
type Access = Reply<typeof read>["access"];

/** Who may use a connection: everybody, or teams, members and automations. */
export function AccessPart({ connectionId }: { connectionId: string }) {
  const query = useRead(read, { path: { id: connectionId } });
  return (
    <Loaded query={query} what={words.what}>
      {({ access }) => (
        <AccessForm key={JSON.stringify(access)} connectionId={connectionId} access={access} />
      )}
    </Loaded>
  );
}

function AccessForm({ connectionId, access }: { connectionId: string; access: Access }) {
  const [organization, setOrganization] = useState(access.organization);
  const [teamIds, setTeamIds] = useState(access.teamIds);
  const [memberIds, setMemberIds] = useState(access.memberIds);
  const [automationIds, setAutomationIds] = useState(access.automationIds);
  const mayReadMembers = usePermission("members:read");
  const mayAutomate = usePermission("automations:create");
  const toast = useToast();
  const query = { query: { limit: 100 } };
  const mayPick = mayReadMembers && !organization;
  const teams = useWhole(useList("GET /v1/teams", query, { enabled: mayPick }));
  const active = { query: { status: "active" as const, limit: 100 } };
  const members = useWhole(useList("GET /v1/members", active, { enabled: mayPick }));
  const automations = useWhole(
    useList("GET /v1/automations", query, { enabled: mayAutomate && !organization }),
  );
  const save = useAction("PUT /v1/mcp-connections/{id}/access", {
    changes: [...changed, read],
    onDone: () => toast(words.saved),
  });
  return (
    <Form
      className="form wide"
      onSubmit={() =>
        save.run({ path: { id: connectionId }, body: { organization, teamIds, memberIds, automationIds } })
      }
      footer={(busy) => (
        <div className="form-acts">
          <Button look="primary" type="submit" busy={busy}>
            {words.save}
          </Button>
        </div>
      )}
    >
      <p>{words.lead}</p>
      <CheckField
        label={words.everybody}
        hint={words.everybodyHint}
        checked={organization}
        onChange={setOrganization}
      />
      {!organization && (
        <>
          <PickList
            title={words.teams}
            items={mayPick ? teams : undefined}
            chosen={teamIds}
            onChange={setTeamIds}
          />
          <PickList
            title={words.members}
            items={mayPick ? members : undefined}
            chosen={memberIds}
            onChange={setMemberIds}
          />
          <PickList
            title={words.automations}
            hint={words.automationsHint}
            items={mayAutomate ? automations : undefined}
            chosen={automationIds}
            onChange={setAutomationIds}
          />
        </>
      )}
    </Form>
  );
}
