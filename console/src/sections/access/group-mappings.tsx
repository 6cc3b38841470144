import type { SsoGroupMapping } from "@signalbox/client";
import { Plus, X } from "lucide-react";
import { useState } from "react";
import { useList, useWhole } from "../../lib/queries.ts";
import { access } from "../../texts/access.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Form } from "../../ui/form.tsx";
import { useToast } from "../../ui/toast.tsx";
import { useRoleOptions } from "../people/role-options.ts";

const texts = access.mappings;

interface Draft {
  key: number;
  group: string;
  role: string;
  teamId: string;
}

interface Props {
  mappings: readonly SsoGroupMapping[];
  /** False: only shown. */
  mayEdit: boolean;
  onSave(mappings: SsoGroupMapping[]): Promise<unknown>;
}

/** What the groups of an identity provider become here: a role, a team, or both. */
export function GroupMappings({ mappings, mayEdit, onSave }: Props) {
  const toast = useToast();
  const roles = useRoleOptions();
  const teams = useWhole(useList("GET /v1/teams", { query: { limit: 100 } }));
  const [drafts, setDrafts] = useState<readonly Draft[]>(() =>
    mappings.map(({ group, role = "", teamId = "" }, key) => ({ key, group, role, teamId })),
  );
  const change = (key: number, changes: Partial<Draft>) =>
    setDrafts(drafts.map((draft) => (draft.key === key ? { ...draft, ...changes } : draft)));
  const add = () =>
    setDrafts([
      ...drafts,
      { key: Math.max(-1, ...drafts.map(({ key }) => key)) + 1, group: "", role: "", teamId: "" },
    ]);
  const submit = async () => {
    await onSave(
      drafts
        .filter(({ group }) => group.trim() !== "")
        .map(({ group, role, teamId }) => ({
          group: group.trim(),
          ...(role ? { role } : {}),
          ...(teamId ? { teamId } : {}),
        })),
    );
    toast(texts.saved);
  };
  const teamOptions = (teams ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const nothing = { value: "", label: texts.none };
  return (
    <Form
      className="form wide"
      onSubmit={submit}
      footer={(busy) =>
        mayEdit && (
          <div className="form-acts">
            <Button icon={Plus} onClick={add}>
              {texts.add}
            </Button>
            <Button type="submit" busy={busy}>
              {texts.save}
            </Button>
          </div>
        )
      }
    >
      {drafts.map((draft) => (
        <div key={draft.key} className="map-row">
          <input
            className="input"
            aria-label={texts.group}
            placeholder={texts.group}
            value={draft.group}
            disabled={!mayEdit}
            onChange={(event) => change(draft.key, { group: event.target.value })}
          />
          <select
            className="input select"
            aria-label={texts.role}
            value={draft.role}
            disabled={!mayEdit}
            onChange={(event) => change(draft.key, { role: event.target.value })}
          >
            {[nothing, ...roles].map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
          <select
            className="input select"
            aria-label={texts.team}
            value={draft.teamId}
            disabled={!mayEdit}
            onChange={(event) => change(draft.key, { teamId: event.target.value })}
          >
            {[nothing, ...teamOptions].map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
          {mayEdit && (
            <IconButton
              icon={X}
              label={`${texts.remove} ${draft.group}`}
              onClick={() => setDrafts(drafts.filter(({ key }) => key !== draft.key))}
            />
          )}
        </div>
      ))}
    </Form>
  );
}
