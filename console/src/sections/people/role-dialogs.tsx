import type { Role } from "@signalbox/client";
import { useState } from "react";
import { useAction, useList, useWhole } from "../../lib/queries.ts";
import { common } from "../../texts/common.ts";
import { people } from "../../texts/people.ts";
import { ConfirmDialog, Dialog, DialogActions } from "../../ui/dialog.tsx";
import { Form, SelectField, TextField } from "../../ui/form.tsx";
import { useToast } from "../../ui/toast.tsx";

const texts = people.roles;

interface Props {
  open: boolean;
  onClose(): void;
}

export function NewRoleDialog({ open, onClose }: Props) {
  const toast = useToast();
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const [from, setFrom] = useState("member");
  const roles = useWhole(useList("GET /v1/roles", { query: { limit: 100 } }, { enabled: open }));
  const create = useAction("POST /v1/roles", {
    changes: ["GET /v1/roles"],
    onDone: ({ role }) => {
      toast(texts.created(role.name));
      setName("");
      setDescription("");
      onClose();
    },
  });
  const submit = () => {
    const permissions = roles?.find(({ id }) => id === from)?.permissions ?? [];
    return create.run({
      body: { name: name.trim(), description: description.trim(), permissions: permissions as never[] },
    });
  };
  return (
    <Dialog open={open} onClose={onClose} title={texts.new}>
      <Form
        onSubmit={submit}
        footer={(busy) => <DialogActions busy={busy} action={texts.create} onClose={onClose} />}
      >
        <TextField label={texts.name} path="name" value={name} onChange={setName} autoFocus />
        <TextField
          label={texts.description}
          path="description"
          value={description}
          onChange={setDescription}
        />
        <SelectField
          label={texts.startFrom}
          path="permissions"
          value={from}
          onChange={setFrom}
          options={[
            ...(roles ?? []).map((role) => ({ value: role.id, label: role.name })),
            { value: "", label: texts.nothing },
          ]}
        />
      </Form>
    </Dialog>
  );
}

export function RenameRoleDialog({ role, open, onClose }: Props & { role: Role }) {
  const [name, setName] = useState(role.name);
  const [description, setDescription] = useState(role.description);
  const save = useAction("PATCH /v1/roles/{id}", {
    changes: ["GET /v1/roles", "GET /v1/members"],
    onDone: onClose,
  });
  return (
    <Dialog open={open} onClose={onClose} title={texts.rename}>
      <Form
        onSubmit={() =>
          save.run({ path: { id: role.id }, body: { name: name.trim(), description: description.trim() } })
        }
        footer={(busy) => <DialogActions busy={busy} action={common.actions.save} onClose={onClose} />}
      >
        <TextField label={texts.name} path="name" value={name} onChange={setName} autoFocus />
        <TextField
          label={texts.description}
          path="description"
          value={description}
          onChange={setDescription}
        />
      </Form>
    </Dialog>
  );
}

export function DeleteRoleDialog({ role, open, onClose }: Props & { role: Role }) {
  const toast = useToast();
  const remove = useAction("DELETE /v1/roles/{id}", {
    changes: ["GET /v1/roles"],
    onDone: () => toast(texts.deleted),
  });
  return (
    <ConfirmDialog
      open={open}
      onClose={onClose}
      title={texts.deleteTitle(role.name)}
      text={texts.deleteText}
      action={texts.delete}
      onConfirm={() => remove.run({ path: { id: role.id } })}
    />
  );
}
