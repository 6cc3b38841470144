import type { LlmModel } from "@signalbox/client";
import { useState } from "react";
import { parseMoney, writeMoney } from "../../lib/money.ts";
import { useAction } from "../../lib/queries.ts";
import { common } from "../../texts/common.ts";
import { llmProviders } from "../../texts/llm-providers.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form, TextField } from "../../ui/form.tsx";
import { useToast } from "../../ui/toast.tsx";

const texts = llmProviders.price;
const rates = ["input", "output", "cacheRead", "cacheWrite"] as const;
type Rate = (typeof rates)[number];

interface Props {
  provider: string;
  model: LlmModel;
  onClose(): void;
}

export function PriceDialog({ provider, model, onClose }: Props) {
  const toast = useToast();
  const [typed, setTyped] = useState<Record<Rate, string>>({
    input: writeMoney(model.price.input),
    output: writeMoney(model.price.output),
    cacheRead: writeMoney(model.price.cacheRead),
    cacheWrite: writeMoney(model.price.cacheWrite),
  });
  const [from, setFrom] = useState(() => new Date().toISOString().slice(0, 10));
  const [note, setNote] = useState("");
  const [isChecked, setIsChecked] = useState(false);
  const save = useAction("PUT /v1/llm-prices", {
    changes: ["GET /v1/llm-provider-catalog", "GET /v1/llm-prices"],
    onDone: () => {
      toast(texts.saved);
      onClose();
    },
  });
  const isWrong = (rate: Rate) => typed[rate].trim() !== "" && parseMoney(typed[rate]) === undefined;
  const submit = async () => {
    setIsChecked(true);
    if (rates.some(isWrong)) throw new Error(common.form.invalid);
    const entries = rates.flatMap((rate) => {
      const micros = parseMoney(typed[rate]);
      return micros === undefined ? [] : [[rate, micros] as const];
    });
    await save.run({
      body: {
        provider,
        model: model.id,
        validFrom: Date.parse(from),
        rates: Object.fromEntries(entries),
        ...(note.trim() ? { note: note.trim() } : {}),
      },
    });
  };
  return (
    <Dialog open onClose={onClose} title={texts.title(model.name ?? model.id)} lead={texts.lead}>
      <Form
        onSubmit={submit}
        footer={(busy) => (
          <footer className="row dlg-acts">
            <Button onClick={onClose}>{common.actions.cancel}</Button>
            <Button look="primary" type="submit" busy={busy}>
              {texts.save}
            </Button>
          </footer>
        )}
      >
        {rates.map((rate) => (
          <TextField
            key={rate}
            label={texts[rate]}
            path={`rates.${rate}`}
            inputMode="decimal"
            value={typed[rate]}
            onChange={(value) => setTyped({ ...typed, [rate]: value })}
            error={isChecked && isWrong(rate) ? llmProviders.budgets.invalid : undefined}
          />
        ))}
        <TextField label={texts.from} path="validFrom" type="date" value={from} onChange={setFrom} />
        <TextField label={texts.note} path="note" value={note} onChange={setNote} />
      </Form>
    </Dialog>
  );
}
