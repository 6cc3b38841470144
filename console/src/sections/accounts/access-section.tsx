import { useState } from "react";
import type { Reply } from "../../lib/api.ts";
import { usePermission } from "../../lib/context.tsx";
import { useAction, useRead } from "../../lib/queries.ts";
import { accounts as texts } from "../../texts/accounts.ts";
import { Button } from "../../ui/button.tsx";
import { Loaded } from "../../ui/feedback.tsx";
import { CheckField, Form } from "../../ui/form.tsx";
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
  const [memberIds, setMemberIds] = useState<readonly string[]>(grants.memberIds);
  const [teamIds, setTeamIds] = useState<readonly string[]>(grants.teamIds);
  const mayReadMembers = usePermission("members:read");
  const query = { query: { limit: 100 } };
  const members = useRead("GET /v1/members", query, { enabled: mayReadMembers && !everyone });
  const teams = useRead("GET /v1/teams", query, { enabled: mayReadMembers && !everyone });
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
          body: { everyone, memberIds: [...memberIds], teamIds: [...teamIds] },
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
          <Checks
            legend={words.teams}
            items={teams.data?.items ?? []}
            chosen={teamIds}
            onChange={setTeamIds}
          />
          <Checks
            legend={words.members}
            items={members.data?.items ?? []}
            chosen={memberIds}
            onChange={setMemberIds}
          />
        </>
      )}
    </Form>
  );
}

interface ChecksProps {
  legend: string;
  items: readonly { id: string; name: string }[];
  chosen: readonly string[];
  onChange(chosen: readonly string[]): void;
}

const Checks = ({ legend, items, chosen, onChange }: ChecksProps) =>
  items.length > 0 && (
    <fieldset className="choices-field">
      <legend>{legend}</legend>
      {items.map(({ id, name }) => (
        <CheckField
          key={id}
          label={name}
          checked={chosen.includes(id)}
          onChange={(isOn) => onChange(isOn ? [...chosen, id] : chosen.filter((one) => one !== id))}
        />
      ))}
    </fieldset>
  );
