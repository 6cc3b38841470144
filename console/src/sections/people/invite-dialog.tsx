import { useState } from "react";
import { useAction, useList, useWhole } from "../../lib/queries.ts";
import { common } from "../../texts/common.ts";
import { people as texts } from "../../texts/people.ts";
import { Button } from "../../ui/button.tsx";
import { CopyRow } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CheckField, Form, SelectField, TextField } from "../../ui/form.tsx";
import { useRoleOptions } from "./role-options.ts";

interface Props {
  open: boolean;
  onClose(): void;
}

export function InviteDialog({ open, onClose }: Props) {
  const [link, setLink] = useState<{ email: string; url: string }>();
  const close = () => {
    setLink(undefined);
    onClose();
  };
  return (
    <Dialog
      open={open}
      onClose={close}
      title={link ? texts.invite.sent(link.email) : texts.invite.title}
      lead={link ? texts.invite.linkHint : texts.invite.lead}
    >
      {link ? (
        <>
          <CopyRow value={link.url} />
          <footer className="row dlg-acts">
            <Button look="primary" onClick={close}>
              {texts.invite.done}
            </Button>
          </footer>
        </>
      ) : (
        <InviteForm onClose={close} onSent={(email, url) => setLink({ email, url })} />
      )}
    </Dialog>
  );
}

function InviteForm({ onClose, onSent }: { onClose(): void; onSent(email: string, url: string): void }) {
  const [email, setEmail] = useState("");
  const [role, setRole] = useState("member");
  const [teamIds, setTeamIds] = useState<readonly string[]>([]);
  const roles = useRoleOptions();
  const teams = useWhole(useList("GET /v1/teams", { query: { limit: 100 } })) ?? [];
  const invite = useAction("POST /v1/invitations", {
    changes: ["GET /v1/invitations"],
    onDone: ({ token }) =>
      onSent(email, `${window.location.origin}/invitation?token=${encodeURIComponent(token)}`),
  });
  const submit = () =>
    invite.run({
      body: { email: email.trim(), role, ...(teamIds.length > 0 ? { teamIds: [...teamIds] } : {}) },
    });
  return (
    <Form
      onSubmit={submit}
      footer={(busy) => (
        <footer className="row dlg-acts">
          <Button onClick={onClose}>{common.actions.cancel}</Button>
          <Button look="primary" type="submit" busy={busy}>
            {texts.invite.send}
          </Button>
        </footer>
      )}
    >
      <TextField
        label={texts.invite.email}
        path="email"
        type="email"
        autoComplete="off"
        value={email}
        onChange={setEmail}
        autoFocus
      />
      <SelectField
        label={texts.invite.role}
        hint={texts.invite.roleHint}
        path="role"
        value={role}
        onChange={setRole}
        options={roles.filter(({ value }) => value !== "owner")}
      />
      {teams.length > 0 && (
        <fieldset className="choices-field">
          <legend>{texts.invite.teams}</legend>
          {teams.map(({ id, name }) => (
            <CheckField
              key={id}
              label={name}
              checked={teamIds.includes(id)}
              onChange={(checked) =>
                setTeamIds(checked ? [...teamIds, id] : teamIds.filter((other) => other !== id))
              }
            />
          ))}
        </fieldset>
      )}
    </Form>
  );
}
