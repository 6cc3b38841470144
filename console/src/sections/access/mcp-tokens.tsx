import type { McpToken } from "@signalbox/client";
import { Plug, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { useMemberNames } from "../../lib/member-names.ts";
import { useAction, useList } from "../../lib/queries.ts";
import { access } from "../../texts/access.ts";
import { common } from "../../texts/common.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { SecretRow } from "../../ui/copy.tsx";
import { ConfirmDialog, Dialog } from "../../ui/dialog.tsx";
import { Empty } from "../../ui/feedback.tsx";
import { ChoiceField, Form, TextField } from "../../ui/form.tsx";
import { Tag } from "../../ui/state.tsx";
import { type Column, DataTable } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";
import { McpClients } from "./mcp-clients.tsx";

const texts = access.tokens;

export function McpTokens() {
  const [isCreating, setIsCreating] = useState(false);
  const nameOf = useMemberNames();
  const list = useList("GET /v1/mcp/tokens", {});
  const columns: Column<McpToken>[] = [
    { head: access.columns.name, cell: ({ name }) => <span className="strong cut">{name}</span> },
    { head: access.columns.token, phone: "hide", cell: ({ start }) => <code>{start}…</code> },
    { head: access.columns.owner, phone: "hide", cell: ({ memberId }) => nameOf(memberId) },
    {
      head: access.columns.scopes,
      phone: "hide",
      cell: ({ scopes }) =>
        scopes.map((scope) => (
          <Tag key={scope} mono>
            {scope}
          </Tag>
        )),
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
      cell: ({ expiresAt }) => <Time at={expiresAt} />,
    },
    { head: "", align: "r", cell: (token) => <RemoveToken token={token} /> },
  ];
  const create = (
    <Button look="primary" icon={Plus} onClick={() => setIsCreating(true)}>
      {texts.new}
    </Button>
  );
  return (
    <>
      {list.rows.length > 0 && <div className="filters end">{create}</div>}
      <div className="stack">
        <section className="card">
          <DataTable
            label={access.tabs.mcpTokens}
            what={access.what.tokens}
            list={list}
            columns={columns}
            rowKey={({ id }) => id}
            empty={<Empty icon={Plug} title={texts.empty} text={texts.emptyText} action={create} />}
          />
        </section>
        <McpClients />
      </div>
      {isCreating && <NewTokenDialog onClose={() => setIsCreating(false)} />}
    </>
  );
}

function RemoveToken({ token: { id, name } }: { token: McpToken }) {
  const toast = useToast();
  const [asks, setAsks] = useState(false);
  const remove = useAction("DELETE /v1/mcp/tokens/{id}", {
    changes: ["GET /v1/mcp/tokens"],
    onDone: () => toast(texts.removed),
  });
  return (
    <>
      <IconButton icon={Trash2} label={`${texts.remove}: ${name}`} onClick={() => setAsks(true)} />
      <ConfirmDialog
        open={asks}
        onClose={() => setAsks(false)}
        title={texts.removeTitle(name)}
        text={texts.removeText}
        action={texts.remove}
        onConfirm={() => remove.run({ path: { id } })}
      />
    </>
  );
}

function NewTokenDialog({ onClose }: { onClose(): void }) {
  const [name, setName] = useState("");
  const [rights, setRights] = useState<"read" | "write">("read");
  const [made, setMade] = useState<{ name: string; token: string }>();
  const create = useAction("POST /v1/mcp/token", {
    changes: ["GET /v1/mcp/tokens"],
    onDone: ({ mcpToken, token }) => setMade({ name: mcpToken.name, token }),
  });
  const scopes: McpToken["scopes"] = rights === "read" ? ["mcp:read"] : ["mcp:read", "mcp:write"];
  return (
    <Dialog
      open
      onClose={onClose}
      title={made ? texts.created(made.name) : texts.new}
      lead={made ? undefined : texts.lead}
    >
      {made ? (
        <>
          <SecretRow value={made.token} />
          <footer className="row dlg-acts">
            <Button look="primary" onClick={onClose}>
              {access.keys.done}
            </Button>
          </footer>
        </>
      ) : (
        <Form
          onSubmit={() => create.run({ body: { ...(name.trim() ? { name: name.trim() } : {}), scopes } })}
          footer={(busy) => (
            <footer className="row dlg-acts">
              <Button onClick={onClose}>{common.actions.cancel}</Button>
              <Button look="primary" type="submit" busy={busy}>
                {texts.create}
              </Button>
            </footer>
          )}
        >
          <TextField label={texts.name} path="name" value={name} onChange={setName} autoFocus />
          <ChoiceField
            legend={texts.scopes}
            value={rights}
            onChange={setRights}
            options={[
              { value: "read", label: texts.read },
              { value: "write", label: texts.write },
            ]}
          />
        </Form>
      )}
    </Dialog>
  );
}
