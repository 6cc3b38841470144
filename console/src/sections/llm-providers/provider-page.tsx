import type { LlmProvider } from "@signalbox/client";
import { useNavigate, useParams } from "@tanstack/react-router";
import { Ellipsis, Power, Trash2 } from "lucide-react";
import { useState } from "react";
import { usePermission } from "../../lib/context.tsx";
import { useFilters, usePath } from "../../lib/paths.ts";
import { useAction, useRead } from "../../lib/queries.ts";
import { common } from "../../texts/common.ts";
import { llmProviders as texts } from "../../texts/llm-providers.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Pairs } from "../../ui/card.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import { RecordPage } from "../../ui/page.tsx";
import { PendingRecord } from "../../ui/pending-record.tsx";
import { RefusalDialog } from "../../ui/refusal.tsx";
import { Tag } from "../../ui/state.tsx";
import { Segments } from "../../ui/tabs.tsx";
import { Id, Time } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";
import { useKinds } from "./kinds.ts";
import { Models } from "./models.tsx";
import { ProviderAccess } from "./provider-access.tsx";
import { ProviderKeys } from "./provider-keys.tsx";

export default function ProviderPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const path = usePath();
  const { filters, setFilters } = useFilters();
  const mayManage = usePermission("llm_providers:manage");
  const { nameOfKind } = useKinds();
  const query = useRead("GET /v1/llm-providers/{id}", { path: { id } });
  const parts = mayManage ? (["keys", "access", "models"] as const) : (["models"] as const);
  const part = parts.find((candidate) => candidate === filters.part) ?? parts[0];
  const list = { label: texts.title, to: path("/llm-providers") };
  if (!query.data) return <PendingRecord id={id} list={list} query={query} what={texts.what.provider} />;
  const { llmProvider: provider } = query.data;
  return (
    <RecordPage
      name={provider.name}
      crumbs={[list, { label: provider.name }]}
      title={provider.name}
      beside={<Tag tone={provider.enabled ? "ok" : "none"}>{provider.enabled ? texts.on : texts.off}</Tag>}
      lead={provider.enabled ? nameOfKind(provider.kind) : texts.record.disabledNote}
      barActions={mayManage && <Actions provider={provider} />}
      rail={
        <section>
          <h2>{texts.record.details}</h2>
          <Pairs
            items={[
              [texts.record.id, <Id key="id" id={provider.id} />],
              [texts.record.kind, nameOfKind(provider.kind)],
              [texts.record.address, <code key="address">{provider.baseUrl}</code>],
              [
                texts.record.models,
                provider.models === null ? texts.allModels : texts.someModels(provider.models.length),
              ],
              [texts.record.created, <Time key="created" at={provider.createdAt} form="date" />],
            ]}
          />
        </section>
      }
    >
      <div className="filters">
        <Segments
          label={texts.parts.label}
          value={part}
          onChange={(value) => setFilters({ part: value }, { replace: false })}
          options={parts.map((value) => ({ value, label: texts.parts[value] }))}
        />
      </div>
      {part === "keys" && <ProviderKeys provider={provider} />}
      {part === "access" && <ProviderAccess provider={provider} />}
      {part === "models" && <Models mayManage={mayManage} kind={provider.kind} />}
    </RecordPage>
  );
}

function Actions({ provider }: { provider: LlmProvider }) {
  const toast = useToast();
  const navigate = useNavigate();
  const path = usePath();
  const [asks, setAsks] = useState(false);
  const input = { path: { id: provider.id } };
  const save = useAction("PATCH /v1/llm-providers/{id}", {
    changes: ["GET /v1/llm-providers", "GET /v1/llm-providers/{id}"],
    onDone: () => toast(texts.record.saved),
  });
  const remove = useAction("DELETE /v1/llm-providers/{id}", {
    changes: ["GET /v1/llm-providers"],
    onDone: () => {
      toast(texts.record.removed(provider.name));
      void navigate({ to: path("/llm-providers") });
    },
  });
  return (
    <>
      <Button
        size="s"
        icon={Power}
        busy={save.isRunning}
        onClick={() => save.start({ ...input, body: { enabled: !provider.enabled } })}
      >
        {provider.enabled ? texts.record.disable : texts.record.enable}
      </Button>
      <Menu trigger={<IconButton icon={Ellipsis} label={common.actions.more} />}>
        <MenuItem icon={Trash2} destructive onSelect={() => setAsks(true)}>
          {texts.record.remove}
        </MenuItem>
      </Menu>
      <RefusalDialog of={save} />
      <ConfirmDialog
        open={asks}
        onClose={() => setAsks(false)}
        title={texts.record.removeTitle(provider.name)}
        text={texts.record.removeText}
        action={texts.record.remove}
        typeName={provider.name}
        onConfirm={() => remove.run(input)}
      />
    </>
  );
}
