import type { LlmPrice } from "@signalbox/client";
import { Coins, Trash2 } from "lucide-react";
import { useState } from "react";
import { formatExactCost } from "../../lib/format.ts";
import { useAction, useList } from "../../lib/queries.ts";
import { llmProviders } from "../../texts/llm-providers.ts";
import { IconButton } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Empty } from "../../ui/feedback.tsx";
import { type Column, DataTable } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";

const texts = llmProviders.price;

export function OwnPrices({ mayManage }: { mayManage: boolean }) {
  const list = useList("GET /v1/llm-prices", {});
  const money = (micros: number | undefined) => (micros === undefined ? "–" : formatExactCost(micros));
  const columns: Column<LlmPrice>[] = [
    { head: texts.model, cell: ({ model }) => <code className="strong">{model}</code> },
    { head: texts.provider, phone: "hide", cell: ({ provider }) => provider },
    { head: texts.input, align: "r", cell: ({ rates }) => money(rates.input) },
    { head: texts.output, align: "r", cell: ({ rates }) => money(rates.output) },
    { head: texts.note, phone: "hide", cell: ({ note }) => <span className="cut">{note}</span> },
    {
      head: texts.from,
      align: "r",
      phone: "hide",
      cell: ({ validFrom }) => <Time at={validFrom} form="date" />,
    },
    ...(mayManage
      ? ([
          { head: "", align: "r", cell: (price) => <RemovePrice price={price} /> },
        ] satisfies Column<LlmPrice>[])
      : []),
  ];
  return (
    <section className="card">
      <DataTable
        label={llmProviders.tabs.prices}
        what={llmProviders.what.prices}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        empty={<Empty icon={Coins} title={llmProviders.empty.prices} text={llmProviders.empty.pricesText} />}
      />
    </section>
  );
}

function RemovePrice({ price: { id, model } }: { price: LlmPrice }) {
  const toast = useToast();
  const [asks, setAsks] = useState(false);
  const remove = useAction("DELETE /v1/llm-prices/{id}", {
    changes: ["GET /v1/llm-prices", "GET /v1/llm-provider-catalog"],
    onDone: () => toast(texts.removed),
  });
  return (
    <>
      <IconButton icon={Trash2} label={`${texts.remove}: ${model}`} onClick={() => setAsks(true)} />
      <ConfirmDialog
        open={asks}
        onClose={() => setAsks(false)}
        title={texts.removeTitle(model)}
        text={texts.removeText}
        action={texts.remove}
        onConfirm={() => remove.run({ path: { id } })}
      />
    </>
  );
}
