import type { LlmModel, LlmProvider } from "@signalbox/client";
import { useState } from "react";
import { formatExactCost, formatNumber } from "../../lib/format.ts";
import { useFilters } from "../../lib/paths.ts";
import { useList } from "../../lib/queries.ts";
import { llmProviders } from "../../texts/llm-providers.ts";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/feedback.tsx";
import { FilterSelect } from "../../ui/filter.tsx";
import { Find } from "../../ui/find.tsx";
import { Tag } from "../../ui/state.tsx";
import { type Column, DataTable } from "../../ui/table.tsx";
import { useKinds } from "./kinds.ts";
import { PriceDialog } from "./price-dialog.tsx";

const texts = llmProviders.models;

interface Props {
  mayManage: boolean;
  /** Only the models of this kind of provider. Without it, a person chooses. */
  kind?: LlmProvider["kind"];
}

/** The models of the catalogue with their prices per million tokens. */
export function Models({ mayManage, kind }: Props) {
  const { filters, setFilters } = useFilters();
  const { kinds, date } = useKinds();
  const [priced, setPriced] = useState<LlmModel>();
  const shown = kind ?? (filters.kind as LlmProvider["kind"] | undefined) ?? "anthropic";
  const list = useList("GET /v1/llm-provider-catalog", { query: { kind: shown, limit: 100 } });
  const wanted = (filters.model ?? "").toLowerCase();
  const rows = wanted
    ? list.rows.filter(({ id, name }) => `${id} ${name ?? ""}`.toLowerCase().includes(wanted))
    : list.rows;
  const money = (micros: number | null) => (micros === null ? "–" : formatExactCost(micros));
  const columns: Column<LlmModel>[] = [
    {
      head: llmProviders.columns.model,
      cell: ({ id, name, retired, price }) => (
        <span className="row wrap">
          <span className="strong">{name ?? id}</span>
          {name !== null && <code className="t3 no-phone">{id}</code>}
          {retired && <Tag tone="care">{texts.retired}</Tag>}
          {price.source === "override" && <Tag tone="live">{texts.override}</Tag>}
        </span>
      ),
    },
    {
      head: llmProviders.columns.context,
      align: "r",
      phone: "hide",
      cell: ({ contextTokens }) => (contextTokens === null ? "–" : formatNumber(contextTokens)),
    },
    {
      head: llmProviders.columns.input,
      align: "r",
      phone: "label",
      cell: ({ price }) =>
        price.input === null && price.output === null ? (
          <span className="t3">{texts.unpriced}</span>
        ) : (
          money(price.input)
        ),
    },
    {
      head: llmProviders.columns.output,
      align: "r",
      phone: "label",
      cell: ({ price }) => money(price.output),
    },
    {
      head: llmProviders.columns.cacheRead,
      align: "r",
      phone: "hide",
      cell: ({ price }) => money(price.cacheRead),
    },
    {
      head: llmProviders.columns.cacheWrite,
      align: "r",
      phone: "hide",
      cell: ({ price }) => money(price.cacheWrite),
    },
    ...(mayManage
      ? ([
          {
            head: "",
            align: "r",
            phone: "hide",
            cell: (model) => (
              <Button size="s" look="quiet" onClick={() => setPriced(model)}>
                {texts.setPrice}
              </Button>
            ),
          },
        ] satisfies Column<LlmModel>[])
      : []),
  ];
  return (
    <>
      <div className="filters finds">
        {kind === undefined && (
          <FilterSelect
            label={texts.kind}
            value={shown}
            onChange={(next) => setFilters({ kind: next })}
            options={kinds
              .filter(({ models }) => models > 0)
              .map((candidate) => ({ value: candidate.kind, label: candidate.name }))}
          />
        )}
        <span className="small t3">
          {texts.perMillion}
          {date && ` · ${texts.source(date)}`}
        </span>
        <span className="grow" />
        <Find value={filters.model ?? ""} onChange={(model) => setFilters({ model })} label={texts.find} />
      </div>
      <section className="card">
        <DataTable
          label={llmProviders.tabs.models}
          what={llmProviders.what.models}
          list={{ ...list, rows }}
          columns={columns}
          rowKey={({ id }) => id}
          empty={<Empty title={llmProviders.empty.models} />}
        />
      </section>
      {priced && <PriceDialog provider={shown} model={priced} onClose={() => setPriced(undefined)} />}
    </>
  );
}
