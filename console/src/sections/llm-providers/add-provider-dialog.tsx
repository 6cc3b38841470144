import type { LlmProvider } from "@signalbox/client";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { usePath } from "../../lib/paths.ts";
import { useAction } from "../../lib/queries.ts";
import { common } from "../../texts/common.ts";
import { llmProviders } from "../../texts/llm-providers.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form, SecretField, SelectField, TextField } from "../../ui/form.tsx";
import { useToast } from "../../ui/toast.tsx";
import { useKinds } from "./kinds.ts";

const texts = llmProviders.add;

export function AddProviderDialog({ onClose }: { onClose(): void }) {
  const toast = useToast();
  const navigate = useNavigate();
  const path = usePath();
  const { kinds, nameOfKind } = useKinds();
  const [kind, setKind] = useState<LlmProvider["kind"]>("anthropic");
  const [name, setName] = useState("");
  const [baseUrl, setBaseUrl] = useState("");
  const [apiKey, setApiKey] = useState("");
  const chosen = kinds.find((candidate) => candidate.kind === kind);
  const create = useAction("POST /v1/llm-providers", {
    changes: ["GET /v1/llm-providers"],
    onDone: ({ llmProvider }) => {
      toast(texts.created(llmProvider.name));
      onClose();
      void navigate({ to: path(`/llm-providers/${llmProvider.id}`) });
    },
  });
  const submit = () =>
    create.run({
      body: {
        kind,
        name: name.trim() || nameOfKind(kind),
        ...(baseUrl.trim() ? { baseUrl: baseUrl.trim() } : {}),
        ...(apiKey.trim() ? { apiKey: apiKey.trim() } : {}),
      },
    });
  return (
    <Dialog open onClose={onClose} title={texts.title} lead={llmProviders.empty.text}>
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
        <SelectField
          label={texts.kind}
          path="kind"
          value={kind}
          onChange={(value) => setKind(value as LlmProvider["kind"])}
          options={kinds.map((candidate) => ({ value: candidate.kind, label: candidate.name }))}
        />
        <TextField
          label={texts.name}
          path="name"
          value={name}
          onChange={setName}
          placeholder={nameOfKind(kind)}
        />
        <TextField
          label={texts.baseUrl}
          hint={chosen?.example ? texts.baseUrlHint(chosen.example) : undefined}
          path="baseUrl"
          mono
          value={baseUrl}
          onChange={setBaseUrl}
          placeholder={chosen?.baseUrl ?? "https://"}
        />
        <SecretField
          label={texts.key}
          hint={chosen?.keyOptional ? texts.keyOptional : texts.keyHint}
          path="apiKey"
          value={apiKey}
          onChange={setApiKey}
          autoComplete="off"
        />
      </Form>
    </Dialog>
  );
}
