import type { LlmProvider, LlmProviderKey } from "@signalbox/client";
import { Ellipsis, KeyRound, Plus, RotateCw, Trash2 } from "lucide-react";
import { useState } from "react";
import { useAction, useList } from "../../lib/queries.ts";
import { llmProviders } from "../../texts/llm-providers.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Empty } from "../../ui/feedback.tsx";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import { RefusalDialog } from "../../ui/refusal.tsx";
import { Tag } from "../../ui/state.tsx";
import type { Tone } from "../../ui/states.ts";
import { type Column, DataTable } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";
import { AddKeyDialog, RotateKeyDialog } from "./key-dialogs.tsx";

const texts = llmProviders.keys;
const tones: Record<LlmProviderKey["status"], Tone> = { active: "ok", retiring: "care", disabled: "none" };
const changes = [
  "GET /v1/llm-providers/{id}/keys",
  "GET /v1/llm-providers/{id}",
  "GET /v1/llm-providers",
] as const;

export function ProviderKeys({ provider }: { provider: LlmProvider }) {
  const [isAdding, setIsAdding] = useState(false);
  const list = useList("GET /v1/llm-providers/{id}/keys", { path: { id: provider.id } });
  const add = (
    <Button size="s" icon={Plus} onClick={() => setIsAdding(true)}>
      {texts.add}
    </Button>
  );
  const columns: Column<LlmProviderKey>[] = [
    {
      head: llmProviders.columns.name,
      cell: ({ name, tail }) => (
        <>
          <span className="strong cut">{name}</span> <code className="t3">…{tail}</code>
        </>
      ),
    },
    {
      head: llmProviders.columns.state,
      cell: ({ status, retiresAt }) => (
        <span className="row">
          <Tag tone={tones[status]}>{texts.status[status]}</Tag>
          {retiresAt !== null && <Time at={retiresAt} />}
        </span>
      ),
    },
    { head: llmProviders.columns.verdict, cell: (key) => <Verdict providerKey={key} /> },
    {
      head: llmProviders.columns.handedOut,
      align: "r",
      phone: "hide",
      cell: ({ lastIssuedAt }) => (lastIssuedAt === null ? texts.notIssued : <Time at={lastIssuedAt} />),
    },
    { head: "", align: "r", cell: (key) => <KeyActions providerKey={key} /> },
  ];
  return (
    <Card title={llmProviders.parts.keys} actions={list.rows.length > 0 && add}>
      <DataTable
        label={llmProviders.parts.keys}
        what={llmProviders.what.keys}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        empty={
          <Empty
            icon={KeyRound}
            title={llmProviders.empty.keys}
            text={llmProviders.empty.keysText}
            action={add}
          />
        }
        tall
      />
      {isAdding && (
        <AddKeyDialog providerId={provider.id} changes={changes} onClose={() => setIsAdding(false)} />
      )}
    </Card>
  );
}

/** The result of the last test, and a button for the next. */
function Verdict({ providerKey }: { providerKey: LlmProviderKey }) {
  const test = useAction("POST /v1/llm-providers/{id}/test", { changes });
  const { lastVerdict, lastMessage, lastTestedAt } = providerKey;
  return (
    <span className="row">
      {lastVerdict === null ? (
        <span className="t3">{texts.notTested}</span>
      ) : (
        <span title={lastMessage ?? undefined} className="row">
          <Tag tone={lastVerdict === "valid" ? "ok" : "bad"}>{llmProviders.verdicts[lastVerdict]}</Tag>
          <span className="no-phone small t3">
            <Time at={lastTestedAt} />
          </span>
        </span>
      )}
      <Button
        size="s"
        look="quiet"
        busy={test.isRunning}
        onClick={() => test.start({ path: { id: providerKey.providerId }, body: { keyId: providerKey.id } })}
      >
        {test.isRunning ? texts.testing : texts.test}
      </Button>
      <RefusalDialog of={test} />
    </span>
  );
}

function KeyActions({ providerKey: key }: { providerKey: LlmProviderKey }) {
  const toast = useToast();
  const [open, setOpen] = useState<"rotate" | "remove">();
  const close = () => setOpen(undefined);
  const input = { path: { id: key.providerId, keyId: key.id } };
  const disable = useAction("POST /v1/llm-providers/{id}/keys/{keyId}/disable", {
    changes,
    onDone: () => toast(texts.disabled),
  });
  const enable = useAction("POST /v1/llm-providers/{id}/keys/{keyId}/enable", {
    changes,
    onDone: () => toast(texts.enabled),
  });
  const remove = useAction("DELETE /v1/llm-providers/{id}/keys/{keyId}", {
    changes,
    onDone: () => toast(texts.removed),
  });
  return (
    <>
      <Menu trigger={<IconButton icon={Ellipsis} label={texts.actions(key.name)} />}>
        {key.status === "active" && (
          <MenuItem icon={RotateCw} onSelect={() => setOpen("rotate")}>
            {texts.rotate}
          </MenuItem>
        )}
        {key.status === "disabled" ? (
          <MenuItem onSelect={() => enable.start(input)}>{texts.enable}</MenuItem>
        ) : (
          <MenuItem onSelect={() => disable.start(input)}>{texts.disable}</MenuItem>
        )}
        <MenuItem icon={Trash2} destructive onSelect={() => setOpen("remove")}>
          {texts.remove}
        </MenuItem>
      </Menu>
      <RefusalDialog of={key.status === "disabled" ? enable : disable} />
      {open === "rotate" && <RotateKeyDialog providerKey={key} changes={changes} onClose={close} />}
      <ConfirmDialog
        open={open === "remove"}
        onClose={close}
        title={texts.removeTitle(key.name)}
        text={texts.removeText}
        action={texts.remove}
        onConfirm={() => remove.run(input)}
      />
    </>
  );
}
