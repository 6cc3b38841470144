import type { LlmBudget } from "@signalbox/client";
import { Ellipsis, Wallet } from "lucide-react";
import { useState } from "react";
import { formatCost } from "../../lib/format.ts";
import { useAction, useList } from "../../lib/queries.ts";
import { common } from "../../texts/common.ts";
import { llmProviders } from "../../texts/llm-providers.ts";
import { IconButton } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Empty } from "../../ui/feedback.tsx";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import { Tag } from "../../ui/state.tsx";
import type { Tone } from "../../ui/states.ts";
import { type Column, DataTable } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";
import { BudgetDialog } from "./budget-dialog.tsx";

const texts = llmProviders.budgets;
const tones: Record<LlmBudget["state"], Tone> = { within: "ok", warned: "care", exceeded: "bad" };

/** The name of what a budget is for. */
const nameSubject = ({ subject }: LlmBudget): string => subject.name ?? texts.subjects[subject.kind];

export function Budgets({ mayManage }: { mayManage: boolean }) {
  const list = useList("GET /v1/llm-budgets", {}, { everyMs: 10_000 });
  const columns: Column<LlmBudget>[] = [
    {
      head: llmProviders.columns.subject,
      cell: (budget) => (
        <>
          <span className="strong cut">{nameSubject(budget)}</span>
          <span className="small t3">{texts.subjects[budget.subject.kind]}</span>
        </>
      ),
    },
    {
      head: llmProviders.columns.state,
      cell: ({ state, mode }) => (
        <span className="row">
          <Tag tone={tones[state]}>{texts.states[state]}</Tag>
          <span className="no-phone">{texts.modes[mode]}</span>
        </span>
      ),
    },
    { head: llmProviders.columns.spent, cell: (budget) => <Spent budget={budget} /> },
    {
      head: llmProviders.columns.resets,
      align: "r",
      phone: "hide",
      cell: ({ resetsAt }) => <Time at={resetsAt} />,
    },
    ...(mayManage
      ? ([
          { head: "", align: "r", cell: (budget) => <Actions budget={budget} /> },
        ] satisfies Column<LlmBudget>[])
      : []),
  ];
  return (
    <section className="card">
      <DataTable
        label={llmProviders.tabs.budgets}
        what={llmProviders.what.budgets}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        empty={
          <Empty icon={Wallet} title={llmProviders.empty.budgets} text={llmProviders.empty.budgetsText} />
        }
        tall
      />
    </section>
  );
}

const Spent = ({ budget }: { budget: LlmBudget }) => (
  <span className="stack-s">
    <span className="num">
      {texts.spentOf(formatCost(budget.spentMicros), formatCost(budget.limitMicros))}{" "}
      <span className="t3">{texts.a(texts.periods[budget.period])}</span>
    </span>
    <progress
      className={budget.state === "within" ? "" : "care"}
      max={Math.max(budget.limitMicros, 1)}
      value={Math.min(budget.spentMicros, budget.limitMicros)}
      aria-label={nameSubject(budget)}
    />
  </span>
);

function Actions({ budget }: { budget: LlmBudget }) {
  const toast = useToast();
  const [open, setOpen] = useState<"edit" | "remove">();
  const close = () => setOpen(undefined);
  const remove = useAction("DELETE /v1/llm-budgets/{id}", {
    changes: ["GET /v1/llm-budgets"],
    onDone: () => toast(texts.removed),
  });
  return (
    <>
      <Menu trigger={<IconButton icon={Ellipsis} label={texts.actions(nameSubject(budget))} />}>
        <MenuItem onSelect={() => setOpen("edit")}>{common.actions.edit}</MenuItem>
        <MenuItem destructive onSelect={() => setOpen("remove")}>
          {texts.remove}
        </MenuItem>
      </Menu>
      {open === "edit" && <BudgetDialog budget={budget} onClose={close} />}
      <ConfirmDialog
        open={open === "remove"}
        onClose={close}
        title={texts.removeTitle(nameSubject(budget))}
        text={texts.removeText}
        action={texts.remove}
        onConfirm={() => remove.run({ path: { id: budget.id } })}
      />
    </>
  );
}
