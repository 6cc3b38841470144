import type { WorkerRegistrationToken } from "@signalbox/client";
import { Ellipsis, KeyRound, RotateCw, Trash2 } from "lucide-react";
import { useState } from "react";
import { useAction, useList } from "../../lib/queries.ts";
import { workers as texts } from "../../texts/workers.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { SecretRow } from "../../ui/copy.tsx";
import { ConfirmDialog, Dialog } from "../../ui/dialog.tsx";
import { Empty } from "../../ui/feedback.tsx";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import { RefusalDialog } from "../../ui/refusal.tsx";
import { Tag } from "../../ui/state.tsx";
import { type Column, DataTable } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";

export function RegistrationTokens() {
  const list = useList("GET /v1/worker-registration-tokens", {});
  const columns: Column<WorkerRegistrationToken>[] = [
    { head: texts.columns.name, cell: ({ name }) => <span className="strong cut">{name}</span> },
    { head: texts.columns.kind, phone: "hide", cell: ({ kind }) => texts.kinds[kind] },
    {
      head: texts.columns.labels,
      phone: "hide",
      cell: ({ labels }) => labels.map((label) => <Tag key={label}>{label}</Tag>),
    },
    {
      head: texts.columns.uses,
      align: "r",
      phone: "label",
      cell: ({ uses, maxUses }) => texts.token.uses(uses, maxUses),
    },
    {
      head: texts.columns.expires,
      align: "r",
      phone: "hide",
      cell: ({ expiresAt }) => (expiresAt === null ? texts.token.never : <Time at={expiresAt} />),
    },
    { head: "", align: "r", cell: (token) => <TokenActions token={token} /> },
  ];
  return (
    <section className="card">
      <DataTable
        label={texts.tabs.tokens}
        what={texts.what.tokens}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        empty={<Empty icon={KeyRound} title={texts.empty.tokens} text={texts.empty.tokensText} />}
      />
    </section>
  );
}

function TokenActions({ token: { id, name } }: { token: WorkerRegistrationToken }) {
  const toast = useToast();
  const [asks, setAsks] = useState(false);
  const [secret, setSecret] = useState<string>();
  const changes = ["GET /v1/worker-registration-tokens"] as const;
  const rotate = useAction("POST /v1/worker-registration-tokens/{id}/rotate", {
    changes,
    onDone: ({ token }) => setSecret(token),
  });
  const remove = useAction("DELETE /v1/worker-registration-tokens/{id}", {
    changes,
    onDone: () => toast(texts.token.removed),
  });
  return (
    <>
      <Menu trigger={<IconButton icon={Ellipsis} label={name} />}>
        <MenuItem icon={RotateCw} onSelect={() => rotate.start({ path: { id }, body: {} })}>
          {texts.token.rotate}
        </MenuItem>
        <MenuItem icon={Trash2} destructive onSelect={() => setAsks(true)}>
          {texts.token.remove}
        </MenuItem>
      </Menu>
      <RefusalDialog of={rotate} />
      <ConfirmDialog
        open={asks}
        onClose={() => setAsks(false)}
        title={texts.token.removeTitle(name)}
        text={texts.token.removeText}
        action={texts.token.remove}
        onConfirm={() => remove.run({ path: { id } })}
      />
      {secret !== undefined && (
        <Dialog
          open
          onClose={() => setSecret(undefined)}
          title={texts.token.rotated}
          lead={texts.token.rotatedLead}
        >
          <SecretRow value={secret} />
          <footer className="row dlg-acts">
            <Button look="primary" onClick={() => setSecret(undefined)}>
              {texts.add.done}
            </Button>
          </footer>
        </Dialog>
      )}
    </>
  );
}
