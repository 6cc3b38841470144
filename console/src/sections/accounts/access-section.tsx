import { useState } from "react";
import type { Reply } from "../../lib/api.ts";
import { usePermission } from "../../lib/context.tsx";
import { useAction, useList, useRead, useWhole } from "../../lib/queries.ts";
import { accounts as texts } from "../../texts/accounts.ts";
import { Button } from "../../ui/button.tsx";
import { Loaded } from "../../ui/feedback.tsx";
import { CheckField, Form } from "../../ui/form.tsx";
import { PickList } from "../../ui/pick-list.tsx";
import { useToast } from "../../ui/toast.tsx";

const { connection: words } = texts;
const read = "GET /v1/oauth-connections/{id}/grants" as const;
type Grants = Reply<typeof read>["grants"];

/** Who may use a shared connection. */
export function AccessSection({ connectionId }: { connectionId: string }) {
  const query = useRead(read, { path: { id: connectionId } });
  return (
    <section className="field">
      <h3 className="strong">{words.access}</h3>
      <Loaded query={query} what={words.accessWhat} rows={2}>
        {({ grants }) => <AccessForm connectionId={connectionId} grants={grants} />}
      </Loaded>
    </section>
  );
}

function AccessForm({ connectionId, grants }: { connectionId: string; grants: Grants }) {
  const [everyone, setEveryone] = useState(grants.everyone);
  const [memberIds, setMemberIds] = useState(grants.memberIds);
  const [teamIds, setTeamIds] = useState(grants.teamIds);
  const mayPick = usePermission("members:read") && !everyone;
  const query = { query: { limit: 100 } };
  const members = useWhole(useList("GET /v1/members", query, { enabled: mayPick }));
  const teams = useWhole(useList("GET /v1/teams", query, { enabled: mayPick }));
  const toast = useToast();
  const save = useAction("PUT /v1/oauth-connections/{id}/grants", {
    changes: [read],
    onDone: () => toast(words.savedAccess),
  });
  return (
    <Form
      className="form wide"
      onSubmit={() =>
        save.run({
          path: { id: connectionId },
          body: { everyone, memberIds, teamIds },
        })
      }
      footer={(busy) => (
        <div className="form-acts">
          <Button type="submit" busy={busy}>
            {words.saveAccess}
          </Button>
        </div>
      )}
    >
      <CheckField
        label={words.everyone}
        hint={words.everyoneHint}
        checked={everyone}
        onChange={setEveryone}
      />
      {!everyone && (
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
        </>
      )}
    </Form>
  );
}
