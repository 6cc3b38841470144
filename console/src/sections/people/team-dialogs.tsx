import type { Team } from "@signalbox/client";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { usePath } from "../../lib/paths.ts";
import { useAction } from "../../lib/queries.ts";
import { common } from "../../texts/common.ts";
import { people as texts } from "../../texts/people.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form, TextField } from "../../ui/form.tsx";
import { useToast } from "../../ui/toast.tsx";

interface Props {
  open: boolean;
  onClose(): void;
}

export function NewTeamDialog({ open, onClose }: Props) {
  const toast = useToast();
  const navigate = useNavigate();
  const path = usePath();
  const create = useAction("POST /v1/teams", {
    changes: ["GET /v1/teams"],
    onDone: ({ team }) => {
      toast(texts.team.created(team.name));
      onClose();
      void navigate({ to: path(`/people/teams/${team.id}`) });
    },
  });
  return (
    <Dialog open={open} onClose={onClose} title={texts.team.new} lead={texts.empty.teams.text}>
      <TeamForm onClose={onClose} action={texts.team.create} onSubmit={(body) => create.run({ body })} />
    </Dialog>
  );
}

export function EditTeamDialog({ team, open, onClose }: Props & { team: Team }) {
  const toast = useToast();
  const save = useAction("PATCH /v1/teams/{id}", {
    changes: ["GET /v1/teams", "GET /v1/teams/{id}"],
    onDone: () => {
      toast(texts.team.saved);
      onClose();
    },
  });
  return (
    <Dialog open={open} onClose={onClose} title={texts.team.edit}>
      <TeamForm
        team={team}
        onClose={onClose}
        action={common.actions.save}
        onSubmit={(body) => save.run({ path: { id: team.id }, body })}
      />
    </Dialog>
  );
}

interface FormProps {
  team?: Team;
  action: string;
  onClose(): void;
  onSubmit(body: { name: string; description: string }): Promise<unknown>;
}

function TeamForm({ team, action, onClose, onSubmit }: FormProps) {
  const [name, setName] = useState(team?.name ?? "");
  const [description, setDescription] = useState(team?.description ?? "");
  return (
    <Form
      onSubmit={() => onSubmit({ name: name.trim(), description: description.trim() })}
      footer={(busy) => (
        <footer className="row dlg-acts">
          <Button onClick={onClose}>{common.actions.cancel}</Button>
          <Button look="primary" type="submit" busy={busy}>
            {action}
          </Button>
        </footer>
      )}
    >
      <TextField label={texts.team.name} path="name" value={name} onChange={setName} autoFocus />
      <TextField
        label={texts.team.description}
        hint={texts.team.descriptionHint}
        path="description"
        value={description}
        onChange={setDescription}
      />
    </Form>
  );
}
