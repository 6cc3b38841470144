import { useState } from "react";
import type { Reply } from "../../lib/api.ts";
import { usePermission } from "../../lib/context.tsx";
import { formatCost } from "../../lib/format.ts";
import { readOptionalMicros, readWhole, writeMicros } from "../../lib/numbers.ts";
import { useAction, useRead } from "../../lib/queries.ts";
import { common } from "../../texts/common.ts";
import { settings } from "../../texts/settings.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Loaded } from "../../ui/feedback.tsx";
import { Form, TextField } from "../../ui/form.tsx";
import { useToast } from "../../ui/toast.tsx";

const texts = settings.automations;
const read = "GET /v1/automation-settings";
type Settings = Reply<typeof read>["settings"];

const fields = [
  { name: "eventRetentionDays", label: texts.events, hint: texts.eventsHint, group: "retention" },
  { name: "runRetentionDays", label: texts.runs, group: "retention" },
  { name: "queueTimeoutMinutes", label: texts.queue, hint: texts.queueHint, group: "retention" },
  { name: "monthlyBudgetMicros", label: texts.month, hint: texts.monthHint, group: "budgets" },
  { name: "runBudgetMicros", label: texts.run, hint: texts.runHint, group: "budgets" },
  { name: "reportCostLimitMicros", label: texts.report, hint: texts.reportHint, group: "budgets" },
  { name: "budgetWarningPercent", label: texts.warning, group: "budgets" },
] as const satisfies readonly { name: keyof Settings; label: string; hint?: string; group: string }[];

type Values = Record<keyof Settings, string>;
const isMoney = (name: string): boolean => name.endsWith("Micros");

const write = (settings: Settings): Values =>
  Object.fromEntries(
    fields.map(({ name }) => [name, isMoney(name) ? writeMicros(settings[name]) : String(settings[name])]),
  ) as Values;
const readValues = (values: Values) =>
  Object.fromEntries(
    fields.map(({ name }) => [
      name,
      isMoney(name) ? readOptionalMicros(values[name]) : readWhole(values[name]),
    ]),
  );

export function AutomationSettings() {
  const query = useRead(read, {});
  return (
    <div className="parts">
      <Spent />
      <Loaded query={query} what={texts.what} rows={8}>
        {(data) => <Editor settings={data.settings} />}
      </Loaded>
    </div>
  );
}

function Spent() {
  const query = useRead("GET /v1/automation-budget", {}, { everyMs: 30_000 });
  if (!query.data) return null;
  const { spentMicros, monthlyBudgetMicros, heldReports, state } = query.data.budget;
  const spent = formatCost(spentMicros);
  const tone = state === "exceeded" ? "note bad" : state === "warned" ? "note care" : "note";
  return (
    <p className={tone}>
      {monthlyBudgetMicros === null
        ? texts.spentUnlimited(spent)
        : texts.spent(spent, formatCost(monthlyBudgetMicros))}{" "}
      {heldReports > 0 && texts.held(heldReports)}
    </p>
  );
}

function Editor({ settings: given }: { settings: Settings }) {
  const mayChange = usePermission("automations:manage");
  const toast = useToast();
  const [values, setValues] = useState(() => write(given));
  const save = useAction("PATCH /v1/automation-settings", {
    changes: [read, "GET /v1/automation-budget"],
  });
  const show = (group: string) => (
    <div className="duo-fields">
      {fields
        .filter((field) => field.group === group)
        .map((field) => (
          <TextField
            key={field.name}
            label={field.label}
            {...("hint" in field ? { hint: field.hint } : {})}
            value={values[field.name]}
            onChange={(value) => setValues({ ...values, [field.name]: value })}
            path={field.name}
            type="number"
            min={0}
            step={isMoney(field.name) ? "0.01" : 1}
            readOnly={!mayChange}
          />
        ))}
    </div>
  );
  return (
    <Card title={texts.title} padded>
      {!mayChange && <p className="note">{settings.readOnly("automations:manage")}</p>}
      <Form
        className="form wide"
        onSubmit={async () => {
          const { settings: saved } = await save.run({ body: readValues(values) as never });
          setValues(write(saved));
          toast(settings.saved);
        }}
        footer={(busy) =>
          mayChange && (
            <div className="form-acts">
              <Button look="primary" type="submit" busy={busy}>
                {common.actions.save}
              </Button>
            </div>
          )
        }
      >
        <h3>{texts.budgets}</h3>
        {show("budgets")}
        <h3>{texts.retention}</h3>
        {show("retention")}
      </Form>
    </Card>
  );
}
