import type { Me } from "@signalbox/client";
import { Ellipsis, Fingerprint, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import type { Item } from "../../lib/api.ts";
import { createPasskey, hasPasskeys } from "../../lib/passkeys.ts";
import { useAction, useList } from "../../lib/queries.ts";
import { useRefreshMe } from "../../lib/session.ts";
import { account } from "../../texts/account.ts";
import { Button, IconButton, LinkButton } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Empty } from "../../ui/feedback.tsx";
import { Form, TextField } from "../../ui/form.tsx";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import { DataTable } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";
import { BackupCodes } from "./backup-codes.tsx";
import { RenamePasskey } from "./rename-passkey.tsx";

const texts = account.passkeys;
const list = "GET /v1/me/passkeys";
type Passkey = Item<typeof list>;

export function Passkeys({ me }: { me: Me }) {
  const toast = useToast();
  const passkeys = useList(list, {});
  const refreshMe = useRefreshMe();
  const [codes, setCodes] = useState<readonly string[]>();
  const [renamed, setRenamed] = useState<Passkey>();
  const [removed, setRemoved] = useState<Passkey>();
  const remove = useAction("DELETE /v1/me/passkeys/{id}", {
    changes: [list, "GET /v1/me/two-factor"],
    onDone: () => void refreshMe(),
  });
  return (
    <div className="parts">
      <p>{texts.lead}</p>
      {me.user.emailVerified ? <AddPasskey onCodes={setCodes} /> : <EmailFirst />}
      <Card title={texts.title}>
        <DataTable
          label={texts.label}
          what={texts.what}
          list={passkeys}
          rowKey={({ id }) => id}
          columns={[
            { head: texts.name, cell: ({ name }) => <span className="strong">{name}</span> },
            { head: texts.synced, cell: ({ synced }) => (synced ? texts.synced : texts.thisDevice) },
            { head: texts.added, cell: ({ createdAt }) => <Time at={createdAt} />, phone: "hide" },
            {
              head: texts.lastUsed,
              cell: ({ lastUsedAt }) => (lastUsedAt === null ? texts.never : <Time at={lastUsedAt} />),
            },
            {
              head: "",
              align: "r",
              cell: (passkey) => (
                <Menu trigger={<IconButton icon={Ellipsis} label={texts.actions(passkey.name)} />}>
                  <MenuItem icon={Pencil} onSelect={() => setRenamed(passkey)}>
                    {texts.rename}
                  </MenuItem>
                  <MenuItem icon={Trash2} destructive onSelect={() => setRemoved(passkey)}>
                    {texts.remove}
                  </MenuItem>
                </Menu>
              ),
            },
          ]}
          empty={<Empty icon={Fingerprint} title={texts.emptyTitle} text={texts.emptyText} />}
        />
      </Card>
      <BackupCodes codes={codes} onClose={() => setCodes(undefined)} />
      {renamed && <RenamePasskey passkey={renamed} onClose={() => setRenamed(undefined)} />}
      {removed && (
        <ConfirmDialog
          open
          onClose={() => setRemoved(undefined)}
          title={texts.removeTitle(removed.name)}
          text={texts.removeText}
          action={texts.remove}
          onConfirm={async () => {
            await remove.run({ path: { id: removed.id } });
            toast(texts.removed);
          }}
        />
      )}
    </div>
  );
}

export const EmailFirst = () => (
  <div className="note care">
    <p className="grow">{account.secondFactor.emailFirst}</p>
    <LinkButton size="s" to="/me">
      {account.secondFactor.toProfile}
    </LinkButton>
  </div>
);

function AddPasskey({ onCodes }: { onCodes(codes: readonly string[]): void }) {
  const toast = useToast();
  const refreshMe = useRefreshMe();
  const [name, setName] = useState("");
  const begin = useAction("POST /v1/me/passkeys/options");
  const add = useAction("POST /v1/me/passkeys", {
    changes: [list, "GET /v1/me/two-factor"],
    onDone: () => void refreshMe(),
  });
  if (!hasPasskeys()) return <p className="note">{texts.unavailable}</p>;
  const submit = async () => {
    const begun = await begin.run({});
    const credential = await createPasskey(begun).catch((error) => {
      const isKnown = error instanceof DOMException && error.name === "InvalidStateError";
      throw new Error(isKnown ? texts.known : texts.notMade);
    });
    const wanted = name.trim();
    const body = { ...(wanted === "" ? {} : { name: wanted }), credential };
    const { backupCodes } = await add.run({ body: body as never });
    setName("");
    toast(texts.addedToast);
    if (backupCodes) onCodes(backupCodes);
  };
  return (
    <Form
      onSubmit={submit}
      footer={(busy) => (
        <div className="form-acts">
          <Button type="submit" icon={Fingerprint} busy={busy}>
            {texts.add}
          </Button>
        </div>
      )}
    >
      <TextField
        label={texts.newName}
        hint={texts.newNameHint}
        value={name}
        onChange={setName}
        path="name"
        autoComplete="off"
      />
    </Form>
  );
}
