import type { ApiKey } from "@signalbox/client";
import { Ellipsis, KeyRound, Plus, RotateCw, Trash2 } from "lucide-react";
import { useState } from "react";
import { useOrganization, usePermission } from "../../lib/context.tsx";
import { useShortcuts } from "../../lib/keyboard.tsx";
import { useMemberNames } from "../../lib/member-names.ts";
import { useAction, useList } from "../../lib/queries.ts";
import { access } from "../../texts/access.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Empty } from "../../ui/feedback.tsx";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import { Tag } from "../../ui/state.tsx";
import { type Column, DataTable } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";
import { NewKeyDialog, RotateKeyDialog } from "./key-dialogs.tsx";

const texts = access.keys;

export function ApiKeys() {
  const [isCreating, setIsCreating] = useState(false);
  const nameOf = useMemberNames();
  const list = useList("GET /v1/api-keys", {});
  const { useKey } = useShortcuts();
  useKey("c", () => setIsCreating(true), usePermission("api_keys:create"));
  const columns: Column<ApiKey>[] = [
    {
      head: access.columns.name,
      cell: ({ name, replacedBy }) => (
        <span className="row">
          <span className="strong cut">{name}</span>
          {replacedBy !== null && <Tag tone="care">{texts.replaced}</Tag>}
        </span>
      ),
    },
    { head: access.columns.key, phone: "hide", cell: ({ start }) => <code>{start}…</code> },
    { head: access.columns.owner, phone: "hide", cell: ({ memberId }) => nameOf(memberId) },
    {
      head: access.columns.permissions,
      phone: "hide",
      cell: ({ permissions }) => (
        <span title={permissions?.join(", ")}>
          {permissions === null ? texts.all : texts.some(permissions.length)}
        </span>
      ),
    },
    {
      head: access.columns.lastUsed,
      align: "r",
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? access.notUsed : <Time at={lastUsedAt} />),
    },
    {
      head: access.columns.expires,
      align: "r",
      phone: "hide",
      cell: ({ expiresAt }) => (expiresAt === null ? access.never : <Time at={expiresAt} />),
    },
    { head: "", align: "r", cell: (key) => <KeyActions apiKey={key} /> },
  ];
  const create = (
    <Button look="primary" icon={Plus} onClick={() => setIsCreating(true)}>
      {texts.new}
    </Button>
  );
  return (
    <>
      {list.rows.length > 0 && <div className="filters end">{create}</div>}
      <section className="card">
        <DataTable
          label={access.tabs.keys}
          what={access.what.keys}
          list={list}
          columns={columns}
          rowKey={({ id }) => id}
          empty={<Empty icon={KeyRound} title={texts.empty} text={texts.emptyText} action={create} />}
        />
      </section>
      {isCreating && <NewKeyDialog onClose={() => setIsCreating(false)} />}
    </>
  );
}

function KeyActions({ apiKey }: { apiKey: ApiKey }) {
  const toast = useToast();
  const { memberId } = useOrganization();
  const [open, setOpen] = useState<"rotate" | "remove">();
  const close = () => setOpen(undefined);
  const remove = useAction("DELETE /v1/api-keys/{id}", {
    changes: ["GET /v1/api-keys"],
    onDone: () => toast(texts.removed),
  });
  return (
    <>
      <Menu trigger={<IconButton icon={Ellipsis} label={texts.actions(apiKey.name)} />}>
        {/* The reply contains a key that acts for its member, so only the member gets it. */}
        {apiKey.replacedBy === null && apiKey.memberId === memberId && (
          <MenuItem icon={RotateCw} onSelect={() => setOpen("rotate")}>
            {texts.rotate}
          </MenuItem>
        )}
        <MenuItem icon={Trash2} destructive onSelect={() => setOpen("remove")}>
          {texts.remove}
        </MenuItem>
      </Menu>
      {open === "rotate" && <RotateKeyDialog apiKey={apiKey} onClose={close} />}
      <ConfirmDialog
        open={open === "remove"}
        onClose={close}
        title={texts.removeTitle(apiKey.name)}
        text={texts.removeText}
        action={texts.remove}
        onConfirm={() => remove.run({ path: { id: apiKey.id } })}
      />
    </>
  );
}
