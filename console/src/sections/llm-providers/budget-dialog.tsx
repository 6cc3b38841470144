import type { LlmBudget } from "@signalbox/client";
import { useState } from "react";
import { parseMoney, writeMoney } from "../../lib/money.ts";
import { useAction, useList, useWhole } from "../../lib/queries.ts";
import { common } from "../../texts/common.ts";
import { llmProviders } from "../../texts/llm-providers.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ChoiceField, Form, SelectField, TextField } from "../../ui/form.tsx";
import { useToast } from "../../ui/toast.tsx";

const texts = llmProviders.budgets;
type Kind = LlmBudget["subject"]["kind"];
const kinds = Object.keys(texts.subjects) as Kind[];
const periods = Object.keys(texts.periods) as LlmBudget["period"][];
const modes = Object.keys(texts.modes) as LlmBudget["mode"][];

/** Creates a budget, or changes the limit, the warning and the mode of one. */
export function BudgetDialog({ budget, onClose }: { budget?: LlmBudget; onClose(): void }) {
  const toast = useToast();
  const [kind, setKind] = useState<Kind>("organization");
  const [subjectId, setSubjectId] = useState("");
  const [period, setPeriod] = useState<LlmBudget["period"]>("month");
  const [mode, setMode] = useState<LlmBudget["mode"]>(budget?.mode ?? "budget");
  const [limit, setLimit] = useState(writeMoney(budget?.limitMicros));
  const [warning, setWarning] = useState(String(budget?.warningPercent ?? 80));
  const [limitError, setLimitError] = useState<string>();
  const subjects = useSubjects(kind, budget === undefined);
  const id = subjectId || subjects[0]?.value || "";
  const changes = ["GET /v1/llm-budgets"] as const;
  const done = (text: string) => () => {
    toast(text);
    onClose();
  };
  const create = useAction("POST /v1/llm-budgets", { changes, onDone: done(texts.created) });
  const save = useAction("PATCH /v1/llm-budgets/{id}", { changes, onDone: done(texts.saved) });
  const submit = async () => {
    const limitMicros = parseMoney(limit);
    setLimitError(limitMicros === undefined ? texts.invalid : undefined);
    if (limitMicros === undefined) throw new Error(common.form.invalid);
    const shared = { mode, limitMicros, warningPercent: Number(warning) };
    if (budget) return save.run({ path: { id: budget.id }, body: shared });
    const subject = kind === "organization" ? { kind } : { kind, id };
    return create.run({ body: { ...shared, subject, period } });
  };
  return (
    <Dialog open onClose={onClose} title={budget ? texts.edit : texts.title} lead={texts.lead}>
      <Form
        onSubmit={submit}
        footer={(busy) => (
          <footer className="row dlg-acts">
            <Button onClick={onClose}>{common.actions.cancel}</Button>
            <Button look="primary" type="submit" busy={busy}>
              {budget ? texts.save : texts.create}
            </Button>
          </footer>
        )}
      >
        {!budget && (
          <>
            <SelectField
              label={texts.subject}
              path="subject.kind"
              value={kind}
              onChange={(value) => {
                setKind(value as Kind);
                setSubjectId("");
              }}
              options={kinds.map((value) => ({ value, label: texts.subjects[value] }))}
            />
            {kind !== "organization" && (
              <SelectField
                label={texts.which}
                path="subject.id"
                value={id}
                onChange={setSubjectId}
                options={subjects}
              />
            )}
            <SelectField
              label={texts.period}
              path="period"
              value={period}
              onChange={(value) => setPeriod(value as LlmBudget["period"])}
              options={periods.map((value) => ({ value, label: texts.periods[value] }))}
            />
          </>
        )}
        <TextField
          label={texts.limit}
          path="limitMicros"
          inputMode="decimal"
          value={limit}
          onChange={setLimit}
          error={limitError}
        />
        <TextField
          label={texts.warning}
          path="warningPercent"
          inputMode="numeric"
          value={warning}
          onChange={setWarning}
        />
        <ChoiceField
          legend={texts.mode}
          value={mode}
          onChange={setMode}
          options={modes.map((value) => ({ value, label: texts.modes[value], hint: texts.modeHints[value] }))}
        />
      </Form>
    </Dialog>
  );
}

function useSubjects(kind: Kind, enabled: boolean): { value: string; label: string }[] {
  const page = { query: { limit: 100 } };
  const isOf = (subject: Kind) => ({ enabled: enabled && kind === subject });
  const rows = {
    organization: [],
    team: useWhole(useList("GET /v1/teams", page, isOf("team"))),
    member: useWhole(useList("GET /v1/members", page, isOf("member"))),
    provider: useWhole(useList("GET /v1/llm-providers", page, isOf("provider"))),
  };
  return (rows[kind] ?? []).map(({ id, name }: { id: string; name: string }) => ({ value: id, label: name }));
}
