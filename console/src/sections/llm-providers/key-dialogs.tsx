import type { LlmProviderKey } from "@signalbox/client";
import { useState } from "react";
import type { Operation } from "../../lib/api.ts";
import { useAction } from "../../lib/queries.ts";
import { llmProviders } from "../../texts/llm-providers.ts";
import { Dialog, DialogActions } from "../../ui/dialog.tsx";
import { Form, SecretField, SelectField, TextField } from "../../ui/form.tsx";
import { useToast } from "../../ui/toast.tsx";

const texts = llmProviders.keys;

interface Shared {
  /** The operations to read again. */
  changes: readonly Operation[];
  onClose(): void;
}

export function AddKeyDialog({ providerId, changes, onClose }: Shared & { providerId: string }) {
  const toast = useToast();
  const [name, setName] = useState("");
  const [apiKey, setApiKey] = useState("");
  const add = useAction("POST /v1/llm-providers/{id}/keys", {
    changes,
    onDone: () => {
      toast(texts.added);
      onClose();
    },
  });
  return (
    <Dialog open onClose={onClose} title={texts.addTitle} lead={llmProviders.add.keyHint}>
      <Form
        onSubmit={() =>
          add.run({
            path: { id: providerId },
            body: { apiKey: apiKey.trim(), ...(name.trim() ? { name: name.trim() } : {}) },
          })
        }
        footer={(busy) => <DialogActions busy={busy} action={texts.add} onClose={onClose} />}
      >
        <TextField label={texts.name} path="name" value={name} onChange={setName} autoFocus />
        <SecretField label={texts.key} path="apiKey" value={apiKey} onChange={setApiKey} autoComplete="off" />
      </Form>
    </Dialog>
  );
}

export function RotateKeyDialog({ providerKey, changes, onClose }: Shared & { providerKey: LlmProviderKey }) {
  const toast = useToast();
  const [apiKey, setApiKey] = useState("");
  const [overlap, setOverlap] = useState("3600");
  const rotate = useAction("POST /v1/llm-providers/{id}/keys/{keyId}/rotate", {
    changes,
    onDone: () => {
      toast(texts.rotated);
      onClose();
    },
  });
  return (
    <Dialog open onClose={onClose} title={texts.rotateTitle(providerKey.name)} lead={texts.rotateLead}>
      <Form
        onSubmit={() =>
          rotate.run({
            path: { id: providerKey.providerId, keyId: providerKey.id },
            body: { apiKey: apiKey.trim(), overlapSeconds: Number(overlap) },
          })
        }
        footer={(busy) => <DialogActions busy={busy} action={texts.rotate} onClose={onClose} />}
      >
        <SecretField
          label={texts.key}
          path="apiKey"
          value={apiKey}
          onChange={setApiKey}
          autoComplete="off"
          autoFocus
        />
        <SelectField
          label={texts.overlap}
          path="overlapSeconds"
          value={overlap}
          onChange={setOverlap}
          options={Object.entries(texts.overlaps).map(([value, label]) => ({ value, label }))}
        />
      </Form>
    </Dialog>
  );
}
