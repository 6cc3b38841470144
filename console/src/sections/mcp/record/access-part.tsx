import { useEffect, useState } from "react";
import type { Reply } from "../../../lib/api.ts";
import { usePermission } from "../../../lib/context.tsx";
import { type ListResult, useAction, useList, useRead } from "../../../lib/queries.ts";
import { mcp as texts } from "../../../texts/mcp.ts";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { Loaded } from "../../../ui/feedback.tsx";
import { Find } from "../../../ui/find.tsx";
import { CheckField, Form } from "../../../ui/form.tsx";
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
          <Subjects
            title={words.teams}
            items={mayPick ? teams : undefined}
            chosen={teamIds}
            onChange={setTeamIds}
          />
          <Subjects
            title={words.members}
            items={mayPick ? members : undefined}
            chosen={memberIds}
            onChange={setMemberIds}
          />
          <Subjects
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

/** Reads all pages, because somebody on the last one can be looked for too. Undefined until the first has arrived. */
function useWhole<Row>(list: ListResult<Row>): readonly Row[] | undefined {
  const { hasMore, keepLoading } = list;
  useEffect(() => {
    if (hasMore) keepLoading();
  });
  return list.isLoading || list.error ? undefined : list.rows;
}

interface SubjectsProps {
  title: string;
  hint?: string;
  /** Undefined until they were read, or when the person may not read them. What was chosen before is kept. */
  items: readonly { id: string; name: string }[] | undefined;
  chosen: string[];
  onChange(ids: string[]): void;
}

const findFrom = 9;

function Subjects({ title, hint, items, chosen, onChange }: SubjectsProps) {
  const [find, setFind] = useState("");
  if (items === undefined) return null;
  const shown = items.filter(({ name }) => name.toLowerCase().includes(find.toLowerCase()));
  return (
    <Card
      title={title}
      beside={chosen.length > 0 && <span className="t3 small num">{chosen.length}</span>}
      actions={items.length >= findFrom && <Find value={find} onChange={setFind} label={words.find} />}
      padded
    >
      <div className="stack-s subjects">
        {hint && <p className="hint">{hint}</p>}
        {items.length === 0 && <p className="t3">{words.none}</p>}
        {shown.map(({ id, name }) => (
          <CheckField
            key={id}
            label={name}
            checked={chosen.includes(id)}
            onChange={(isOn) => onChange(isOn ? [...chosen, id] : chosen.filter((other) => other !== id))}
          />
        ))}
      </div>
    </Card>
  );
}
