import type { LlmProvider } from "@signalbox/client";
import { Cpu } from "lucide-react";
import { usePath } from "../../lib/paths.ts";
import { useList } from "../../lib/queries.ts";
import { llmProviders as texts } from "../../texts/llm-providers.ts";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/feedback.tsx";
import { Tag } from "../../ui/state.tsx";
import { type Column, DataTable } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { useKinds } from "./kinds.ts";

export function ProviderList({ onAdd }: { onAdd: (() => void) | undefined }) {
  const path = usePath();
  const { nameOfKind } = useKinds();
  const list = useList("GET /v1/llm-providers", {});
  const columns: Column<LlmProvider>[] = [
    { head: texts.columns.name, isName: true, cell: ({ name }) => <span className="cut">{name}</span> },
    { head: texts.columns.kind, phone: "hide", cell: ({ kind }) => nameOfKind(kind) },
    {
      head: texts.columns.key,
      phone: "hide",
      cell: ({ keyTail }) =>
        keyTail === null ? <span className="t3">{texts.noKey}</span> : <code>…{keyTail}</code>,
    },
    {
      head: texts.columns.models,
      phone: "hide",
      cell: ({ models }) => (models === null ? texts.allModels : texts.someModels(models.length)),
    },
    {
      head: texts.columns.state,
      cell: ({ enabled }) => <Tag tone={enabled ? "ok" : "none"}>{enabled ? texts.on : texts.off}</Tag>,
    },
    {
      head: texts.columns.created,
      align: "r",
      phone: "hide",
      cell: ({ createdAt }) => <Time at={createdAt} />,
    },
  ];
  return (
    <section className="card">
      <DataTable
        label={texts.tabs.providers}
        what={texts.what.providers}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        to={({ id }) => ({ to: path(`/llm-providers/${id}`) })}
        empty={
          <Empty
            icon={Cpu}
            title={texts.empty.title}
            text={texts.empty.text}
            action={onAdd && <Button onClick={onAdd}>{texts.add.action}</Button>}
          />
        }
      />
    </section>
  );
}
