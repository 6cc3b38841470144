import type { Worker } from "@signalbox/client";
import { useState } from "react";
import { parseLabels } from "../../lib/labels.ts";
import { useAction } from "../../lib/queries.ts";
import { common } from "../../texts/common.ts";
import { workers } from "../../texts/workers.ts";
import { Button } from "../../ui/button.tsx";
import { Code } from "../../ui/code.tsx";
import { SecretRow } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ChoiceField, Form, TextField } from "../../ui/form.tsx";

const texts = workers.add;
const kinds: Worker["kind"][] = ["remote", "local", "ephemeral"];

export function AddWorkerDialog({ onClose }: { onClose(): void }) {
  const [token, setToken] = useState<string>();
  return (
    <Dialog
      open
      onClose={onClose}
      title={token ? texts.created : texts.title}
      lead={token ? undefined : texts.lead}
      width={token ? "l" : "m"}
    >
      {token ? (
        <Instructions token={token} onClose={onClose} />
      ) : (
        <AddForm onClose={onClose} onMade={setToken} />
      )}
    </Dialog>
  );
}

const Instructions = ({ token, onClose }: { token: string; onClose(): void }) => (
  <>
    <SecretRow value={token} />
    <p>{texts.run}</p>
    <Code
      text={`umask 077 && printf %s "${token}" > registration-token\nsignalbox worker --url ${window.location.origin} --registration-token-file registration-token -- ./agent.sh`}
    />
    <footer className="row dlg-acts">
      <Button look="primary" onClick={onClose}>
        {texts.done}
      </Button>
    </footer>
  </>
);

function AddForm({ onClose, onMade }: { onClose(): void; onMade(token: string): void }) {
  const [name, setName] = useState("");
  const [kind, setKind] = useState<Worker["kind"]>("remote");
  const [labels, setLabels] = useState("");
  const [maxUses, setMaxUses] = useState("");
  const create = useAction("POST /v1/worker-registration-tokens", {
    changes: ["GET /v1/worker-registration-tokens"],
    onDone: ({ token }) => onMade(token),
  });
  const submit = () =>
    create.run({
      body: {
        name: name.trim(),
        kind,
        labels: parseLabels(labels),
        ...(maxUses.trim() ? { maxUses: Number(maxUses) } : {}),
      },
    });
  return (
    <Form
      onSubmit={submit}
      footer={(busy) => (
        <footer className="row dlg-acts">
          <Button onClick={onClose}>{common.actions.cancel}</Button>
          <Button look="primary" type="submit" busy={busy}>
            {texts.create}
          </Button>
        </footer>
      )}
    >
      <TextField
        label={texts.name}
        hint={texts.nameHint}
        path="name"
        value={name}
        onChange={setName}
        autoFocus
      />
      <ChoiceField
        legend={texts.kind}
        value={kind}
        onChange={setKind}
        options={kinds.map((value) => ({ value, label: workers.kinds[value], hint: texts.kindHints[value] }))}
      />
      <TextField
        label={texts.labels}
        hint={texts.labelsHint}
        path="labels"
        value={labels}
        onChange={setLabels}
      />
      <TextField
        label={texts.maxUses}
        hint={texts.maxUsesHint}
        path="maxUses"
        inputMode="numeric"
        value={maxUses}
        onChange={setMaxUses}
      />
    </Form>
  );
}
